import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const stories = 'test/e2e/**/*.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
/** They change what belongs to the whole process: its time zone. */
const ownProcess = ['test/flow/schedule-night.test.ts']

const cores = availableParallelism()
/** Some tests of each kind wait for others; with many more at once than there are cores they ran into their limits. */
const workersMax = Math.min(8, cores + 2)

/** The longest of each project, in this order: begun last, one of them would go on alone when all others are done. */
const longest = [
  'prometheus/source',
  'prometheus/metrics',
  'e2e/demo-night',
  'e2e/kills',
  'e2e/disk',
  'e2e/package',
  'e2e/mute-crash',
  'e2e/canary',
  'e2e/history-away',
  'e2e/bad-slack',
  'e2e/bad-api',
  'e2e/feed',
  'e2e/disk-running',
  'e2e/hand-back',
  'e2e/blind',
  'browser/town',
  'browser/reach',
  'flow/poll-property',
  'flow/week',
  'flow/deliver-property',
  'contract/slack-sockets-bad',
  'flow/bad-api',
  'scrape/bad-exporters',
  'scrape/fleet-document',
  'scrape/kills',
  'flow/retain',
  'flow/sweep',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`))
      // Whatever the order, not to and fro: a worker that goes on with another project starts anew.
      const after = project.name === 'browser' ? longest.length + 1 : 0
      return after + (at === -1 ? longest.length : at)
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The runner's own second is shorter than what a busy machine may take for an answer.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    pool: 'forks',
    maxWorkers: workersMax,
    // A package that is no ES module is imported as Node imports it.
    deps: { interopDefault: false },
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/bundled.ts'],
    // Compiling what it imports is half of what a process needs to start, be it a worker or the bot.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [stories, browserTests, ...ownProcess],
          // Most of these files are done in less time than a process of their own would need to start.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'own-process',
          include: ownProcess,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [stories],
          // The neighbours are many modules, and the same in every file.
          isolate: false,
          // Each concurrent story starts a bot of its own, and more of them that start at once only hold each other up.
          maxConcurrency: 3,
          // A bot that starts while many others do takes its time.
          testTimeout: 120_000,
          // After the others: what measures time there must not share the machine with a whole town.
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browserTests],
          // A browser takes a second to start, and each page has a profile of its own.
          isolate: false,
          setupFiles: ['test/browser/close-pages.ts'],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

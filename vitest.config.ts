import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patienceMs } from './test/support/patience.ts'

const stories = 'test/e2e/**/*.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
/** One changes what belongs to the whole process, its time zone; one plays for two minutes, and needs no more than a place. */
const ownProcess = ['test/bot/flow/schedule.night.test.ts', 'test/e2e/demo-night.test.ts']

const cores = availableParallelism()
/** Some tests of each kind wait for others; with many more at once than there are cores they ran into their limits. */
const workersMax = Math.min(8, cores + 4)

/** These mostly wait, for real monitors and for time: begun one after the other while the rest keeps the machine busy. */
const waiting = [
  'e2e/demo-night',
  'prometheus/source',
  'prometheus/metrics',
  'scrape/scrape.kills',
  'flow/poll.bad-api',
  'prometheus/prometheus.real',
  'contract/service-prometheus',
  'prometheus/prometheus.questions',
  'contract/slack-sockets-bad',
  'contract/slack-sockets',
  'contract/service-documents',
]

/** The longest of the others, in this order: begun last, one of them would go on alone when all others are done. */
const longest = [
  'flow/flow.week',
  'flow/poll.property',
  'scrape/scraper.bad-exporters',
  'flow/poll.storm',
  'flow/retain',
  'flow/sweep',
  'flow/handle.table',
  'flow/outbox.property',
  'e2e/bad-slack',
  'e2e/package',
  'e2e/mute-crash',
  'e2e/feed',
  'e2e/kills',
  'e2e/reach',
  'e2e/bad-api',
  'e2e/first-card',
  'e2e/remote-keys',
  'e2e/blind',
  'e2e/buttons-card',
  'e2e/buttons-answers',
  'e2e/disk',
  'e2e/canary',
  'e2e/prometheus',
  'browser/town',
  'browser/reach',
  'browser/incident',
]

const placeIn = (names: readonly string[], { moduleId }: TestSpecification) => {
  const at = names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return at === -1 ? names.length : at
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => placeIn(longest, a) - placeIn(longest, b))
    const isWaiting = (file: TestSpecification) => placeIn(waiting, file) < waiting.length
    const units: TestSpecification[] = []
    const stories: TestSpecification[] = []
    const pages: TestSpecification[] = []
    for (const file of sorted) {
      const { name } = file.project
      if (!isWaiting(file)) (name === 'browser' ? pages : name === 'e2e' ? stories : units).push(file)
    }
    const waits = sorted.filter(isWaiting).toSorted((a, b) => placeIn(waiting, a) - placeIn(waiting, b))
    // Two at once from the start, the others evenly among the first half of the rest: what follows is short.
    const apart = units.length / 2 / waiting.length
    for (const [n, file] of waits.entries()) units.splice(n + Math.floor(Math.max(0, n - 1) * apart), 0, file)
    // Not to and fro: a worker that goes on with another project starts anew.
    return [...units, ...stories, ...pages]
  }
}

export default defineConfig({
  test: {
    // A test waits for what it needs, on a busy machine too: only a bench judges time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: patienceMs, interval: 50 } },
    pool: 'forks',
    // At its end a worker of a first run writes down all that it compiled.
    teardownTimeout: 60_000,
    maxWorkers: workersMax,
    // Node runs the TypeScript as it does outside of tests: nothing is transformed, and a package is what Node takes it for.
    experimental: { viteModuleRunner: false, nodeLoader: false },
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
          exclude: ownProcess,
          // The neighbours are many modules, and the same in every file.
          isolate: false,
          // Each concurrent story starts a bot of its own, and more of them that start at once only hold each other up.
          maxConcurrency: 3,
          // A bot that starts while many others do takes its time.
          testTimeout: 300_000,
          // After the others: what measures time there must not share the machine with a whole town.
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          testTimeout: 300_000,
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

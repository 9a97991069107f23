import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patienceMs } from './test/support/patience.ts'

const stories = 'test/e2e/**/*.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
/** One changes what belongs to the whole process, its time zone; one plays for two minutes, and needs no more than a place. */
const ownProcess = ['test/bot/flow/schedule.night.test.ts', 'test/e2e/demo-night.test.ts']

const cores = availableParallelism()
/** Many tests wait for a process or a moment, so two more than there are cores; with four more, each took nearly twice as long. */
const workersMax = Math.min(8, cores + 2)

/** Seconds by file, relative to `test/`; `npm run durations` writes them and says which are stale. */
const durations: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('test/durations.json', import.meta.url), 'utf8'),
)
const median =
  Object.values(durations).toSorted((a, b) => a - b)[Math.floor(Object.keys(durations).length / 2)] ?? 0
const longSeconds = 60
const testFolder = fileURLToPath(new URL('test/', import.meta.url))

/** One that takes long and is begun last would go on alone when all others are done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) => durations[relative(testFolder, moduleId)] ?? median
    // Those that alone take a good part of the whole; then not to and fro: a worker that goes on with another project starts anew.
    const placeOf = (file: TestSpecification) =>
      secondsOf(file) >= longSeconds ? -2 : ['e2e', 'browser'].indexOf(file.project.name)
    return files.toSorted((a, b) => placeOf(a) - placeOf(b) || secondsOf(b) - secondsOf(a))
  }
}

export default defineConfig({
  test: {
    // A test waits for what it needs, on a busy machine too: only a bench judges time.
    testTimeout: 4 * patienceMs,
    hookTimeout: 4 * patienceMs,
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
        },
      },
      {
        extends: true,
        test: {
          name: 'own-process',
          include: ownProcess,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [stories],
          exclude: ownProcess,
          // The service and the workspace are many modules, and the same in every file.
          isolate: false,
          // Each concurrent test starts a bot of its own, and more that start at once only delay each other.
          maxConcurrency: 3,
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
        },
      },
    ],
  },
})

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patienceMs } from './test/support/patience.ts'
import { browser, long, olderPostgres } from './test/tiers.ts'

/** What plays nights or starts processes comes last, the longest of it first: a wrong word is red within seconds. */
const slow = [/sim\/histories/, /world\/store/, /\/(?:sim|e2e|contract)\/|(?:histories|main)\.test/]
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => slow.findIndex((some) => some.test(moduleId)) + 1
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: QuickFirst },
    // A test waits for what it needs, on a busy machine too.
    testTimeout: 4 * patienceMs,
    hookTimeout: 4 * patienceMs,
    // A test that asserts nothing is red.
    expect: { requireAssertions: true, poll: { timeout: patienceMs, interval: 50 } },
    pool: 'forks',
    isolate: false,
    teardownTimeout: 60_000,
    // Node runs the TypeScript as it does outside of tests: nothing is transformed, and a package is what Node takes it for.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Compiling what it imports is half of what a process needs to start, be it a worker or the bot.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...long, ...browser] },
      },
      {
        extends: true,
        test: { name: 'long', include: long, globalSetup: ['test/support/bundled.ts'], maxConcurrency: 3 },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: browser,
          // To wait for what stands on the page is to assert it.
          expect: { requireAssertions: false },
          setupFiles: ['test/browser/close-pages.ts'],
        },
      },
      ...olderPostgres.map((version) => ({
        extends: true as const,
        test: {
          name: `postgres ${version}`,
          include: ['test/bot/world/store.test.ts', 'test/bot/town/rough.long.test.ts'],
          testNamePattern: /postgres/i,
          env: { POSTGRES_VERSION: version },
          globalSetup: ['test/support/bundled.ts', 'test/support/older-postgres.ts'],
        },
      })),
    ],
  },
})

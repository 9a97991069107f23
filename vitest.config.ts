import { defineConfig } from 'vitest/config'

const browserTests = 'test/browser/**/*.test.ts'
/** A browser waits as much as it works, so two files at once pay even where there are two cores only. */
const browserWorkersMax = 2

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'node', include: ['test/**/*.test.ts'], exclude: [browserTests] } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browserTests],
          maxWorkers: browserWorkersMax,
          // After the others: what measures time there must not share the machine with a browser.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

const stories = 'test/e2e/**/*.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
/** Stories and browsers wait as much as they work, so two files at once pay even where there are two cores only. */
const waitingWorkersMax = 2

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: { name: 'node', include: ['test/**/*.test.ts'], exclude: [stories, browserTests] },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [stories],
          maxWorkers: waitingWorkersMax,
          // After the others: what measures time there must not share the machine with a whole town.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browserTests],
          maxWorkers: waitingWorkersMax,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

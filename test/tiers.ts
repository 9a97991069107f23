/** Patterns of the tests that `npm test` leaves to `npm run test:long`. */

/** They start real neighbours: processes, databases, engines. */
export const long = ['test/{contract,e2e,workspace}/**/*.test.ts', 'test/**/*.long.test.ts']

export const browser = ['test/browser/**/*.test.ts']

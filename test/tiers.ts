/** Patterns of the tests that `npm test` leaves to `npm run test:long`. */

/** They start real neighbours: processes, databases, engines. */
export const long = ['test/{contract,e2e,workspace}/**/*.test.ts', 'test/**/*.long.test.ts']

export const browser = ['test/browser/**/*.test.ts']

/** Each major version that the bot takes beside that of package.json: packages that `npm run test:long` fetches when it first runs. */
export const olderPostgres = ['14.23.0-beta.17', '15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17']

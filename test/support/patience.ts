/**
 * How long a test waits for what must come. A machine that does much else may take long for anything: how long it took is
 * judged by `bench/` alone. Below the limits of whole tests in vitest.config.ts, so that the message says what did not come.
 */
export const patienceMs = 240_000

/**
 * How long a test waits for what must come. A busy machine may be slow at anything, and only `bench/` judges speed. It is below
 * the time limits of whole tests in vitest.config.ts, so that the message says what did not come.
 */
export const patienceMs = 240_000

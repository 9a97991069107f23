/** The folder where processes of tests keep compiled code, so that the next one starts in half the time. */
const folder = process.env.NODE_COMPILE_CACHE

/** Settings for a process that keeps compiled code; empty if the test run names no folder. */
export const compiled: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }

/** Where processes of the tests keep what they compiled, so that the next one starts in half the time. */
const folder = process.env.NODE_COMPILE_CACHE

/** To be given to a process with its settings; empty where the runner of the tests names no folder. */
export const compiled: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }

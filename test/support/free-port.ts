/** Finds ports for the programs that a test starts, and that cannot take any port and tell which. */
import { highestPort, isFree, lowestPort } from '../../src/demo/ports.ts'

const workers = 10
const ofEach = Math.floor((highestPort - lowestPort) / workers)

// Files that run side by side have ranges of their own, by the number of their worker. Measurements that one file starts share
// the range of its worker: each begins somewhere else in it.
const first = lowestPort + (Number(process.env.VITEST_POOL_ID ?? 0) % workers) * ofEach
let offset = Math.floor(Math.random() * ofEach)

/**
 * A port of 127.0.0.1 that is free, and that nobody else is given before the program has taken it: one of those that a system
 * gives to anybody was taken in between, and another's program answered in its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    offset = (offset + 1) % ofEach
    const port = first + offset
    if (await isFree(port)) return port
  }
}

/** Ids of upstream alerts. */
import { createHash } from 'node:crypto'

const idEpochMs = Date.UTC(2020, 0)
const hashBits = 22

/**
 * Seconds since 2020 and 22 bits of a hash: below 2^53 until the year 2088, in chronological order, the same in every run, and far
 * above the ids of the service's own alerts.
 */
export function upstreamId(fingerprint: string, timeMs: number): number {
  const seconds = Math.max(0, Math.min(2 ** 31 - 1, Math.floor((timeMs - idEpochMs) / 1_000)))
  const hash = createHash('sha256').update(`${fingerprint} ${timeMs}`).digest().readUInt32BE(0)
  return seconds * 2 ** hashBits + (hash >>> (32 - hashBits))
}

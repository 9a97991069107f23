/**
 * Pairs a closing record with the alert that it closes, in services that add a second record for a close.
 *
 * An end is never consumed by the start that it closed first: it closes every open start of its subject that is not
 * later. Two starts of one subject would otherwise leave the second one open for ever (reliability.md 2).
 */
import type { Sighting } from './alert.ts'

/** A closing record, kept after it was seen. `decided` is false while we cannot yet tell what form the service uses. */
export type End = {
  readonly record: Sighting
  readonly decided: boolean
}

type Subject = Pick<Sighting, 'hostname' | 'plugin' | 'metric' | 'triggerId'>

/** Is it the same thing on the same server: by trigger where both sides name one, else by plugin and metric. */
export function isSameSubject(a: Subject, b: Subject): boolean {
  if (a.hostname !== b.hostname) return false
  if (a.triggerId !== null && b.triggerId !== null) return a.triggerId === b.triggerId
  return a.plugin === b.plugin && a.metric === b.metric
}

/** The earliest end that closes what started at `startedMs`, or null. */
export function endOf(start: Subject & { readonly startedMs: number }, ends: readonly End[]): End | null {
  let earliest: End | null = null
  for (const end of ends) {
    if (end.record.timeMs < start.startedMs || !isSameSubject(end.record, start)) continue
    if (earliest === null || end.record.timeMs < earliest.record.timeMs) earliest = end
  }
  return earliest
}

export type Form = 'flip' | 'pair'

/**
 * Which form a service uses, read from one complete listing of everything and one complete listing of what is open; null
 * when they do not tell.
 *
 * In pair form the start record of a closed alert stays listed beside its end; in flip form it became the end. So a start
 * that is not open and has its end beside it proves `pair`; ends without a single such start prove `flip`.
 */
export function formOf(all: readonly Sighting[], openIds: ReadonlySet<string>): Form | null {
  const ends = all.filter((seen) => seen.lifecycle === 'end').map((record) => ({ record, decided: false }))
  if (ends.length === 0) return null
  const paired = all.some(
    (seen) =>
      seen.lifecycle === 'start' &&
      !openIds.has(seen.alertId) &&
      endOf({ ...seen, startedMs: seen.timeMs }, ends) !== null,
  )
  return paired ? 'pair' : 'flip'
}

/**
 * Pairs a closing record with the alert that it closes, in services that add a second record for a close.
 *
 * An end is never consumed by the start that it closed first: it closes every open start of its subject that is not
 * later. Two starts of one subject would otherwise leave the second one open for ever (reliability.md 2).
 */
import type { Sighting } from './alert.ts'

/** A closing record, kept after it was seen. */
export type End = {
  readonly record: Sighting
  /** False while we cannot yet tell what form the service uses. */
  readonly decided: boolean
  /** First seen while catching up: whatever it closed, nobody is told. */
  readonly isHistory: boolean
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
 * Does a complete listing of everything, beside one of what is open, show that the service adds a second record for a close?
 *
 * In pair form the start record of a closed alert stays listed beside its end; in flip form it became the end. The other
 * form is not proven by a listing: ends without their starts may be of alerts that began too long ago to be listed.
 */
export function showsPairs(all: readonly Sighting[], openIds: ReadonlySet<string>): boolean {
  const ends = all
    .filter((seen) => seen.lifecycle === 'end')
    .map((record) => ({ record, decided: false, isHistory: true }))
  return all.some(
    (seen) =>
      seen.lifecycle === 'start' &&
      !openIds.has(seen.alertId) &&
      endOf({ ...seen, startedMs: seen.timeMs }, ends) !== null,
  )
}

/**
 * Pairs a closing record with the alert that it closes, in services that add a second record for a close.
 *
 * An end is never consumed by the start that it closed first: it closes every open start of its subject that is not
 * later. Two starts of one subject would otherwise leave the second one open for ever (reliability.md 2).
 */
import type { Sighting } from './alert.ts'
import { subjectOf, troubleOf } from './trouble.ts'

/** A closing record, kept after it was seen. */
export type End = {
  readonly record: Sighting
  /** False while we cannot yet tell what form the service uses. */
  readonly decided: boolean
  /** First seen while catching up: whatever it closed, nobody is told. */
  readonly isHistory: boolean
}

/** Only ends of its own server close a start, and there may be thousands of both. */
export type EndsByServer = ReadonlyMap<string, readonly End[]>

export function byServer(ends: Iterable<End>): EndsByServer {
  return Map.groupBy(ends, ({ record }) => record.hostname)
}

type Start = Pick<Sighting, 'hostname' | 'plugin' | 'metric' | 'triggerId' | 'title' | 'value'> & {
  readonly startedMs: number
}

/**
 * The earliest end that closes this start, or null. By trigger where both sides name one. Else an end of the same plugin and
 * metric with a title of its own may be of another trigger, or only say it in other words: it closes nothing but what is
 * open no more anyway (`isGone`), because lists of what is open that were read to their ends do not show it.
 */
export function endOf(
  start: Start,
  ends: EndsByServer,
  { isGone }: { readonly isGone: boolean },
): End | null {
  let earliest: End | null = null
  for (const end of ends.get(start.hostname) ?? []) {
    if (end.record.timeMs < start.startedMs || !mayClose(end.record, start, isGone)) continue
    if (earliest === null || end.record.timeMs < earliest.record.timeMs) earliest = end
  }
  return earliest
}

function mayClose(end: Sighting, start: Start, isGone: boolean): boolean {
  if (end.triggerId !== null && start.triggerId !== null) return end.triggerId === start.triggerId
  if (subjectOf(end) !== subjectOf(start)) return false
  return isGone || end.title === start.title || troubleOf(end) === troubleOf(start)
}

export type Form = 'flip' | 'pair'

/**
 * Does a complete listing of everything, beside one of what is open, show that the service adds a second record for a close?
 *
 * In pair form the start record of a closed alert stays listed beside its end; in flip form it became the end. The other
 * form is not proven by a listing: ends without their starts may be of alerts that began too long ago to be listed.
 */
export function showsPairs(all: readonly Sighting[], openIds: ReadonlySet<string>): boolean {
  const ends = byServer(
    all
      .filter((seen) => seen.lifecycle === 'end')
      .map((record) => ({ record, decided: false, isHistory: true })),
  )
  return all.some(
    (seen) =>
      seen.lifecycle === 'start' &&
      !openIds.has(seen.alertId) &&
      endOf({ ...seen, startedMs: seen.timeMs }, ends, { isGone: true }) !== null,
  )
}

/** Whether there is an outage of the API, since when, and what becomes of the card that reports it. */

import { type Coverage, isMany, type StillUnreadable, unreadableWords } from '../alert/unreadable.ts'
import type { FailureKind } from '../base/failure.ts'
import { isWithin } from '../base/set-clock.ts'
import { type NewCard, newCard } from '../card/card.ts'
import type { Outage } from './outage.ts'

/** Failures in a row before it is announced: one or two pass by themselves. */
const failuresUntilOutage = 3
/** Without a reading for so long, and for so many of the usual gaps, it is an outage even where nothing failed. */
const unreadMaxMs = 3 * 60_000
const unreadGapsMax = 4
/** A poll that takes longer than this is named as the reason. */
export const slowPollMs = 5 * 60_000
/** Outages that follow each other so soon share a card, until people are told that the last one is over, */
const sameWithinMs = 10 * 60_000
/** and while that card has not scrolled away. */
const sameForMs = 60 * 60_000

/** How reading the API goes. Times are epoch milliseconds, lengths count only while the process is awake. */
export type Reading = {
  /** The last poll that read the API to the end; null before the first. */
  readonly lastGoodMs: number | null
  /** The last poll that read at least what is open; null before the first. */
  readonly lastOpenMs: number | null
  /** Since when, and why, polls fail; null while they do not. */
  readonly failing: Failing | null
  /** The last poll that left nothing of what is open unknown: its list to the end, and every record of it. */
  readonly lastOpenCompleteMs: number | null
  /** The last poll that left nothing unknown at all, what is over neither. */
  readonly lastFullyCompleteMs: number | null
  /** Of the last poll that read anything. */
  readonly coverage: Coverage
  /** Records that could not be read at the last poll that read anything; null where all could. */
  readonly unreadable: StillUnreadable | null
  /** See `Seen`. */
  readonly leftOut?: number
  /** The same; null for none. */
  readonly doubt?: string | null
  /** For how long nothing that is open was read although a poll was due: nobody looks between the hours of an expression. */
  readonly unreadMs: number
  /** How long the poll under way has taken so far; null while there is none. */
  readonly pollMs: number | null
}

export type Failing = {
  readonly sinceMs: number
  readonly why: string
  readonly kind: FailureKind
  /** Failures in a row. */
  readonly times: number
  /** Only what is over could not be read; what is open could. */
  readonly isPartial: boolean
}

/** What is open now cannot be read: since when, and why. Null while it can. */
type OutageState = Pick<Outage, 'sinceMs' | 'why'>

/** `gapMs` is the usual time between two polls. */
export function outageStateOf(reading: Reading, now: { nowMs: number; gapMs: number }): OutageState | null {
  return unreadOf(reading, now) ?? illegibleOf(reading, now)
}

/** Lists that come and that say nothing, for as many polls as it takes where none come. */
function illegibleOf({ unreadable }: Reading, { nowMs }: { nowMs: number }): OutageState | null {
  if (unreadable === null || unreadable.manyTimes < failuresUntilOutage) return null
  return { sinceMs: Math.min(unreadable.sinceMs, nowMs), why: unreadableWords(unreadable) }
}

function unreadOf(reading: Reading, now: { nowMs: number; gapMs: number }): OutageState | null {
  const { failing, unreadMs } = reading
  const isOverdue = unreadMs > Math.max(unreadMaxMs, unreadGapsMax * now.gapMs)
  if (!isOverdue && !isLost(failing)) return null
  return { sinceMs: unreadSinceMs(reading, now), why: whyOf(reading) }
}

/** What was read last may have changed at once after. A clock that was set back must not make it begin in the future. */
function unreadSinceMs({ lastOpenMs, failing }: Reading, { nowMs }: { nowMs: number }): number {
  return Math.min(lastOpenMs ?? failing?.sinceMs ?? nowMs, nowMs)
}

/**
 * What is wrong with reading the API, from the first failure on; null where nothing is. `outageMs`: since when the outage's
 * card says it is, so that everything names the same time.
 */
export function readingTrouble(
  reading: Reading,
  now: { nowMs: number; gapMs: number; outageMs?: number | null },
): { sinceMs: number; why: string; isPartial: boolean } | null {
  const { failing } = reading
  if (failing?.isPartial && unreadOf(reading, now) === null)
    return { sinceMs: Math.min(failing.sinceMs, now.nowMs), why: failing.why, isPartial: true }
  const why = isFailing(failing) ? failing.why : unreadOf(reading, now)?.why
  if (why === undefined) return null
  return { sinceMs: now.outageMs ?? unreadSinceMs(reading, now), why, isPartial: false }
}

function isFailing(failing: Failing | null): failing is Failing {
  return failing !== null && !failing.isPartial
}

/** A refused key does not recover by itself, so one refusal is enough. */
function isLost(failing: Failing | null): boolean {
  return isFailing(failing) && (failing.kind === 'forbidden' || failing.times >= failuresUntilOutage)
}

function whyOf({ failing, pollMs }: Reading): string {
  if (isFailing(failing)) return failing.why
  if (pollMs === null) return 'no poll of the monitoring API came to its end'
  return pollMs > slowPollMs
    ? `a poll of the monitoring API takes longer than ${slowPollMs / 60_000} min`
    : 'a poll of the monitoring API does not come to its end'
}

/**
 * What is to be written next: an outage that begins (again), has another reason, or is over. Null: all stands as it
 * is. One that a restart finds unfinished lasts until something is read.
 */
export function nextOutage(
  last: Outage | null,
  reading: Reading,
  now: { readonly nowMs: number; readonly gapMs: number; readonly newId: () => string },
): Outage | null {
  const state = outageStateOf(reading, now)
  if (last === null || last.untilMs !== null) {
    return state === null ? null : begun(state, last, now)
  }
  if (state === null && isSeeing(reading)) {
    return { ...last, untilMs: Math.max(last.sinceMs, reading.lastOpenMs), version: last.version + 1 }
  }
  // People no longer look at a card that said that the outage is over, so this one gets a message of its own.
  if (last.isTold === true) {
    const { isTold: _, ...rest } = last
    return { ...rest, cardOf: last.outageId, cardSinceMs: last.sinceMs, version: last.version + 1 }
  }
  const why = state?.why ?? (isFailing(reading.failing) ? reading.failing.why : last.why)
  return why === last.why ? null : { ...last, why, version: last.version + 1 }
}

/** A time of its own, on the card of the last one where that is in sight. */
function begun(
  { sinceMs, why }: OutageState,
  last: Outage | null,
  now: { readonly nowMs: number; readonly newId: () => string },
): Outage {
  const outageId = now.newId()
  const fresh = { outageId, why, untilMs: null, sureMs: null, version: 1 }
  if (!goesOn(last, now.nowMs)) return { ...fresh, sinceMs, cardOf: outageId, cardSinceMs: sinceMs }
  const { cardOf, cardSinceMs, untilMs } = last
  return { ...fresh, sinceMs: Math.max(sinceMs, untilMs), cardOf, cardSinceMs }
}

function goesOn(last: Outage | null, nowMs: number): last is Outage & { untilMs: number } {
  if (last === null || last.untilMs === null || last.isTold === true) return false
  // One in the future comes from a clock that has been set back since: its card would say for hours that it begins tomorrow.
  return isWithin(last.untilMs, nowMs, sameWithinMs) && isWithin(last.cardSinceMs, nowMs, sameForMs)
}

/**
 * Is everything known of an outage that is over? A poll after the one that ended it, which left nothing unknown: what had gone
 * from the list of what is open is known to have closed only once a second poll does not find it either.
 */
export function isSettled({ untilMs }: Outage, { lastFullyCompleteMs }: Reading): boolean {
  return untilMs !== null && lastFullyCompleteMs !== null && lastFullyCompleteMs > untilMs
}

function isSeeing(reading: Reading): reading is Reading & { readonly lastOpenMs: number } {
  const { lastOpenMs, failing, unreadable } = reading
  return lastOpenMs !== null && !isFailing(failing) && (unreadable === null || !isMany(unreadable))
}

export function outageCard({ cardOf }: Pick<Outage, 'cardOf'>, channel: string): NewCard {
  return newCard('outage', `${cardOf}:${channel}`, { channel, subjectId: cardOf })
}

/**
 * A switch: what the API should be told about one subject's notifications. Whoever decides writes `wanted` with a new revision,
 * one worker says it, and an answer counts for the revision that was asked. Pure: each step is a function from row to row.
 */
import { backoffMs } from '../base/backoff.ts'
import { minuteMs } from '../base/duration.ts'
import { isFinal, mayHaveBeenDone, type OutsideFailure } from '../base/failure.ts'
import { isWithin, remainingMs } from '../base/set-clock.ts'
import type { Place } from './mute.ts'
import type { Subject } from './subject.ts'

/** Times are epoch milliseconds. */
export type Switch = {
  readonly subject: Subject
  /** How notifications should be. */
  readonly wanted: 'on' | 'off'
  /** Grows with every decision, also with one that wants what was wanted before: somebody may have switched it elsewhere. */
  readonly revision: number
  /** The last revision that the API has confirmed, or that is settled in another way. */
  readonly saidRevision: number
  /** The last revision that the API was asked for. */
  readonly askedRevision: number
  /** The mute that was made, changed or ended; null: monbot had none. */
  readonly muteId: string | null
  /** The audit row of the person's request, which the answer settles; null: monbot's own decision. */
  readonly auditId: string | null
  /** Where everybody hears what the API said to the request; none: it is no news. */
  readonly places: readonly Place[]
  /** It takes back what the API was never asked: settled without asking. */
  readonly isMoot: boolean
  /** A request is under way since then. Found so where none is: the process ended meanwhile, and nobody knows what came of it. */
  readonly askedMs: number | null
  /** The latest request, in whichever direction, that got no clear answer and may still be carried out. */
  readonly doubtMs: number | null
  /** Failures in a row, also those of others that stood for this one. */
  readonly attempts: number
  readonly notBeforeMs: number
  /** Since when the API says, whenever it says anything, that it does not know the server; null while it does not. */
  readonly goneMs: number | null
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

/** After so many failed tries in a row to end a mute everybody is told. */
export const endToldAfter = 3
/** After so many failed repeats in a row. */
export const repeatToldAfter = 5
/** No try waits longer for the next. */
export const retryMaxMs = 60_000
/** How long after an unclear request `wanted` is said again; the last of these clears the doubt. */
const againAfterMs = [minuteMs, 5 * minuteMs, 30 * minuteMs] as const
/** No repeat waits longer. */
const againMaxMs = 30 * minuteMs
/**
 * A server is gone once the API has answered 404 twice, this far apart, and polls succeeded between the two and just now: a
 * single 404 may come from a proxy, a withdrawn key or a service that is being deployed.
 */
const goneAfterMs = 2 * minuteMs
const polledWithinMs = 90_000

export type Decision = Pick<Switch, 'subject' | 'wanted' | 'muteId' | 'auditId' | 'places'> & {
  /** It takes a mute back that the API never confirmed. */
  readonly isTakenBack?: boolean
}

export function decideSwitch(before: Switch | null, decision: Decision): Switch {
  const { isTakenBack = false, ...decided } = decision
  const isFirst = before?.wanted === 'off' && before.revision === before.saidRevision + 1
  const { revision, saidRevision, askedRevision, askedMs, doubtMs, version } = before ?? fresh
  return {
    ...decided,
    revision: revision + 1,
    saidRevision,
    askedRevision,
    isMoot: isTakenBack && isFirst && decided.wanted === 'on',
    askedMs,
    doubtMs,
    attempts: 0,
    notBeforeMs: 0,
    goneMs: null,
    version: version + 1,
  }
}

const fresh = { revision: 0, saidRevision: 0, askedRevision: 0, askedMs: null, doubtMs: null, version: 0 }

export function isSaid({ revision, saidRevision }: Switch): boolean {
  return saidRevision >= revision
}

/** Nothing is left to be said, and nothing may come late. */
export function isSettled(row: Switch): boolean {
  return isSaid(row) && row.askedMs === null && row.doubtMs === null
}

/** How long until it is to be said (again), for one that is not under way; null: never. */
export function waitMsOf(row: Switch, nowMs: number): number | null {
  if (isSettled(row)) return null
  if (row.askedMs !== null) return 0
  return remainingMs(row.notBeforeMs, nowMs, isSaid(row) ? againMaxMs : retryMaxMs)
}

/**
 * On disk before the request; the version stays, as no decision depends on it. One that was under way then, and is not known any
 * more, is in doubt.
 */
export function askSwitch(row: Switch, nowMs: number): Switch {
  const { revision, askedMs, doubtMs } = row
  return { ...row, askedRevision: revision, askedMs: nowMs, doubtMs: askedMs ?? doubtMs }
}

/** May it be settled without asking? Looked at right before: what it takes back may have been asked since the decision. */
export function isUnasked({ isMoot, askedMs, askedRevision, saidRevision }: Switch): boolean {
  return isMoot && askedMs === null && askedRevision <= saidRevision
}

/**
 * - `overtaken`: it was decided anew while the API was asked, or nothing was to be said
 * - `repeated`: what was said before was said again
 * - `unrepeated`: not yet, and it is tried again
 * - `refused`: it will not be done; `isOwed`: notifications may be off from before, and are to be switched on
 * - `failed`: it is tried again
 */
export type Came =
  | { readonly kind: 'said' | 'gone'; readonly answer: string }
  | { readonly kind: 'overtaken' | 'repeated' }
  | { readonly kind: 'unrepeated' | 'failed'; readonly failure: OutsideFailure }
  | { readonly kind: 'refused'; readonly failure: OutsideFailure; readonly isOwed: boolean }

export type SwitchAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly failure: OutsideFailure }

/**
 * What follows from an answer to `revision`. `wasAsked` false: the API was not asked about this one, but failed for another in
 * a way that it does for all. `lastPollMs`: when the open alerts were last read.
 */
export function answerSwitch(
  row: Switch,
  { revision, answer, wasAsked = true }: { revision: number; answer: SwitchAnswer; wasAsked?: boolean },
  { nowMs, lastPollMs }: { readonly nowMs: number; readonly lastPollMs: number | null },
): { readonly next: Switch; readonly came: Came } {
  const isUnclear = wasAsked && !answer.ok && mayHaveBeenDone(answer.failure)
  const now: Switch = {
    ...row,
    askedMs: wasAsked ? null : row.askedMs,
    doubtMs: isUnclear ? nowMs : row.doubtMs,
    version: row.version + 1,
  }
  if (row.revision !== revision) return { next: now, came: { kind: 'overtaken' } }
  if (answer.ok) {
    const came = isSaid(row)
      ? ({ kind: 'repeated' } as const)
      : { kind: 'said' as const, answer: answer.value }
    return { next: said(now, nowMs), came }
  }
  const { failure } = answer
  const next = failedOf(now, failure, nowMs)
  const isNobody = isMissing(row, failure)
  const isGone = isNobody && isGoneNow(now, lastPollMs, nowMs)
  if (isSaid(row)) {
    return isGone
      ? { next: said(now, nowMs), came: { kind: 'repeated' } }
      : { next: { ...next, notBeforeMs: nowMs + minuteMs }, came: { kind: 'unrepeated', failure } }
  }
  if (isFinal(failure) && (row.wanted === 'off' || row.muteId === null)) return refused(now, failure, nowMs)
  if (!isGone) return { next, came: { kind: 'failed', failure } }
  // Should it turn up again soon, its notifications are switched on all the same.
  return { next: said({ ...now, doubtMs: nowMs }, nowMs), came: { kind: 'gone', answer: failure.message } }
}

/** The API does not know what is to be unmuted. */
function isMissing({ subject, wanted }: Switch, { kind }: OutsideFailure): boolean {
  return kind === 'missing' && subject !== null && wanted === 'on'
}

function isGoneNow({ goneMs }: Switch, lastPollMs: number | null, nowMs: number): boolean {
  if (goneMs === null || lastPollMs === null || nowMs - goneMs < goneAfterMs) return false
  return lastPollMs > goneMs && isWithin(lastPollMs, nowMs, polledWithinMs)
}

function said(row: Switch, nowMs: number): Switch {
  const { revision, doubtMs } = row
  const done = { ...row, saidRevision: revision, isMoot: false, attempts: 0, goneMs: null }
  if (doubtMs === null) return { ...done, notBeforeMs: 0 }
  // A clock that was set back since says nothing about how old it is.
  const sinceMs = Math.min(doubtMs, nowMs)
  const againMs = againAfterMs.find((ms) => sinceMs + ms > nowMs)
  return againMs === undefined
    ? { ...done, doubtMs: null, notBeforeMs: 0 }
    : { ...done, doubtMs: sinceMs, notBeforeMs: sinceMs + againMs }
}

/** What was refused is not wanted any more. Where notifications may be off all the same, that they should be on is said next. */
function refused(row: Switch, failure: OutsideFailure, nowMs: number) {
  const isClean = row.revision === row.saidRevision + 1 && row.doubtMs === null
  const isOwed = row.wanted === 'off' && !isClean
  const quiet = { ...row, wanted: 'on' as const, auditId: null, places: [], attempts: 0, notBeforeMs: 0 }
  const next = isOwed
    ? { ...quiet, revision: row.revision + 1, goneMs: null }
    : said({ ...quiet, revision: row.revision }, nowMs)
  return { next, came: { kind: 'refused' as const, failure, isOwed } }
}

/** The terms before are what is wanted, and the API has confirmed them. */
export function keepMuted(refusedRow: Switch, row: Switch, nowMs: number): Switch {
  return said({ ...refusedRow, wanted: 'off', revision: row.revision }, nowMs)
}

function failedOf(row: Switch, failure: OutsideFailure, nowMs: number): Switch {
  const { attempts, goneMs } = row
  const isNobody = isMissing(row, failure)
  // The same answer means more only if it still comes minutes later.
  const waitMs = isNobody ? retryMaxMs : Math.max(backoffMs(attempts), failure.retryAfterMs ?? 0)
  return {
    ...row,
    attempts: attempts + 1,
    notBeforeMs: nowMs + Math.min(waitMs, retryMaxMs),
    goneMs: isNobody ? (goneMs ?? nowMs) : failure.kind === 'rejected' ? null : goneMs,
  }
}

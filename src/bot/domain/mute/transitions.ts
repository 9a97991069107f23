/** The life of a mute's row: every step is a function from the row to the row that follows it, with the next version. */

import type { Place } from '../card/thread-cards.ts'
import type { Before } from '../request/audit.ts'
import type { Mute, MuteEndedBy, MuteTerms } from './mute.ts'

/** Terms can be taken back for this long after they were given. */
export const undoMs = 60_000

/**
 * A request that was cut off by a crash or a time-out may still be carried out: the API gets this long before it is asked for
 * the opposite, which might otherwise come first. Longer than the bot itself waits for an answer.
 */
export const strayMs = 15_000

/** A first row, `asked`: it is on disk before the API is called. */
export function askMute(ask: {
  readonly muteId: string
  /** Null: the account. */
  readonly hostname: string | null
  readonly terms: MuteTerms
  readonly place: Place
  readonly nowMs: number
}): Mute {
  return {
    ...ask.terms,
    ...ask.place,
    muteId: ask.muteId,
    hostname: ask.hostname,
    state: 'asked',
    startedMs: ask.nowMs,
    termsMs: ask.nowMs,
    previous: null,
    handbackMs: null,
    endedMs: null,
    endedBy: null,
    endedByUserId: null,
    attempts: 0,
    notBeforeMs: 0,
    goneMs: null,
    version: 1,
  }
}

/**
 * A row that was about to end (or that a crash left `asked`) is asked for again with new terms. It goes on in the same
 * row, because the server was hidden all the time: `startedMs` stays.
 */
export function askAgain(mute: Mute, terms: MuteTerms, place: Place, nowMs: number): Mute {
  return next(mute, {
    ...terms,
    ...place,
    state: 'asked',
    termsMs: nowMs,
    previous: null,
    handbackMs: null,
    endedBy: null,
    endedByUserId: null,
    attempts: 0,
    notBeforeMs: 0,
    goneMs: null,
  })
}

/** The API said yes. */
export function confirmMute(mute: Mute): Mute {
  return next(mute, { state: 'active' })
}

/**
 * The API did not say yes. Where notifications may be off all the same (no clear answer, or the row was to be ended
 * before) they are to be switched on again; else the mute never was. A row that was being ended before (`was`) goes on with
 * that: its new terms never were in force.
 */
export function failMute(
  mute: Mute,
  came: {
    readonly was: Mute | null
    readonly mayBeMuted: boolean
    /** There was no answer at all, so the request may still be under way. */
    readonly mayComeLate?: boolean
    readonly nowMs: number
  },
): Mute {
  const { was, mayBeMuted, mayComeLate = false, nowMs } = came
  const back = was === null ? mute : { ...was, version: mute.version }
  const by = { by: back.endedBy ?? 'interrupted', userId: back.endedByUserId } as const
  const ending = endingMute(back, { ...by, nowMs })
  if (!mayBeMuted) return { ...ending, state: 'ended', endedMs: nowMs }
  return mayComeLate ? { ...ending, notBeforeMs: nowMs + strayMs } : ending
}

/** Notifications are to be switched on again; the first attempt is due at once. */
export function endingMute(
  mute: Mute,
  end: { readonly by: MuteEndedBy; readonly userId: string | null; readonly nowMs: number },
): Mute {
  return next(mute, {
    state: 'ending',
    endedBy: end.by,
    endedByUserId: end.userId,
    attempts: 0,
    notBeforeMs: end.nowMs,
    goneMs: null,
  })
}

/** An attempt to end it at the API failed; the next one is due at `notBeforeMs`. */
export function retryEnding(mute: Mute, came: Pick<Mute, 'notBeforeMs' | 'goneMs'>): Mute {
  return next(mute, { ...came, attempts: mute.attempts + 1 })
}

/** Notifications are on again: the row is history. */
export function endedMute(mute: Mute, nowMs: number): Mute {
  return next(mute, { state: 'ended', endedMs: nowMs })
}

/** There is no server any more whose notifications could be switched on: the row is history. */
export function goneMute(mute: Mute, nowMs: number): Mute {
  return next(mute, { state: 'ended', endedMs: nowMs, endedBy: 'gone' })
}

/** Its hand-back is planned. */
export function handedBack(mute: Mute, nowMs: number): Mute {
  return next(mute, { handbackMs: nowMs })
}

/** Muting again keeps the one row and replaces its terms; what they were is kept for the undo. */
export function replaceTerms(mute: Mute, terms: MuteTerms, place: Place, nowMs: number): Mute {
  return next(mute, { ...terms, ...place, termsMs: nowMs, previous: termsOf(mute), handbackMs: null })
}

/**
 * The undo: the terms before are in force again. Throws where there were none. An undo is not undone: `termsMs` is
 * put back so far that a second press finds nothing to take back.
 */
export function restoreTerms(mute: Mute, nowMs: number): Mute {
  if (mute.previous === null) throw new Error(`The mute ${mute.muteId} has no terms before its present ones`)
  return next(mute, {
    ...mute.previous,
    termsMs: Math.min(mute.startedMs, nowMs - undoMs),
    previous: null,
    handbackMs: null,
  })
}

/** The deadline moves. The mute still belongs to the person who asked for it, and is handed back again. */
export function extendTerms(mute: Mute, untilMs: number): Mute {
  return next(mute, { untilMs, handbackMs: null })
}

/** What the mute replaced, if anything. */
export function beforeOf({ hostname, previous }: Mute): readonly Before[] {
  return previous === null ? [] : [{ ...previous, hostname }]
}

export function termsOf({ mode, untilMs, userId, reason }: Mute): MuteTerms {
  return { mode, untilMs, userId, reason }
}

export function isSameTerms(a: MuteTerms, b: MuteTerms): boolean {
  return a.mode === b.mode && a.untilMs === b.untilMs && a.userId === b.userId && a.reason === b.reason
}

/** May this person still take back the present terms? */
export function isUndoable(mute: Mute, userId: string, nowMs: number): boolean {
  // Either way: a clock that was set back must not make the press of an old button an undo.
  return mute.userId === userId && Math.abs(nowMs - mute.termsMs) < undoMs
}

function next(mute: Mute, change: Partial<Mute>): Mute {
  return { ...mute, ...change, version: mute.version + 1 }
}

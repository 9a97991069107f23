/** What one reading of the API found, in terms of the stored alerts: the input of a poll's decision. */
import type { OutsideFailure } from '../base/failure.ts'
import type { Facts, Plan } from '../plan.ts'
import type { Alert, AlertRecord } from './alert.ts'
import type { End } from './end.ts'
import type { Seen } from './unreadable.ts'

/** The stored state: every open alert, every alert whose id was seen, and the ends kept so far. */
export type Memory = {
  readonly alerts: ReadonlyMap<string, Alert>
  readonly ends: readonly End[]
}

/** What the lists show as open. */
export type Listed = {
  /** Under the key of its alert, not the API's number. */
  readonly record: AlertRecord
  /** The alert as it is remembered; null: a new one. */
  readonly known: Alert | null
}

/** What the lists show as closed, or as one-off, and was not known before. */
export type Ended = Listed & {
  /** The record itself says so, or a second record does; a one-off never had a state. */
  readonly by: 'record' | 'pair' | 'oneoff'
  /** Null: no record says when. */
  readonly endedMs: number | null
  /** Over before the bot started watching, so that it is not announced. */
  readonly isHistory: boolean
}

/** A stored alert that is neither listed as open nor known to be closed. */
export type Missing = {
  readonly alert: Alert
  /**
   * `replaced`: its number belongs to another alert now. `nowhere`: it was searched for in the list of everything as well, and is
   * not there. `elsewhere`: that list shows its start without an end, or was not searched.
   */
  readonly why: 'replaced' | 'nowhere' | 'elsewhere'
}

/** The alerts that one reading found. */
export type Found = {
  readonly open: readonly Listed[]
  readonly ended: readonly Ended[]
  /** Only those that were replaced, where the list of what is open is not known in full. */
  readonly missing: readonly Missing[]
}

/** When a reading was. */
export type ReadTimes = {
  readonly nowMs: number
  /** The last reading of what is open before this one, or, after a start, a time not long before it; null if there was none. */
  readonly polledMs: number | null
}

/** One reading of the API. */
export type Snapshot = Found &
  ReadTimes &
  Seen & {
    /** A first start, or the return after a long absence: ended alerts are remembered but not announced. */
    readonly catchingUp: boolean
    /** What the next reading needs to know; written with whatever is decided on this one. */
    readonly learned: Pick<Plan, 'keptEnds' | 'droppedEndIds'> & { readonly facts: Partial<Facts> }
    /** What cut it short, if anything did (`HistoryUnread`: only what is over): what was read before that is here. */
    readonly failure: OutsideFailure | null
    readonly requests: number
    /** Bad records of all pages together. */
    readonly skipped: number
  }

/** So far apart readings do not tell when something between them happened. */
export const unreadMinMs = 60_000

/** When the previous reading was, if it was so long ago that what happened in between has no exact time; else null. */
export function unreadAfter({ nowMs, polledMs }: ReadTimes): number | null {
  return polledMs !== null && nowMs - polledMs > unreadMinMs ? polledMs : null
}

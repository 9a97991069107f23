/** The two lists of one reading, and what they show together with the stored alerts. Pure. */
import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { isBelievable } from '../../domain/alert/believable.ts'
import type { CloseStyle } from '../../domain/alert/end.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import { showsPairs } from './pairing.ts'

/** The open list is read first and the general one second, so the second is newer. */
export type Lists = {
  /** The sweep of `lifecycle=start`: what is open now. Absences count only if it is complete, unreadable records included. */
  readonly open: { readonly alertRecords: readonly AlertRecord[]; readonly complete: boolean }
  /** `lifecycle=all`. */
  readonly all: {
    readonly alertRecords: readonly AlertRecord[]
    readonly depth: Depth
    /** Numbers of open alerts that were searched for in it and not found. */
    readonly lacks: ReadonlySet<string>
  }
  readonly nowMs: number
  /** The form learned earlier, or set by hand; null while unknown. */
  readonly form: CloseStyle | null
  /** Set by hand: no observation changes it. */
  readonly isFormFixed: boolean
  /** The last reading of what is open before this one; see `Snapshot`. */
  readonly polledMs: number | null
  readonly catchingUp: boolean
  /**
   * Where the last catch-up's listing was cut short: ended alerts older than this, by the API's own clock, are history as
   * well. Null if that listing was complete.
   */
  readonly historyMs: number | null
}

/**
 * How much of the list of everything was read: all of it, its newest part (then for every start that it shows the end was read as
 * well, if there is one), or any part.
 */
export type Depth = 'whole' | 'newest' | 'part'

/** One alert record per id: an end is later than any start of the same id, and the general list is later than the open one. */
export function latest({ open, all }: Lists): Map<string, AlertRecord> {
  const seen = new Map<string, AlertRecord>()
  for (const alertRecord of [...open.alertRecords, ...all.alertRecords]) {
    if (seen.get(alertRecord.alertId)?.lifecycle !== 'end') seen.set(alertRecord.alertId, alertRecord)
  }
  return new Map([...seen].sort(([, a], [, b]) => a.timeMs - b.timeMs))
}

/**
 * What the lists show as open. In pair form the general list also shows the starts of closed alerts, and may do so if the form
 * has changed: an alert stored as closed is open again only if the list of open alerts shows it.
 */
export function listedOpen(
  { open, all }: Lists,
  form: CloseStyle | null,
  { alerts }: Memory,
): ReadonlySet<string> {
  const isClosed = ({ alertId }: AlertRecord) => isSaidOver(alerts.get(alertId))
  const others = form === 'flip' ? all.alertRecords.filter((seen) => !isClosed(seen)) : []
  const listed = [...open.alertRecords, ...others]
  return new Set(listed.flatMap(({ lifecycle, alertId }) => (lifecycle === 'start' ? alertId : [])))
}

/** Did the API itself say that it closed? An alert that closed by its absence is open if any list shows it as open. */
export function isSaidOver(alert: Pick<Alert, 'state' | 'closedBy'> | undefined): boolean {
  return alert?.state === 'closed' && alert.closedBy !== 'absence'
}

/** The form that these lists show, or the one known before if they show none. */
export function learnForm(
  memory: Memory,
  lists: Lists,
  seen: ReadonlyMap<string, AlertRecord>,
): CloseStyle | null {
  if (lists.isFormFixed) return lists.form
  const openNow = new Set(lists.open.alertRecords.map(({ alertId }) => alertId))
  for (const { alertId, lifecycle } of seen.values()) {
    // An alert created from an end proves nothing; one that was seen open does.
    const known = memory.alerts.get(alertId)
    const wasOpen = openNow.has(alertId) || (known !== undefined && known.closedBy !== 'record')
    if (lifecycle === 'end' && wasOpen) return 'flip'
  }
  // In a part of the list an end of other words may be that of what is further down.
  const isPaired = showsPairs(lists.all.alertRecords, openNow, { isGone: lists.all.depth === 'whole' })
  return lists.open.complete && isPaired ? 'pair' : lists.form
}

/** Was it closed before the bot started watching, so that it is not announced? Says nothing about open alerts. */
export function isHistory(
  seen: AlertRecord,
  { catchingUp, historyMs }: Pick<Lists, 'catchingUp' | 'historyMs'>,
): boolean {
  return catchingUp || (historyMs !== null && seen.timeMs < historyMs)
}

/**
 * The lists with every impossible time replaced by that of the reading, as if the alert began then, or was closed then. Otherwise
 * it could have a negative duration, be escalated in a year, be missing from reports until then, and never be deleted. A start
 * that is not open and has no time is left out: in pair form it may have closed weeks ago, and if it is new, the next list of
 * open alerts has it.
 */
export function believed(lists: Lists): Lists {
  const { open, all, nowMs } = lists
  const isInTime = ({ timeMs }: AlertRecord) => isBelievable(timeMs, nowMs)
  const inTime = (alertRecords: readonly AlertRecord[]): readonly AlertRecord[] =>
    alertRecords.map((seen) => (isInTime(seen) ? seen : { ...seen, timeMs: nowMs }))
  const openIds = new Set(open.alertRecords.map(({ alertId }) => alertId))
  const isTelling = (seen: AlertRecord) =>
    isInTime(seen) || seen.lifecycle !== 'start' || openIds.has(seen.alertId) || !open.complete
  return {
    ...lists,
    open: { ...open, alertRecords: inTime(open.alertRecords) },
    all: { ...all, alertRecords: inTime(all.alertRecords.filter(isTelling)) },
  }
}

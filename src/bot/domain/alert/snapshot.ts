/** What a poll saw, what was remembered, and what follows from the two before anything is decided. */
import type { Alert, AlertRecord } from './alert.ts'
import { type CloseStyle, type End, showsPairs } from './pairing.ts'

/** What one poll saw. Within a poll the open list is read first and the general one second, so the second is newer. */
export type Snapshot = {
  /** The sweep of `lifecycle=start`: what is open now. Absences count only if it is complete, unreadable records included. */
  readonly open: { readonly alertRecords: readonly AlertRecord[]; readonly complete: boolean }
  /** `lifecycle=all`: its newest part, or all of it. */
  readonly all: {
    readonly alertRecords: readonly AlertRecord[]
    readonly whole: boolean
    /** For every start that it shows, the end was read as well, if there is one. */
    readonly endsSeen: boolean
    /** Numbers of open alerts that were searched for in it and not found. */
    readonly lacks: ReadonlySet<string>
  }
  readonly nowMs: number
  /** The last reading of what is open before this one, or, after a start, a time not long before it; null if there was none. */
  readonly polledMs: number | null
  /** The form learned earlier, or set by hand; null while unknown. */
  readonly form: CloseStyle | null
  /** Set by hand: no observation changes it. */
  readonly isFormFixed: boolean
  /** A first start, or the return after a long absence: ended alerts are remembered but not announced. */
  readonly catchingUp: boolean
  /**
   * Where the last catch-up's listing was cut short: ended alerts older than this, by the API's own clock, are history as
   * well. Null if that listing was complete.
   */
  readonly historyMs: number | null
}

/** What is remembered: every open alert, every alert whose id was seen, the ends kept so far. */
export type Memory = {
  readonly alerts: ReadonlyMap<string, Alert>
  readonly ends: readonly End[]
}

/** One alert record per id: an end is later than any start of the same id, and the general list is later than the open one. */
export function latest(snapshot: Snapshot): Map<string, AlertRecord> {
  const seen = new Map<string, AlertRecord>()
  for (const alertRecord of [...snapshot.open.alertRecords, ...snapshot.all.alertRecords]) {
    if (seen.get(alertRecord.alertId)?.lifecycle !== 'end') seen.set(alertRecord.alertId, alertRecord)
  }
  return new Map([...seen].sort(([, a], [, b]) => a.timeMs - b.timeMs))
}

/**
 * What any list shows as open is open; in pair form the general list shows the starts of closed alerts as well, and so it may
 * where the form has changed: what is remembered as closed is open again only if the list of what is open shows it.
 */
export function listedOpen(
  { open, all }: Snapshot,
  form: CloseStyle | null,
  { alerts }: Memory,
): Map<string, AlertRecord> {
  const isClosed = ({ alertId }: AlertRecord) => isSaidOver(alerts.get(alertId))
  const others = form === 'flip' ? all.alertRecords.filter((seen) => !isClosed(seen)) : []
  const listed = [...open.alertRecords, ...others]
  return new Map(listed.filter(({ lifecycle }) => lifecycle === 'start').map((seen) => [seen.alertId, seen]))
}

/** Did the API itself say that it closed? What closed by its absence is open wherever it is listed as open. */
export function isSaidOver(alert: Pick<Alert, 'state' | 'closedBy'> | undefined): boolean {
  return alert?.state === 'closed' && alert.closedBy !== 'absence'
}

/** The form that this snapshot shows, or the one known before if it shows none. */
export function learnForm(
  memory: Memory,
  snapshot: Snapshot,
  seen: ReadonlyMap<string, AlertRecord>,
): CloseStyle | null {
  if (snapshot.isFormFixed) return snapshot.form
  const openNow = new Set(snapshot.open.alertRecords.map(({ alertId }) => alertId))
  for (const { alertId, lifecycle } of seen.values()) {
    // An alert created from an end proves nothing; one that was seen open does.
    const known = memory.alerts.get(alertId)
    const wasOpen = openNow.has(alertId) || (known !== undefined && known.closedBy !== 'record')
    if (lifecycle === 'end' && wasOpen) return 'flip'
  }
  // In a part of the list an end of other words may be that of what is further down.
  const isPaired = showsPairs(snapshot.all.alertRecords, openNow, { isGone: snapshot.all.whole })
  return snapshot.open.complete && isPaired ? 'pair' : snapshot.form
}

/** So far apart readings do not tell when something between them happened. */
const unreadMinMs = 60_000

/** The last reading before this one, if it was so long ago that nothing in between has a time. */
export function unreadAfter({ nowMs, polledMs }: Pick<Snapshot, 'nowMs' | 'polledMs'>): number | null {
  return polledMs !== null && nowMs - polledMs > unreadMinMs ? polledMs : null
}

/** Was it over before the bot started watching, so that it is not announced? Says nothing about open alerts. */
export function isHistory(seen: AlertRecord, snapshot: Snapshot): boolean {
  return snapshot.catchingUp || (snapshot.historyMs !== null && seen.timeMs < snapshot.historyMs)
}

/** The ends that no alert is known for yet: which are kept, and what becomes of one that was kept undecided. Pure. */
import type { AlertRecord } from './alert.ts'
import { type Change, closedAt, toAlert } from './change.ts'
import type { CloseStyle, End } from './pairing.ts'
import { isHistory, type Memory, type Snapshot, unreadAfter } from './snapshot.ts'

/** Ends to keep: in pair form, and while the form is unknown. */
export function newEnds(
  memory: Memory,
  seen: ReadonlyMap<string, AlertRecord>,
  form: CloseStyle | null,
  snapshot: Snapshot,
): End[] {
  if (form === 'flip') return []
  const kept = new Set(memory.ends.map((end) => end.record.alertId))
  return [...seen.values()]
    .filter((record) => record.lifecycle === 'end')
    .filter((record) => !memory.alerts.has(record.alertId) && !kept.has(record.alertId))
    .map((record) => ({ record, decided: form === 'pair', isHistory: isHistory(record, snapshot) }))
}

/** In pair form both records of an alert may have one id: the starts of those whose end is listed as well, by that id. */
export function startsOfEnded(
  { all }: Snapshot,
  seen: ReadonlyMap<string, AlertRecord>,
): ReadonlyMap<string, AlertRecord> {
  const isEnded = ({ alertId, lifecycle }: AlertRecord) =>
    lifecycle === 'start' && seen.get(alertId)?.lifecycle === 'end'
  return new Map(all.alertRecords.filter(isEnded).map((start) => [start.alertId, start]))
}

/**
 * A record that had already flipped to its end when we first saw it. It keeps its opening time, so all that is known of its
 * closing time is "since the last poll", and for history not even that.
 */
export function endedUnseen(
  seen: AlertRecord,
  isHistory: boolean,
  { nowMs, polledMs }: Pick<Snapshot, 'nowMs' | 'polledMs'>,
): Change {
  const alert = toAlert(seen, nowMs)
  const readMs = unreadAfter({ nowMs, polledMs })
  const afterMs = readMs === null ? null : Math.max(readMs, alert.startedMs)
  return isHistory
    ? { kind: 'recorded', alert: { ...alert, ...closedAt(null, 'record') }, was: null }
    : { kind: 'passed', alert: { ...alert, ...closedAt(nowMs, 'record', afterMs) }, was: null }
}

/**
 * Decides an end that was undecided for one poll: it closed something (pair), or nothing it could have closed is missing, so
 * it is an alert that opened and closed between two polls (flip).
 */
export function settleEnds(now: {
  memory: Memory
  fresh: readonly End[]
  used: ReadonlySet<string>
  changes: Change[]
  form: CloseStyle | null
  snapshot: Snapshot
}) {
  const { memory, fresh, used, changes, snapshot } = now
  const form = now.form ?? (used.size > 0 ? 'pair' : null)
  const keptEnds: End[] = []
  const droppedEndIds: string[] = []
  const reported = new Set(changes.map((change) => change.alert.alertId))
  for (const end of memory.ends) {
    if (end.decided) continue
    const { alertId } = end.record
    if (form === 'pair' || used.has(alertId)) keptEnds.push({ ...end, decided: true })
    else {
      droppedEndIds.push(alertId)
      if (!reported.has(alertId)) changes.push(endedUnseen(end.record, end.isHistory, snapshot))
      reported.add(alertId)
    }
  }
  for (const end of fresh) keptEnds.push({ ...end, decided: end.decided || form === 'pair' })
  return { changes, keptEnds, droppedEndIds, form }
}

/**
 * Matches the records of the two lists of one reading with the stored alerts: what is open, what closed, and what is in neither
 * list. Pure.
 */
import { type Alert, type AlertRecord, isLastAbsence, mayBeOpen } from '../../domain/alert/alert.ts'
import type { CloseStyle, End } from '../../domain/alert/end.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { Ended, Found, Listed, Memory, Missing } from '../../domain/alert/snapshot.ts'
import type { Steps } from '../../domain/base/steps.ts'
import { asEpisodes } from './as-episodes.ts'
import { believed, isHistory, type Lists, latest, learnForm, listedOpen } from './lists.ts'
import { withLostFields } from './lost-fields.ts'
import { byServer, endOf } from './pairing.ts'
import { asSpelt } from './respelt.ts'

export type Identified = Found & {
  /** Ends to keep, new or newly decided. */
  readonly keptEnds: readonly End[]
  /** Ids of kept ends that turned out to be separate alerts. */
  readonly droppedEndIds: readonly string[]
  /** The form as far as it is known now. */
  readonly form: CloseStyle | null
}

/** Matches them in steps, because tens of thousands of alerts may be listed and stored. */
export function* identifying(memory: Memory, read: Lists): Steps<Identified> {
  const count = read.open.alertRecords.length + read.all.alertRecords.length
  const filled = withLostFields(read, memory)
  yield count
  const spelt = asSpelt(filled.lists, filled.memory)
  yield count
  const lists = believed(yield* asEpisodes(spelt, filled.memory))
  yield count
  const seen = latest(lists)
  const form = learnForm(memory, lists, seen)
  const openNow = listedOpen(lists, form, memory)
  yield count
  const starts = startsOfEnded(lists, seen)
  const fresh = newEnds(memory, seen, form, lists).filter(({ record }) => !starts.has(record.alertId))
  const ends = byServer([...memory.ends, ...fresh])
  const used = new Set<string>()
  const open: Listed[] = []
  const ended: Ended[] = []
  const missing: Missing[] = []
  // An end that was history when it came is history still at the poll that shows how alerts end.
  const pastEnds = new Set(memory.ends.flatMap((end) => (end.isHistory ? [end.record.alertId] : [])))
  const isPast = (record: AlertRecord) => pastEnds.has(record.alertId) || isHistory(record, lists)

  for (const record of seen.values()) {
    yield 1
    const known = memory.alerts.get(record.alertId) ?? null
    if (openNow.has(record.alertId) && record.lifecycle === 'start') open.push({ record, known })
    else if (known !== null) {
      if (record.lifecycle === 'end' && mayBeOpen(known)) {
        const endedMs = record.timeMs > known.startedMs ? record.timeMs : null
        ended.push({ record, known, by: 'record', endedMs, isHistory: false })
      }
    } else if (record.lifecycle === 'oneoff')
      ended.push({ record, known, by: 'oneoff', endedMs: null, isHistory: isPast(record) })
    else if (record.lifecycle === 'end') {
      const start = starts.get(record.alertId)
      if (form === 'flip')
        ended.push({ record, known, by: 'record', endedMs: null, isHistory: isPast(record) })
      // In pair form, and while the form is unknown, an end alone is kept as one: see `newEnds`.
      else if (start !== undefined)
        ended.push({ record: start, known, by: 'pair', endedMs: record.timeMs, isHistory: isPast(record) })
    } else {
      const end = form === 'flip' ? null : endOf(asStart(record), ends, { isGone: lists.open.complete })
      if (end !== null) {
        used.add(end.record.alertId)
        ended.push({ record, known, by: 'pair', endedMs: end.record.timeMs, isHistory: end.isHistory })
      }
      // Not known to be open: its end may be where nothing could be read. If it is open, the list of open alerts has it.
      else if (lists.all.depth !== 'part') open.push({ record, known })
    }
  }
  const later = latestStarts(seen.values())
  for (const alert of memory.alerts.values()) {
    yield 1
    if (!mayBeOpen(alert) || openNow.has(alert.alertId)) continue
    const record = seen.get(alert.alertId)
    if (record?.lifecycle === 'end') continue
    const number = numberOf(alert.alertId)
    const isReplaced = record === undefined && (later.get(number) ?? 0) > alert.startedMs
    const isGone = isReplaced || (lists.open.complete && isLastAbsence(alert))
    const end = form === 'flip' ? null : endOf(alert, ends, { isGone })
    if (end !== null) {
      used.add(end.record.alertId)
      // An end that gives the time of the start says nothing of its own.
      const endedMs = end.record.timeMs > alert.startedMs ? end.record.timeMs : null
      ended.push({ record: end.record, known: alert, by: 'pair', endedMs, isHistory: false })
    } else if (isReplaced) missing.push({ alert, why: 'replaced' })
    else if (lists.open.complete) {
      // If the list of everything shows the start but no end, it is open: in pair form too, and as long as it is not known how alerts end.
      const isNowhere = record?.lifecycle !== 'start' && (later.has(number) || lists.all.lacks.has(number))
      missing.push({ alert, why: isNowhere ? 'nowhere' : 'elsewhere' })
    }
  }
  return { open, missing, ...settleEnds(memory, fresh, { used, form, ended }) }
}

function asStart(record: AlertRecord) {
  return { ...record, startedMs: record.timeMs }
}

/** Ends to keep: in pair form, and while the form is unknown. */
function newEnds(
  memory: Memory,
  seen: ReadonlyMap<string, AlertRecord>,
  form: CloseStyle | null,
  lists: Lists,
): End[] {
  if (form === 'flip') return []
  const kept = new Set(memory.ends.map((end) => end.record.alertId))
  return [...seen.values()]
    .filter((record) => record.lifecycle === 'end')
    .filter((record) => !memory.alerts.has(record.alertId) && !kept.has(record.alertId))
    .map((record) => ({ record, decided: form === 'pair', isHistory: isHistory(record, lists) }))
}

/** In pair form both records of an alert may have one id: the starts of those whose end is listed as well, by that id. */
function startsOfEnded(
  { all }: Lists,
  seen: ReadonlyMap<string, AlertRecord>,
): ReadonlyMap<string, AlertRecord> {
  const isEnded = ({ alertId, lifecycle }: AlertRecord) =>
    lifecycle === 'start' && seen.get(alertId)?.lifecycle === 'end'
  return new Map(all.alertRecords.filter(isEnded).map((start) => [start.alertId, start]))
}

/** When the last episode of each listed number began. */
function latestStarts(seen: Iterable<AlertRecord>): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const { alertId, timeMs } of seen) {
    const number = numberOf(alertId)
    starts.set(number, Math.max(starts.get(number) ?? 0, timeMs))
  }
  return starts
}

/**
 * Decides an end that was undecided for one poll: it closed something (pair), or nothing it could have closed is missing, so
 * it is an alert that opened and closed between two polls (flip).
 */
function settleEnds(
  memory: Memory,
  fresh: readonly End[],
  now: {
    readonly used: ReadonlySet<string>
    readonly form: CloseStyle | null
    readonly ended: readonly Ended[]
  },
): Pick<Identified, 'ended' | 'keptEnds' | 'droppedEndIds' | 'form'> {
  const form = now.form ?? (now.used.size > 0 ? 'pair' : null)
  const ended = [...now.ended]
  const told = new Set(ended.map(({ record }) => record.alertId))
  const keptEnds: End[] = []
  const droppedEndIds: string[] = []
  for (const end of memory.ends) {
    if (end.decided) continue
    const { record } = end
    if (form === 'pair' || now.used.has(record.alertId)) keptEnds.push({ ...end, decided: true })
    else {
      droppedEndIds.push(record.alertId)
      const known: Alert | null = memory.alerts.get(record.alertId) ?? null
      if (known === null && !told.has(record.alertId))
        ended.push({ record, known, by: 'record', endedMs: null, isHistory: end.isHistory })
      told.add(record.alertId)
    }
  }
  for (const end of fresh) keptEnds.push({ ...end, decided: end.decided || form === 'pair' })
  return { ended, keptEnds, droppedEndIds, form }
}

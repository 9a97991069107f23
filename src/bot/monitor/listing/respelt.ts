/**
 * Recognises an alert that is written differently: its server in other letters, short or in full, or with leading zeros in one of
 * the two lists; its time by a clock that was set. The record gets the spelling of the list of open alerts, or the stored one, so
 * that it is the same alert.
 */

import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { aheadMaxMs } from '../../domain/alert/believable.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import type { Lists } from './lists.ts'
import { isSameTime, isSameTitle } from './matching.ts'

/** What is compared of an alert, an end or a record of the other list. */
type Known = Pick<Alert, 'hostname' | 'serverName' | 'title' | 'startedMs'> & {
  readonly number: string
  /** Null where it is no alert, or not an open one. */
  readonly open: Pick<Alert, 'firstSeenMs' | 'missingMs'> | null
}
type KnownByNumber = ReadonlyMap<string, readonly Known[]>

/** The lists, with each record spelt as the stored alert, if it is provably the same. */
export function asSpelt(lists: Lists, memory: Memory): Lists {
  const known = Map.groupBy(knownIn(memory), ({ number }) => number)
  const open = lists.open.alertRecords
  // A server that was renamed is renamed in the list of what is open.
  const listed = new Map([...known, ...Map.groupBy(open.map(asKnown), ({ number }) => number)])
  const others = named(lists.all.alertRecords, listed)
  const cut = cutTimes(open, others)
  const inFull = (record: AlertRecord) => ({ ...record, timeMs: cut.get(record.alertId) ?? record.timeMs })
  const all = cut.size === 0 ? others : others.map(inFull)
  const dated = redated(known, [open, all], { ...lists, cut })
  return {
    ...lists,
    open: { ...lists.open, alertRecords: open.map(dated) },
    all: { ...lists.all, alertRecords: all.map(dated) },
  }
}

function* knownIn({ alerts, ends }: Memory): Generator<Known> {
  for (const alert of alerts.values()) {
    const { alertId, hostname, serverName, title, startedMs, state } = alert
    const open = state === 'open' ? alert : null
    yield { number: numberOf(alertId), hostname, serverName, title, startedMs, open }
  }
  for (const { record } of ends) yield { ...asKnown(record), number: numberOf(record.alertId) }
}

function asKnown({ alertId, hostname, serverName, title, timeMs }: AlertRecord): Known {
  return { number: alertId, hostname, serverName, title, startedMs: timeMs, open: null }
}

/** One list with its servers as they are known. What is proven of a server by one number holds for the whole list. */
function named(records: readonly AlertRecord[], known: KnownByNumber): readonly AlertRecord[] {
  const own = Map.groupBy(records, ({ alertId }) => alertId)
  const names = new Map<string, Known | null>()
  for (const record of records) {
    const some = known.get(record.alertId) ?? []
    if (some.some(({ hostname }) => hostname === record.hostname)) continue
    const alike = some.filter(
      ({ hostname, title }) =>
        isAlike(hostname, record.hostname) &&
        (record.lifecycle === 'end' || isSameTitle(title, record.title)) &&
        // Listed under both names at once, they are two.
        !own.get(record.alertId)?.some((one) => one.hostname === hostname),
    )
    const [found] = alike
    if (found === undefined || alike.some(({ hostname }) => hostname !== found.hostname)) continue
    const other = names.get(record.hostname)
    names.set(record.hostname, other === undefined || other?.hostname === found.hostname ? found : null)
  }
  if (names.size === 0) return records
  return records.map((record) => {
    const name = names.get(record.hostname)
    return name ? { ...record, hostname: name.hostname, serverName: name.serverName } : record
  })
}

/** `Web-02`, `web-2` and `web-2.example.com`: under one number they are one server. */
function isAlike(one: string, other: string): boolean {
  const [short = '', long = ''] = [plain(one), plain(other)].toSorted((a, b) => a.length - b.length)
  // The beginning of an address is not the short name of it.
  return short === long || (long.startsWith(`${short}.`) && /\p{L}/u.test(short))
}

function plain(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '')
}

const minuteMs = 60_000

/** By number, the times that the list of what is open gives in full and that of everything to the minute. */
function cutTimes(open: readonly AlertRecord[], all: readonly AlertRecord[]): ReadonlyMap<string, number> {
  const timesMs = new Map(all.map(({ alertId, timeMs }) => [alertId, timeMs]))
  const isCutTo = (full: number, cut: number | undefined) => cut !== full && cut === full - (full % minuteMs)
  return new Map(
    open.flatMap(({ alertId, timeMs }) =>
      isCutTo(timeMs, timesMs.get(alertId)) ? [[alertId, timeMs] as const] : [],
    ),
  )
}

/** No clock is set further than from one end of the world to the other. */
const shiftMaxMs = 26 * 60 * 60_000
const secondMs = 1_000
/** Zones differ by quarters of an hour. */
const zoneStepMs = 15 * 60_000

type Moved = { readonly record: AlertRecord; readonly to: Known; readonly byMs: number }

/** Returns what gives a record the time that is remembered of it, where only the API's clock has moved. */
function redated(
  known: KnownByNumber,
  lists: readonly (readonly AlertRecord[])[],
  { nowMs, polledMs, cut }: Lists & { readonly cut: ReadonlyMap<string, number> },
): (record: AlertRecord) => AlertRecord {
  const moved: Moved[] = []
  let inPlace = 0
  for (const record of lists.flat()) {
    const same = (known.get(record.alertId) ?? []).filter(
      (one) =>
        one.hostname === record.hostname &&
        (record.lifecycle === 'end' || isSameTitle(one.title, record.title)),
    )
    const [to] = same
    if (to === undefined) continue
    if (same.some((one) => isSameTime(one.startedMs, record.timeMs, nowMs))) inPlace += 1
    else if (same.length === 1) moved.push({ record, to, byMs: record.timeMs - to.startedMs })
  }
  if (moved.length === 0) return (record) => record
  // An end may have taken the time of the close.
  const telling = moved.filter(({ record, to }) => record.lifecycle !== 'end' || to.open === null)
  const shifts = commonShifts(telling, inPlace)
  const times = new Map<AlertRecord, number>()
  for (const one of moved) {
    const isShifted =
      (cut.has(one.record.alertId) && Math.abs(one.byMs) < minuteMs) ||
      shifts.some((byMs) => Math.abs(one.byMs - byMs) <= secondMs)
    if (isShifted || isOldNews(one, polledMs)) times.set(one.record, one.to.startedMs)
  }
  return (record) => {
    const timeMs = times.get(record)
    return timeMs === undefined ? record : { ...record, timeMs }
  }
}

/**
 * By how much times have moved that moved together: alerts that began at different times do not all begin again so much later.
 * Where there is only one to judge by, it is the clock if the difference is one of zones.
 */
function commonShifts(moved: readonly Moved[], inPlace: number): readonly number[] {
  const groups = Map.groupBy(
    moved.filter(({ byMs }) => Math.abs(byMs) <= shiftMaxMs),
    ({ byMs }) => Math.round(byMs / secondMs),
  )
  return [...groups].flatMap(([seconds, group]) => {
    const byMs = seconds * secondMs
    const starts = new Set(group.map(({ to }) => Math.round(to.startedMs / (5 * secondMs))))
    const isAll = inPlace === 0 && group.length === moved.length && isOfZones(byMs, 2 * secondMs)
    return starts.size > 1 || isAll ? [byMs] : []
  })
}

function isOfZones(byMs: number, toleranceMs: number): boolean {
  const steps = Math.round(byMs / zoneStepMs)
  return steps !== 0 && Math.abs(byMs - steps * zoneStepMs) <= toleranceMs
}

/** It was listed as open after the time at which it now says that it began, or gave none that could be before: it counts from when it was seen. */
function isOldNews({ record, to, byMs }: Moved, polledMs: number | null): boolean {
  if (to.open === null || record.lifecycle !== 'start' || byMs < 0) return false
  if (to.startedMs === to.open.firstSeenMs && isOfZones(byMs + minuteMs / 2, minuteMs / 2)) return true
  const listedMs = to.open.missingMs ?? polledMs
  return listedMs !== null && record.timeMs <= listedMs - aheadMaxMs
}

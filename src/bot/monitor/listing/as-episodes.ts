/**
 * Gives each record of the lists its episode's key, and a new one if an alert comes back: the new episode then has its own
 * card, acknowledgement and end.
 */

import { type Alert, type AlertRecord, isListedOpen, mayBeOpen } from '../../domain/alert/alert.ts'
import { keyOf as keyAt, numberOf, placeOf } from '../../domain/alert/episode.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import type { Steps } from '../../domain/base/steps.ts'
import { isSaidOver, type Lists } from './lists.ts'
import {
  type Episode,
  isExact,
  isSameEpisode,
  isSameRecord,
  isSameTime,
  isSameTitle,
  type Listed,
} from './matching.ts'

/**
 * After this many episodes of one number in so short a time, a new time alone is no longer announced: the API keeps changing
 * dates, or contradicts itself, and each poll would begin another episode.
 */
const restlessEpisodes = 4
const restlessMs = 30 * 60_000
/** A number given to more records than this at once identifies nothing; records beyond the limit are ignored. */
const listedMax = 200

/** The lists with episode keys instead of numbers, and each episode once per list and state. */
export function* asEpisodes(lists: Lists, memory: Memory): Steps<Lists> {
  const alerts = Map.groupBy(memory.alerts.values(), ({ alertId }) => numberOf(alertId))
  const ends = Map.groupBy(memory.ends, ({ record }) => numberOf(record.alertId))
  const numbers = Map.groupBy(listedIn(lists), ({ alertRecord }) => alertRecord.alertId)
  const keys = new Map<AlertRecord, string>()
  let isNamed = true
  for (const [number, all] of numbers) {
    yield all.length
    const known = { alerts: alerts.get(number) ?? [], ends: ends.get(number) ?? [] }
    const listed = asClosed(all.slice(0, listedMax), known, lists)
    if (all.length > listedMax) isNamed = false
    if (isAsRemembered(number, listed, known, lists.nowMs)) continue
    const isPlain = keyAt(number, 1) === number && areOne(listed, lists.nowMs)
    if (known.alerts.length + known.ends.length > 0 || !isPlain) {
      for (const [alertRecord, key] of keysOf(number, withOpen(listed, lists.nowMs), known, lists.nowMs))
        keys.set(alertRecord, key)
    }
  }
  const open = onceEach(lists.open.alertRecords, keys)
  const all = onceEach(lists.all.alertRecords, keys)
  return {
    ...lists,
    open: { complete: lists.open.complete && isNamed, alertRecords: open },
    all: { ...lists.all, alertRecords: all },
  }
}

/** Usually it is: the only alert of its number, open and listed as before. Then nothing needs to be worked out. */
function isAsRemembered(
  number: string,
  listed: readonly ListedIn[],
  { alerts, ends }: Known,
  nowMs: number,
): boolean {
  const [alert] = alerts
  if (alert === undefined || alerts.length > 1 || ends.length > 0) return false
  if (!isListedOpen(alert) || alert.alertId !== number) return false
  return listed.every(
    ({ alertRecord, from }, at) =>
      // If it is listed twice in one list, one of the two must be chosen.
      from !== listed[at - 1]?.from &&
      alertRecord.lifecycle === 'start' &&
      alertRecord.hostname === alert.hostname &&
      isExact(alert, { alertRecord, isOpen: true }, nowMs),
  )
}

type Known = { readonly alerts: readonly Alert[]; readonly ends: Memory['ends'] }

/** With the list that it comes from. */
type ListedIn = Listed & { readonly from: object }

function* listedIn({ open, all, form }: Lists): Generator<ListedIn> {
  for (const alertRecord of open.alertRecords)
    yield { alertRecord, isOpen: alertRecord.lifecycle === 'start', from: open }
  for (const alertRecord of all.alertRecords)
    yield { alertRecord, isOpen: form === 'flip' && alertRecord.lifecycle === 'start', from: all }
}

/**
 * What is remembered as closed is open again only if the list of what is open shows it: the general list may show the start of
 * what is over, where the way in which the API closes alerts has changed.
 */
function asClosed(
  listed: readonly ListedIn[],
  { alerts }: Known,
  { open, nowMs }: Lists,
): readonly ListedIn[] {
  const closed = alerts.filter(isSaidOver)
  if (closed.length === 0 || listed.some(({ from, isOpen }) => from === open && isOpen)) return listed
  return listed.map((one) =>
    closed.some((alert) => isExact(alert, one, nowMs)) ? { ...one, isOpen: false } : one,
  )
}

/** In pair form only the open list shows whether a record is open; the general list shows the same record either way. */
function withOpen(listed: readonly Listed[], nowMs: number): readonly Listed[] {
  const open = listed.filter(({ isOpen }) => isOpen)
  return listed.map(({ alertRecord, isOpen }) => ({
    alertRecord,
    isOpen:
      isOpen ||
      (alertRecord.lifecycle === 'start' &&
        open.some((one) => isSameRecord(one.alertRecord, alertRecord, nowMs))),
  }))
}

/** Usually a number is one record, listed once or twice. */
function areOne([first, ...others]: readonly Listed[], nowMs: number): boolean {
  return others.every(
    ({ alertRecord }) => first !== undefined && isSameRecord(first.alertRecord, alertRecord, nowMs),
  )
}

function keysOf(
  number: string,
  listed: readonly Listed[],
  known: Known,
  nowMs: number,
): ReadonlyMap<AlertRecord, string> {
  const keys = new Map<AlertRecord, string>()
  const taken = [
    ...known.alerts.map(({ alertId }) => alertId),
    ...known.ends.map((end) => end.record.alertId),
  ]
  const episodes: Episode[] = known.alerts.toSorted((a, b) => placeOf(b.alertId) - placeOf(a.alertId))
  const isRestless =
    episodes.filter(({ firstSeenMs }) => firstSeenMs > nowMs - restlessMs).length >= restlessEpisodes

  const isAlone = areOne(listed, nowMs)

  const begin = (alertRecord: AlertRecord): string => {
    const last = taken.reduce((most, key) => Math.max(most, placeOf(key)), 0)
    const key = keyAt(number, last + 1)
    taken.push(key)
    episodes.unshift(begun(alertRecord, key, nowMs))
    return key
  }
  // Two records of one reading that cannot be two alerts: same server and time, or both open with the same title.
  const openNow = new Set(listed.filter(({ isOpen }) => isOpen).map(({ alertRecord }) => alertRecord))
  const isTwin = (one: AlertRecord, other: AlertRecord) =>
    one.hostname === other.hostname && isSameTime(one.timeMs, other.timeMs, nowMs)
  const isOpenTwin = (one: AlertRecord, other: AlertRecord) =>
    openNow.has(one) && one.hostname === other.hostname && isSameTitle(one.title, other.title)
  const keyOf = ({ alertRecord, isOpen }: Listed): string => {
    const twin = [...keys].find(
      ([other]) => isTwin(other, alertRecord) || (isOpen && isOpenTwin(other, alertRecord)),
    )
    if (twin !== undefined) return twin[1]
    const same = episodes.find((one) =>
      isSameEpisode(one, alertRecord, { isOpen, isRestless, isAlone, nowMs }),
    )
    if (same !== undefined) return same.alertId
    const end = known.ends.find(({ record }) => isSameRecord(record, alertRecord, nowMs))
    return end === undefined ? begin(alertRecord) : end.record.alertId
  }

  // The record that is as remembered comes first: one listed beside it under another title is the same alert.
  const isOwn = (episode: Episode, { alertRecord }: Listed) => episode.hostname === alertRecord.hostname
  const exact = (one: Listed) => episodes.filter((episode) => isExact(episode, one, nowMs))
  const own = new Map(listed.map((one) => [one, exact(one).find((episode) => isOwn(episode, one))]))
  for (const [{ alertRecord }, episode] of own)
    if (episode !== undefined) keys.set(alertRecord, episode.alertId)
  const rest = listed.filter(({ alertRecord }) => !keys.has(alertRecord))
  const matched = new Set(keys.values())
  for (const one of rest) {
    const renamed = exact(one).find(({ alertId }) => !matched.has(alertId))
    if (renamed !== undefined) keys.set(one.alertRecord, renamed.alertId)
  }
  const unsure = rest.filter(({ alertRecord }) => !keys.has(alertRecord))
  // Of those open at once with the same title, the first counts; the others follow in order of time.
  const isFollower = (one: Listed, at: number) =>
    one.isOpen && unsure.slice(0, at).some(({ alertRecord }) => isOpenTwin(alertRecord, one.alertRecord))
  const followers = unsure.filter(isFollower)
  const leaders = unsure.filter((one) => !followers.includes(one))
  for (const one of [
    ...leaders.toSorted((a, b) => a.alertRecord.timeMs - b.alertRecord.timeMs),
    ...followers,
  ]) {
    keys.set(one.alertRecord, keyOf(one))
  }
  if (!isRestless) beginAgain(listed, { keys, remembered: known.alerts, begin })
  return keys
}

/** An alert announced as over that is open after all is announced again: editing a green card notifies nobody. */
function beginAgain(
  listed: readonly Listed[],
  {
    keys,
    remembered,
    begin,
  }: {
    readonly keys: Map<AlertRecord, string>
    readonly remembered: readonly Alert[]
    readonly begin: (alertRecord: AlertRecord) => string
  },
): void {
  for (const { alertId, ...one } of remembered) {
    if (mayBeOpen(one)) continue
    const own = listed.filter(({ alertRecord }) => keys.get(alertRecord) === alertId)
    const open = own.find(({ isOpen }) => isOpen)
    if (open === undefined || own.some(({ alertRecord }) => alertRecord.lifecycle === 'end')) continue
    const key = begin(open.alertRecord)
    for (const { alertRecord } of own) keys.set(alertRecord, key)
  }
}

function begun({ hostname, title, timeMs, lifecycle }: AlertRecord, alertId: string, nowMs: number): Episode {
  const isOver = lifecycle === 'end'
  const state = isOver ? 'closed' : lifecycle === 'oneoff' ? 'oneoff' : 'open'
  const closed = { closedMs: isOver ? timeMs : null, closedBy: isOver ? ('record' as const) : null }
  return { alertId, hostname, title, startedMs: timeMs, state, ...closed, firstSeenMs: nowMs }
}

/** Of two records that give the same state of one episode, the one closest to what was remembered. */
function onceEach(
  alertRecords: readonly AlertRecord[],
  keys: ReadonlyMap<AlertRecord, string>,
): readonly AlertRecord[] {
  if (keys.size === 0) return alertRecords
  const order = new Map([...keys.keys()].map((alertRecord, at) => [alertRecord, at]))
  const best = new Map<string, AlertRecord>()
  for (const alertRecord of alertRecords) {
    const key = keys.get(alertRecord)
    if (key === undefined) continue
    const named = `${alertRecord.lifecycle} ${key}`
    const other = best.get(named)
    if (other === undefined || (order.get(alertRecord) ?? 0) < (order.get(other) ?? 0))
      best.set(named, alertRecord)
  }
  const chosen = new Set(best.values())
  return alertRecords.flatMap((alertRecord) => {
    const key = keys.get(alertRecord)
    if (key === undefined) return alertRecord
    if (!chosen.has(alertRecord)) return []
    return key === alertRecord.alertId ? alertRecord : { ...alertRecord, alertId: key }
  })
}

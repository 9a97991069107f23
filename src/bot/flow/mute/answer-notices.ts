/** What everybody is told of the API's answers to mutes: audit rows, messages and markers. */
import { byName } from '../../domain/base/by-name.ts'
import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice, muteEndedCard } from '../../domain/card/thread-cards.ts'
import { muteMarker, undoneMarker, unmuteMarker, unmutesMarker, wordsOf } from '../../domain/mute/marker.ts'
import {
  alertWords,
  beforeOf,
  hostnameOf,
  isOfAccount,
  type Mute,
  type Place,
  type Silenced,
} from '../../domain/mute/mute.ts'
import { type Came, endToldAfter, isSaid, repeatToldAfter, type Switch } from '../../domain/mute/switch.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import type { Ids } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { announceInGroup, placeOf, placesOf } from './places.ts'

/** A person waits so long for the API before the answer says that it has not confirmed it yet. */
export const clickWaitsMs = 10_000

export type NoticePorts = {
  readonly store: Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'countAlerts' | 'switchesAsked'>
  readonly ids: Ids
}

/** One answer, with all that it is about. `base`: the row of the person's request. */
export type Case = {
  readonly row: Switch
  readonly next: Switch
  readonly came: Came
  readonly mute: Mute | null
  readonly base: AuditEntry | null
}

/** What the plan of one batch collects: a message of several grows in it. */
export function openPlanParts(nowMs: number) {
  const audit = new Map<string, AuditEntry>()
  const cards = new Map<string, Plan['cards'][number]>()
  const dirtyCards = new Set<string>()
  return {
    nowMs,
    audit,
    cards,
    dirtyCards,
    markers: [] as Plan['markers'][number][],
    /** Rows with their messages, of which each may be written for the second time. */
    take: ({
      audit: rows,
      cards: messages,
      dirtyCards: dirty,
    }: Pick<Plan, 'audit' | 'cards' | 'dirtyCards'>) => {
      for (const row of rows) audit.set(row.auditId, row)
      for (const card of messages) cards.set(card.cardId, card)
      for (const cardId of dirty) dirtyCards.add(cardId)
    },
    /** A row, and its message at each of these places. */
    tell: (entry: AuditEntry, places: readonly Place[]) => {
      audit.set(entry.auditId, entry)
      for (const place of places) {
        const card = changeNotice(entry, place)
        cards.set(card.cardId, card)
        dirtyCards.add(card.cardId)
      }
    },
  }
}
type PlanParts = ReturnType<typeof openPlanParts>

export async function tellCase(
  ports: NoticePorts,
  parts: PlanParts,
  one: Case,
  silenced: Silenced,
): Promise<void> {
  const { row, came, mute, base } = one
  switch (came.kind) {
    case 'said':
    case 'gone': {
      const more = { answer: came.answer, ...(row.wanted === 'on' && row.subject !== null ? silenced : {}) }
      if (base !== null) return tellRequest(parts, one, base, more)
      if (mute !== null && row.wanted === 'on') return tellEnd(ports, parts, mute, more)
      return
    }
    case 'refused':
      return tellRefused(parts, one, came.failure)
    case 'failed':
      return tellFailed(ports, parts, one, came.failure)
    case 'unrepeated':
      return tellUnrepeated(ports, parts, one, came.failure)
    case 'overtaken':
    case 'repeated':
      return
  }
}

const gone = { outcome: 'unknown', why: 'unknown_server' } as const

function isOfMany({ hostname, detail }: AuditEntry): boolean {
  return hostname === null && detail.names !== undefined
}

/** What a person decided is done. */
function tellRequest(parts: PlanParts, { row, mute, came }: Case, base: AuditEntry, more: AuditDetail): void {
  const { nowMs, markers } = parts
  const { places, wanted } = row
  const how = came.kind === 'gone' ? gone : ({ outcome: 'done', why: null } as const)
  const before = mute === null || wanted === 'on' ? [] : beforeOf(mute)
  const replaced = before.length === 0 ? {} : { before }
  const own = mute === null ? {} : ownDetail(mute)
  if (isOfMany(base)) {
    const entry = partOf(base, row, mute, { atMs: nowMs, ...how }, { ...more, ...replaced })
    parts.audit.set(entry.auditId, entry)
    if (places.length === 0) return
    const known = parts.audit.get(base.auditId) ?? base
    const names = known.outcome === 'done' ? (known.detail.names ?? []) : []
    const earlier = known.outcome === 'done' ? (known.detail.before ?? []) : []
    const all = [...earlier, ...before]
    const { answer: _, ...silenced } = more
    const detail = {
      ...known.detail,
      ...silenced,
      names: [...new Set([...names, row.subject ?? ''])].sort(byName),
      ...(all.length === 0 ? {} : { before: all }),
    }
    parts.tell({ ...known, outcome: 'done', why: null, atMs: nowMs, detail }, places)
    return
  }
  const detail = { ...base.detail, ...own, ...more, ...replaced }
  if (places.length === 0) {
    // Nobody else hears that it was so already.
    const why = mute === null ? 'not_muted' : 'already'
    parts.audit.set(base.auditId, { ...base, atMs: nowMs, outcome: 'nothing', why, detail })
    return
  }
  parts.tell({ ...base, atMs: nowMs, ...how, detail }, places)
  if (mute === null) return
  const { cardId } = changeNotice(base, places[0] ?? mute)
  const text =
    wanted === 'off' ? muteMarker(isOfAccount(mute) ? null : [wordsOf(mute)], mute) : unmuteMarker(mute)
  markers.push({ markerId: `${base.auditId}:marker`, text, cardId })
}

/** The row of one of several. */
function partOf(
  base: AuditEntry,
  row: Switch,
  mute: Mute | null,
  how: Pick<AuditEntry, 'atMs' | 'outcome' | 'why'>,
  more: AuditDetail,
): AuditEntry {
  const { names: _, before: __, ...given } = base.detail
  const auditId = `${base.auditId}:${row.subject ?? ''}`
  const terms = mute === null || base.act === 'undo_mute' || row.wanted === 'off' ? {} : termsDetail(mute)
  const own = mute === null ? {} : { muteId: mute.muteId }
  const detail = { ...given, ...terms, ...own, ...more }
  return { ...base, ...how, auditId, hostname: row.subject, partOf: base.auditId, detail }
}

function termsDetail({ mode, untilMs, reason }: Mute): AuditDetail {
  return { mode, ...(untilMs === null ? {} : { untilMs }), reason }
}

/** A mute that monbot ended by itself, alone or with those that it was made with. */
async function tellEnd(
  { store, ids }: NoticePorts,
  parts: PlanParts,
  mute: Mute,
  more: AuditDetail,
): Promise<void> {
  const isInterrupted = mute.endedBy === 'interrupted'
  const isElsewhere = mute.endedBy === 'elsewhere'
  const how =
    mute.endedBy === 'gone'
      ? gone
      : ({ outcome: 'done', why: isInterrupted ? 'interrupted' : isElsewhere ? 'elsewhere' : null } as const)
  const entry = ownEntry(ids, mute, { atMs: parts.nowMs, ...how }, more)
  const group = await announceInGroup(mute, entry, store, parts.audit)
  const alone = (await placesOf(mute, store)).map((place) => muteEndedCard(mute, place))
  const { cards, ...rest } = group ?? { audit: [entry], cards: alone, dirtyCards: [] }
  parts.take({ ...rest, cards })
  // No chart shows the beginning of a mute that the API never confirmed.
  if (isInterrupted || group?.isFirst === false) return
  const text =
    group === null
      ? unmuteMarker(mute)
      : unmuteMarker({ ...mute, subject: 'the servers of one list', alert: null })
  parts.markers.push({ markerId: ids.make(), text, cardId: cards[0]?.cardId ?? null })
}

/** What monbot does by itself at the end of a mute. */
export function ownEntry(
  ids: Ids,
  mute: Mute,
  how: Pick<AuditEntry, 'atMs' | 'outcome' | 'why'>,
  more: AuditDetail = {},
): AuditEntry {
  const { channel, alert } = mute
  const detail = { ...ownDetail(mute), ...termsDetail(mute), ...more }
  return {
    ...how,
    auditId: ids.make(),
    userId: null,
    via: 'monbot',
    act: 'end_mute',
    channel,
    hostname: hostnameOf(mute),
    alertId: alert?.about?.alertId ?? null,
    detail,
  }
}

function ownDetail({ muteId, alert }: Mute): AuditDetail {
  return { muteId, ...(alert === null ? {} : { alert: alertWords(alert) }) }
}

/** Whoever asked is told by the answer to the click; where that said that it is still tried, by a message. */
function tellRefused(parts: PlanParts, { row, mute, base }: Case, failure: OutsideFailure): void {
  if (base === null) return
  const { nowMs } = parts
  const isServer = failure.kind === 'missing' && row.subject !== null && mute?.alert == null
  const how = { atMs: nowMs, outcome: 'failed', why: isServer ? 'unknown_server' : failure.kind } as const
  const more = { answer: failure.message }
  const own = mute === null ? {} : { muteId: mute.muteId }
  const entry = isOfMany(base)
    ? partOf(base, row, mute, how, more)
    : { ...base, ...how, detail: { ...base.detail, ...own, ...more } }
  const isLate = row.attempts > 0 || nowMs - base.atMs >= clickWaitsMs
  parts.tell(entry, isLate ? row.places.slice(0, 1) : [])
}

async function tellFailed(
  { store, ids }: NoticePorts,
  parts: PlanParts,
  { row, next, mute, base }: Case,
  failure: OutsideFailure,
): Promise<void> {
  const { nowMs } = parts
  const answer = failure.message
  const how = {
    atMs: nowMs,
    outcome: mayHaveBeenDone(failure) ? 'unknown' : 'failed',
    why: failure.kind,
  } as const
  // The audit has the first failure and the announced one; the log has each of them.
  if (row.attempts === 0 && base !== null && !isOfMany(base)) {
    parts.audit.set(base.auditId, { ...base, why: failure.kind, detail: { ...base.detail, answer } })
  }
  if (mute === null || mute.state === 'active') return
  if (row.attempts === 0 && base === null) {
    const entry = ownEntry(ids, mute, how, { answer })
    parts.audit.set(entry.auditId, entry)
  }
  if (mute.confirmation !== 'stuck' || next.attempts !== endToldAfter) return
  // One message says that the API does not let it end.
  const stuck = ownEntry(ids, mute, how, { answer })
  const group = await announceInGroup(mute, stuck, store, parts.audit)
  if (group === null) return parts.tell(stuck, await placesOf(mute, store))
  parts.take(group)
}

async function tellUnrepeated(
  { store, ids }: NoticePorts,
  parts: PlanParts,
  { next, mute }: Case,
  failure: OutsideFailure,
): Promise<void> {
  if (next.attempts !== repeatToldAfter) return
  const isMuted = next.wanted === 'off' && mute !== null
  const entry: AuditEntry = {
    auditId: ids.make(),
    atMs: parts.nowMs,
    userId: null,
    via: 'monbot',
    act: 'repeat_switch',
    hostname: mute === null ? next.subject : hostnameOf(mute),
    alertId: mute?.alert?.about?.alertId ?? null,
    channel: mute?.channel ?? null,
    outcome: mayHaveBeenDone(failure) ? 'unknown' : 'failed',
    why: failure.kind,
    detail: { answer: failure.message, ...(isMuted ? ownDetail(mute) : {}) },
  }
  parts.tell(entry, mute === null ? [] : [await placeOf(mute, store)])
}

/** With the last answer to a request about several its row and its marker are complete. */
export async function closeGroups(
  { store, ids }: NoticePorts,
  parts: PlanParts,
  cases: readonly Case[],
): Promise<void> {
  const groups = Map.groupBy(
    cases.filter(({ base }) => base !== null && isOfMany(base)),
    ({ base }) => base?.auditId ?? '',
  )
  for (const [auditId, of] of groups) {
    const [one] = of
    const isOpen = ({ next }: Case) => next.auditId === auditId && !isSaid(next)
    const here = new Set(of.map(({ row }) => row.subject))
    const left = (await store.switchesAsked(auditId)).filter(({ subject: hostname }) => !here.has(hostname))
    if (one?.base == null || of.some(isOpen) || left.length > 0) continue
    const entry = parts.audit.get(auditId) ?? one.base
    if (entry.outcome !== 'done') {
      const why = of.flatMap(({ came }) => (came.kind === 'refused' ? [came.failure.kind] : []))[0] ?? null
      if (why !== null) parts.audit.set(auditId, { ...entry, outcome: 'failed', why })
      continue
    }
    const text = groupMarker(entry)
    const { cardId } = changeNotice(
      entry,
      one.row.places[0] ?? { channel: entry.channel ?? '', cardId: null },
    )
    if (text !== null) parts.markers.push({ markerId: ids.make(), text, cardId })
  }
}

function groupMarker({ act, detail, userId }: AuditEntry): string | null {
  const { mode = 'timed', untilMs = null, reason = '' } = detail
  const names = detail.names ?? []
  const restored = new Set((detail.before ?? []).map(({ hostname }) => hostname))
  const ended = names.filter((name) => !restored.has(name))
  if (act === 'mute_server') return muteMarker(names, { mode, untilMs, reason, userId: userId ?? '' })
  if (ended.length === 0) return null
  return act === 'undo_mute' ? undoneMarker(ended, userId ?? '') : unmutesMarker(ended, userId ?? '')
}

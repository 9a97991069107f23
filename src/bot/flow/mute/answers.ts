/** What follows from the API's answers: what everybody is told, the audit, markers, and what a refused mute hid. One plan for many. */
import { byName } from '../../domain/base/by-name.ts'
import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice, muteEndedCard } from '../../domain/card/thread-cards.ts'
import { muteMarker, undoneMarker, unmuteMarker, unmutesMarker } from '../../domain/mute/marker.ts'
import {
  beforeOf,
  confirmMute,
  endMute,
  type Mute,
  type Place,
  restoreTerms,
  type Silenced,
  silencedBy,
  stuckMute,
  wasConfirmed,
} from '../../domain/mute/mute.ts'
import {
  answerSwitch,
  type Came,
  endToldAfter,
  isSaid,
  keepMuted,
  repeatToldAfter,
  type Switch,
  type SwitchAnswer,
} from '../../domain/mute/switch.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { announceInGroup, placeOf, placesOf } from './places.ts'
import { type Hidden, serversUnder } from './reveal.ts'

/** Somebody decides anew, a card is being sent that was to be withdrawn: not so often in a row. */
const triesMax = 5
/** A person waits so long for the API before the answer says that it has not confirmed it yet. */
export const clickWaitsMs = 10_000

export type AnswerPorts = {
  readonly store: Pick<
    Store,
    | 'auditById'
    | 'cardById'
    | 'channelsTold'
    | 'commit'
    | 'muteById'
    | 'mutes'
    | 'switchesAsked'
    | 'switchesOf'
  >
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly hidden: Hidden
  /** When the open alerts were last read; null until the first poll after the start. */
  readonly lastPollMs: () => number | null
}

export type Answered = {
  readonly hostname: string | null
  readonly revision: number
  readonly answer: SwitchAnswer
  /** False: the API was not asked about this one; see `answerSwitch`. */
  readonly wasAsked: boolean
}

/** Writes what came of each, and answers it in their order. */
export type Settle = (answered: readonly Answered[]) => Promise<readonly Came[]>

export function openSettle(ports: AnswerPorts): Settle {
  const { store, hidden } = ports
  /** Answers are announced one batch at a time: each may add to the message of the one before it. */
  const telling = openLock()
  return async (answered) => {
    const saved = await retryWhenStale(triesMax, () =>
      telling.hold('answers', async () => {
        const draft = await draftOf(ports, answered)
        const { plan, revealing } = await withRevealed(ports, draft)
        if ((await store.commit(plan)) === 'stale') return 'stale'
        draft.log()
        // A poll may have hidden one more alert just before this was written. From here on it cannot any more.
        if (revealing.length > 0) await hidden.sweep(serversUnder(revealing))
        return draft.came
      }),
    )
    if (saved === 'stale') throw new Error(`${triesMax} plans in a row with the API's answers were stale`)
    return saved
  }
}

/** A mute that was refused hid what came since its decision. */
async function withRevealed({ store, hidden }: AnswerPorts, draft: Draft) {
  const revealing = draft.ended
  const { plan } = draft
  if (revealing.length === 0) return { plan, revealing }
  const hostnames = serversUnder(revealing)
  const own = new Set(revealing.map(({ muteId }) => muteId))
  const mutes = (await store.mutes(hostnames)).mutes.filter(({ muteId }) => !own.has(muteId))
  const summaryId = revealing[0]?.muteId ?? ''
  const revealed = await hidden.plan({ hostnames, mutes, summaryId, oneoffsUnder: revealing })
  return { plan: { ...plan, ...revealed, cards: [...plan.cards, ...revealed.cards] }, revealing }
}

type Draft = {
  readonly plan: Plan
  readonly came: readonly Came[]
  /** Mutes that this ends, by a refusal. */
  readonly ended: readonly Mute[]
  /** Once it is written. */
  log(): void
}

/** One answer, with all that it is about. `base`: the row of the person's request. */
type Case = {
  readonly row: Switch
  readonly next: Switch
  readonly came: Came
  readonly mute: Mute | null
  readonly base: AuditEntry | null
}

/** What the plan of one batch collects: a message of several grows in it. */
function openPlanParts(nowMs: number) {
  const audit = new Map<string, AuditEntry>()
  const cards = new Map<string, Plan['cards'][number]>()
  const dirtyCards = new Set<string>()
  return {
    nowMs,
    audit,
    cards,
    dirtyCards,
    markers: [] as Plan['markers'][number][],
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

async function draftOf(ports: AnswerPorts, answered: readonly Answered[]): Promise<Draft> {
  const { store, clock, lastPollMs, logger } = ports
  const nowMs = clock.nowMs()
  const parts = openPlanParts(nowMs)
  const rows = new Map(
    (await store.switchesOf(answered.map(({ hostname }) => hostname))).map((row) => [row.hostname, row]),
  )
  const mutes = new Map<string, Plan['mutes'][number]>()
  const switches: Plan['switches'][number][] = []
  const came: Came[] = []
  const ended: Mute[] = []
  const logs: (() => void)[] = []
  const cases: Case[] = []
  for (const one of answered) {
    const row = rows.get(one.hostname)
    const answer = row === undefined ? null : answerSwitch(row, one, { nowMs, lastPollMs: lastPollMs() })
    came.push(answer?.came ?? { kind: 'overtaken' })
    if (row === undefined || answer === null) continue
    const mute = row.muteId === null ? null : await store.muteById(row.muteId)
    const base = row.auditId === null ? null : await store.auditById(row.auditId)
    const found: Case = { row, mute, base, ...answer }
    const after = muteAfter(found, nowMs)
    if (after !== null && mute !== null) mutes.set(mute.muteId, { mute: after, was: mute.version })
    if (after?.state === 'ended' && mute?.state === 'active') ended.push(after)
    const isKept = answer.came.kind === 'refused' && after?.state === 'active'
    const next = isKept ? keepMuted(answer.next, row, nowMs) : answer.next
    switches.push({ next, was: row.version, ...(one.wasAsked ? { isAnswered: true } : {}) })
    cases.push({ ...found, next, mute: after ?? mute })
    logs.push(() => logOf(logger, { ...found, mute: after ?? mute }))
  }
  const silenced = await silencedBeside(store, [...mutes.values()])
  for (const one of cases) await tellCase(ports, parts, one, silenced)
  await closeGroups(ports, parts, cases)
  const changed = [...mutes.values()]
  const plan = {
    ...emptyPlan(nowMs),
    mutes: changed,
    switches,
    audit: [...parts.audit.values()],
    cards: [...parts.cards.values()],
    dirtyCards: [...parts.dirtyCards],
    markers: parts.markers,
    dirtyServers: changed.map(({ mute }) => mute.hostname),
  }
  return { plan, came, ended, log: () => logs.forEach((log) => void log()) }
}

/** Null: it stays as it is. */
function muteAfter({ row, came, mute, next }: Case, nowMs: number): Mute | null {
  if (mute === null) return null
  const isEnding = row.wanted === 'on' && mute.state === 'ended'
  switch (came.kind) {
    case 'said':
      return (isEnding || row.wanted === 'off') && mute.confirmation !== 'confirmed'
        ? confirmMute(mute)
        : null
    case 'gone':
      return isEnding ? confirmMute(mute, { endedBy: 'gone' }) : null
    case 'failed':
      return isEnding && next.attempts === endToldAfter && mute.confirmation === 'waiting'
        ? stuckMute(mute)
        : null
    case 'refused': {
      if (mute.state === 'ended' || mute.confirmation === 'confirmed') return null
      if (wasConfirmed(mute)) return restoreTerms(mute, nowMs)
      const over = endMute(mute, { by: 'interrupted', userId: null, nowMs })
      return came.isOwed ? over : { ...over, confirmation: 'confirmed' }
    }
    case 'overtaken':
    case 'repeated':
    case 'unrepeated':
      return null
  }
}

/** What keeps the servers of the others silent all the same. */
async function silencedBeside(store: AnswerPorts['store'], changed: Plan['mutes']): Promise<Silenced> {
  const own = new Set(changed.map(({ mute }) => mute.muteId))
  const { mutes } = await store.mutes([null])
  return silencedBy(mutes.filter(({ muteId, state }) => state === 'active' || !own.has(muteId)))
}

async function tellCase(ports: AnswerPorts, parts: PlanParts, one: Case, silenced: Silenced): Promise<void> {
  const { row, came, mute, base } = one
  switch (came.kind) {
    case 'said':
    case 'gone': {
      const more = { answer: came.answer, ...(row.wanted === 'on' && row.hostname !== null ? silenced : {}) }
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
  const own = mute === null ? {} : { muteId: mute.muteId }
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
      names: [...new Set([...names, row.hostname ?? ''])].sort(byName),
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
    wanted === 'off' ? muteMarker(mute.hostname === null ? null : [mute.hostname], mute) : unmuteMarker(mute)
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
  const auditId = `${base.auditId}:${row.hostname ?? ''}`
  const terms = mute === null || base.act === 'undo_mute' || row.wanted === 'off' ? {} : termsDetail(mute)
  const own = mute === null ? {} : { muteId: mute.muteId }
  const detail = { ...given, ...terms, ...own, ...more }
  return { ...base, ...how, auditId, hostname: row.hostname, partOf: base.auditId, detail }
}

function termsDetail({ mode, untilMs, reason }: Mute): AuditDetail {
  return { mode, ...(untilMs === null ? {} : { untilMs }), reason }
}

/** A mute that monbot ended by itself, alone or with those that it was made with. */
async function tellEnd(
  { store, ids }: AnswerPorts,
  parts: PlanParts,
  mute: Mute,
  more: AuditDetail,
): Promise<void> {
  const isInterrupted = mute.endedBy === 'interrupted'
  const how =
    mute.endedBy === 'gone' ? gone : ({ outcome: 'done', why: isInterrupted ? 'interrupted' : null } as const)
  const entry = ownEntry(ids, mute, { atMs: parts.nowMs, ...how }, more)
  const group = await announceInGroup(mute, entry, store, parts.audit)
  for (const row of group?.audit ?? [entry]) parts.audit.set(row.auditId, row)
  const alone = (await placesOf(mute, store)).map((place) => muteEndedCard(mute, place))
  const cards = group?.cards ?? alone
  for (const card of cards) parts.cards.set(card.cardId, card)
  for (const cardId of group?.dirtyCards ?? []) parts.dirtyCards.add(cardId)
  // No chart shows the beginning of a mute that the API never confirmed.
  if (isInterrupted || group?.isFirst === false) return
  const text =
    group === null ? unmuteMarker(mute) : unmuteMarker({ ...mute, hostname: 'the servers of one list' })
  parts.markers.push({ markerId: ids.make(), text, cardId: cards[0]?.cardId ?? null })
}

/** What monbot does by itself at the end of a mute. */
export function ownEntry(
  ids: Ids,
  mute: Mute,
  how: Pick<AuditEntry, 'atMs' | 'outcome' | 'why'>,
  more: AuditDetail = {},
): AuditEntry {
  const { muteId, hostname, channel } = mute
  const detail = { muteId, ...termsDetail(mute), ...more }
  return {
    ...how,
    auditId: ids.make(),
    userId: null,
    via: 'monbot',
    act: 'end_mute',
    channel,
    hostname,
    alertId: null,
    detail,
  }
}

/** Whoever asked is told by the answer to the click; where that said that it is still tried, by a message. */
function tellRefused(parts: PlanParts, { row, mute, base }: Case, failure: OutsideFailure): void {
  if (base === null) return
  const { nowMs } = parts
  const isServer = failure.kind === 'missing' && row.hostname !== null
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
  { store, ids }: AnswerPorts,
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
  for (const one of group.audit) parts.audit.set(one.auditId, one)
  for (const card of group.cards) parts.cards.set(card.cardId, card)
  for (const cardId of group.dirtyCards) parts.dirtyCards.add(cardId)
}

async function tellUnrepeated(
  { store, ids }: AnswerPorts,
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
    hostname: next.hostname,
    alertId: null,
    channel: mute?.channel ?? null,
    outcome: mayHaveBeenDone(failure) ? 'unknown' : 'failed',
    why: failure.kind,
    detail: { answer: failure.message, ...(isMuted ? { muteId: mute.muteId } : {}) },
  }
  parts.tell(entry, mute === null ? [] : [await placeOf(mute, store)])
}

/** With the last answer to a request about several its row and its marker are complete. */
async function closeGroups(
  { store, ids }: AnswerPorts,
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
    const here = new Set(of.map(({ row }) => row.hostname))
    const left = (await store.switchesAsked(auditId)).filter(({ hostname }) => !here.has(hostname))
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

function logOf(logger: Logger, { row, next, came, mute }: Case): void {
  const { hostname, wanted } = row
  const on = wanted === 'on'
  const tries = row.attempts + 1
  if (came.kind === 'overtaken') return
  if (came.kind === 'repeated') logger.info('mute:said_again', { hostname, on })
  else if (came.kind === 'refused') logger.info('mute:refused', { hostname, on, why: came.failure.message })
  else if (came.kind === 'unrepeated') {
    logger.warn('mute:not_said_again', { hostname, on, why: came.failure.message, tries: next.attempts })
  } else if (came.kind === 'failed') {
    const facts = { hostname, why: came.failure.message, tries: next.attempts }
    if (on) logger.warn('mute:not_ended', facts)
    else logger.info('mute:not_confirmed', facts)
  } else if (on) logger.info('mute:ended', { hostname, by: mute?.endedBy ?? null, tries })
  else logger.info('mute:confirmed', { hostname, tries })
}

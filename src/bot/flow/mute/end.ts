/** Ends mutes: switches notifications on again, tells everyone, and gives a card to each alert that they hid and that is still open. */

import { backoffMs } from '../../domain/base/backoff.ts'
import { failsForAll, mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice, muteEndedCard } from '../../domain/card/thread-cards.ts'
import { isGone, retryEndMaxMs } from '../../domain/mute/due.ts'
import { unmuteMarker } from '../../domain/mute/marker.ts'
import { hidesForAttempts, type Mute, type Silenced, silencedBy } from '../../domain/mute/mute.ts'
import { strayOf } from '../../domain/mute/stray.ts'
import { endedMute, goneMute, retryEnding } from '../../domain/mute/transitions.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import { type Lock, openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { type Answered, type SwitchAsk, type SwitchPorts, switchEach } from './batch.ts'
import { announceInGroup } from './group-announcement.ts'
import { placesOf } from './place.ts'
import { type Hidden, serversUnder } from './reveal.ts'

/** The rows are locked by the caller. What goes stale is a card that waits in the channel and is being sent at that moment. */
const triesMax = 5
/** Ends are announced one at a time: each may add to the message and to the summary card of the one before it. */
const tellingName = 'ends'

type EndMutePorts = {
  readonly monitor: SwitchPorts['monitor']
  readonly store: SwitchPorts['store'] &
    Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'commit' | 'muteById' | 'mutes'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly hidden: Hidden
  /** When the open alerts were last read; null until the first poll after the start. */
  readonly lastPollMs: () => number | null
}

/** The message about mutes that a person ended together: committed with their ends, so that a crash leaves none unannounced. */
export type TellTogether = (
  mutes: readonly Mute[],
  silenced: Silenced,
) => Pick<Plan, 'audit' | 'cards' | 'dirtyCards'>

/** Who ends it, for the audit; `userId` is null and `via` is `monbot` when its time has come. */
type EndedFor = Pick<AuditEntry, 'userId' | 'via' | 'act' | 'channel' | 'partOf'>

/**
 * The mutes that are not over stay `ending`, and `openExpiry` tries them again; `failure` says why, and is null if all are over.
 * `silenced`: what keeps the servers of the others silent all the same, as it was announced.
 */
export type EndedMutes = {
  readonly over: readonly Mute[]
  readonly failure: OutsideFailure | null
  readonly silenced: Silenced
}

/** The rows are `ending` on disk, and the caller holds their locks. Without `together` each end is announced by itself. */
export type EndMute = (
  mutes: readonly Mute[],
  base: EndedFor,
  together?: TellTogether | null,
) => Promise<EndedMutes>

type Ended = {
  readonly mute: Mute
  readonly answer: string
  /** The API no longer knows the server, so nobody can say whether its notifications are on. */
  readonly isGone: boolean
}

const gone = { outcome: 'unknown', why: 'unknown_server' } as const

type Asked = SwitchAsk & { readonly mute: Mute }
type Told = { readonly next: Mute; readonly entry: AuditEntry }
type Telling = Pick<Plan, 'audit' | 'cards' | 'dirtyCards' | 'markers'>

/** One call: who ends the mutes, how it is announced, and the lock that all announcements share. */
type Ending = {
  readonly base: EndedFor
  readonly together: TellTogether | null
  readonly telling: Lock
}

export function openEndMute(ports: EndMutePorts): EndMute {
  const { store, clock, lastPollMs } = ports
  const telling = openLock()

  /** Null: the API did not let it end, and that is written down already. */
  async function endedBy({ ask, answer }: Answered<Asked>, ending: Ending): Promise<Ended | null> {
    const { mute, hostname, muteId } = ask
    if (answer === null) return null
    if (answer.ok) return { mute, answer: answer.value, isGone: false }
    const { failure } = answer
    if (failure.kind !== 'missing' || !isGone(mute, lastPollMs(), clock.nowMs())) {
      await failed(ports, mute, ending, failure)
      return null
    }
    // Should it turn up again soon, its notifications are switched on all the same.
    await store.noteStray(strayOf({ hostname, on: false, muteId }, clock.nowMs()))
    return { mute, answer: failure.message, isGone: true }
  }

  return async (mutes, base, together = null) => {
    const ending: Ending = { base, together, telling }
    const over: Mute[] = []
    const failures: OutsideFailure[] = []
    let silenced: Silenced = {}
    const asks = mutes.map((mute) => {
      return { hostname: mute.hostname, muteId: mute.muteId, on: true, isOnDisk: true, mute }
    })
    for await (const answered of switchEach(ports, asks)) {
      const ended: Ended[] = []
      for (const one of answered) {
        const came = await endedBy(one, ending)
        if (came !== null) ended.push(came)
        else if (one.answer?.ok === false) failures.push(one.answer.failure)
      }
      if (ended.length > 0) silenced = await writeEnds(ports, ended, ending)
      over.push(...ended.map(({ mute }) => mute))
    }
    return { over, failure: failures.find(failsForAll) ?? failures[0] ?? null, silenced }
  }
}

async function writeEnds(ports: EndMutePorts, ended: readonly Ended[], ending: Ending): Promise<Silenced> {
  const { store, logger, hidden } = ports
  let silenced: Silenced = {}
  const saved = await retryWhenStale(triesMax, async (tries) => {
    const now = tries === 1 ? ended : await stillEnding(ended, store)
    if (now.length === 0) return 'saved'
    const came = await ending.telling.hold(tellingName, () => commitEnds(ports, now, ending))
    if (came === 'stale') return 'stale'
    silenced = came.silenced
    for (const { next } of came.told)
      logger.info('mute:ended', { hostname: next.hostname, by: next.endedBy, tries: next.attempts + 1 })
    // A poll may have hidden one more alert just before this was written, and of two mutes of one server that end at
    // the same time each may have left its alerts to the other. From here on neither can happen any more.
    await hidden.sweep(serversUnder(now.map(({ mute }) => mute)))
    return 'saved'
  })
  const [first] = ended
  if (saved === 'stale')
    throw new Error(`${triesMax} plans in a row to end the mute ${first?.mute.muteId} were stale`)
  return silenced
}

/** Without those that somebody else ended, or asked for again. */
async function stillEnding(ended: readonly Ended[], store: EndMutePorts['store']): Promise<readonly Ended[]> {
  const now = await Promise.all(
    ended.map(async (one) => ({ ...one, mute: await store.muteById(one.mute.muteId) })),
  )
  return now.flatMap(({ mute, ...rest }) => (mute?.state === 'ending' ? [{ ...rest, mute }] : []))
}

async function commitEnds(
  ports: EndMutePorts,
  ended: readonly Ended[],
  { base, together }: Ending,
): Promise<{ readonly told: readonly Told[]; readonly silenced: Silenced } | 'stale'> {
  const { store, clock, ids, hidden } = ports
  const ownIds = new Set(ended.map(({ mute }) => mute.muteId))
  const hostnames = serversUnder(ended.map(({ mute }) => mute))
  const mutes = (await store.mutes(hostnames)).mutes.filter(({ muteId }) => !ownIds.has(muteId))
  const silenced = silencedBy(mutes)
  const nowMs = clock.nowMs()
  const told = ended.map(({ mute, answer, isGone }) => {
    // It never began: nothing has ended.
    const why = mute.endedBy === 'interrupted' ? 'interrupted' : null
    const row = isGone ? gone : ({ outcome: 'done', why } as const)
    const next = isGone ? goneMute(mute, nowMs) : endedMute(mute, nowMs)
    return { next, entry: entryOf(ids, mute, base, { atMs: nowMs, ...row }, { answer, ...silenced }) }
  })
  const rows = told.map(({ next }) => next)
  const all = together?.(rows, silenced)
  const tellings =
    all === undefined ? await Promise.all(told.map((one) => tellOne(ports, one))) : [{ ...all, markers: [] }]
  const parts = all === undefined ? [] : told.map(({ entry }) => entry)
  const cards = tellings.flatMap((telling) => telling.cards)
  // The message of a mute that ends alone, by its time, lists the one-offs; no other message does.
  const listing = new Set(cards.flatMap(({ kind, subjectId }) => (kind === 'mute_ended' ? [subjectId] : [])))
  const revealed = await hidden.plan({
    hostnames,
    mutes,
    // The mute's own id: two that end in one millisecond have a summary each.
    summaryId: rows[0]?.muteId ?? '',
    oneoffsUnder: rows.filter(({ muteId }) => !listing.has(muteId)),
  })
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    ...revealed,
    audit: [...parts, ...tellings.flatMap(({ audit }) => audit)],
    cards: [...cards, ...revealed.cards],
    dirtyCards: tellings.flatMap(({ dirtyCards }) => dirtyCards),
    markers: tellings.flatMap(({ markers }) => markers),
    mutes: rows.map((mute, at) => ({ mute, was: ended[at]?.mute.version ?? null })),
    dirtyServers: rows.map(({ hostname }) => hostname),
  })
  return saved === 'stale' ? 'stale' : { told, silenced }
}

async function tellOne({ store, ids }: EndMutePorts, { next, entry }: Told): Promise<Telling> {
  const isByItself = entry.userId === null
  const group = isByItself ? await announceInGroup(next, entry, store) : null
  const alone = (await placesOf(next, store)).map((place) =>
    isByItself ? muteEndedCard(next, place) : changeNotice(entry, place),
  )
  const { audit, cards, dirtyCards } = group ?? { audit: [entry], cards: alone, dirtyCards: [] }
  // No chart shows the beginning of a mute that the API never confirmed.
  const isMarked = group?.isFirst !== false && next.endedBy !== 'interrupted'
  const text = unmuteMarker(group === null ? next : { ...next, hostname: 'the servers of one list' })
  const cardId = cards[0]?.cardId ?? null
  return { audit, cards, dirtyCards, markers: isMarked ? [{ markerId: ids.make(), text, cardId }] : [] }
}

async function failed(
  ports: EndMutePorts,
  mute: Mute,
  { base, telling }: Ending,
  failure: OutsideFailure,
): Promise<void> {
  const { store, clock, logger, ids, hidden } = ports
  const nowMs = clock.nowMs()
  const isMissing = failure.kind === 'missing' && mute.hostname !== null
  // The same answer means more only if it still comes minutes later.
  const waitMs = isMissing ? retryEndMaxMs : Math.max(backoffMs(mute.attempts), failure.retryAfterMs ?? 0)
  const next = retryEnding(mute, {
    notBeforeMs: nowMs + Math.min(waitMs, retryEndMaxMs),
    goneMs: isMissing ? (mute.goneMs ?? nowMs) : failure.kind === 'rejected' ? null : mute.goneMs,
  })
  const outcome = mayHaveBeenDone(failure) ? 'unknown' : 'failed'
  const entry = entryOf(
    ids,
    mute,
    base,
    { atMs: nowMs, outcome, why: failure.kind },
    { answer: failure.message },
  )
  // From this attempt on it hides nothing, and one message says that the API does not let it end.
  const isStuck = next.attempts === hidesForAttempts
  const stuck: AuditEntry = {
    ...entry,
    auditId: ids.make(),
    userId: null,
    via: 'monbot',
    act: 'end_mute',
    channel: mute.channel,
  }
  await telling.hold(tellingName, async () => {
    const many = isStuck ? await announceInGroup(mute, stuck, store) : null
    const places = isStuck && many === null ? await placesOf(mute, store) : []
    const alone = places.map((place) => changeNotice(stuck, place))
    return store.commit({
      ...emptyPlan(nowMs),
      mutes: [{ mute: next, was: mute.version }],
      // The audit has the first failure and the announced one; the log has each of them.
      audit: many?.audit ?? (isStuck ? [stuck] : mute.attempts === 0 ? [entry] : []),
      cards: many?.cards ?? alone,
      dirtyCards: many?.dirtyCards ?? [],
      dirtyServers: isStuck ? [mute.hostname] : [],
    })
  })
  logger.warn('mute:not_ended', { hostname: mute.hostname, why: failure.message, tries: next.attempts })
  if (isStuck) await hidden.sweep(serversUnder([mute]))
}

function entryOf(
  ids: Ids,
  mute: Mute,
  base: EndedFor,
  came: Pick<AuditEntry, 'atMs' | 'outcome' | 'why'>,
  more: Pick<AuditDetail, 'answer' | 'accountMuted'>,
): AuditEntry {
  const { muteId, mode, untilMs, reason, hostname } = mute
  const terms = { mode, ...(untilMs === null ? {} : { untilMs }), reason }
  // Terms in the row of an undo are older ones that it put back; this one ended the mute.
  const detail = { muteId, ...(base.act === 'undo_mute' ? {} : terms), ...more }
  return { ...base, ...came, auditId: ids.make(), hostname, alertId: null, detail }
}

/** Ends a mute: notifications are switched on again, everyone is told, and what it hid and is still open gets its card. */

import { backoffMs } from '../../domain/base/backoff.ts'
import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { muteEndedCard, toldCard } from '../../domain/card/thread-cards.ts'
import { isGone, retryEndMaxMs } from '../../domain/mute/due.ts'
import { unmuteMarker } from '../../domain/mute/marker-text.ts'
import { hidesForAttempts, type Mute } from '../../domain/mute/mute.ts'
import { strayOf } from '../../domain/mute/stray.ts'
import { endedMute, goneMute, retryEnding } from '../../domain/mute/transitions.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { attempt } from '../attempt.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Ids, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { togetherName, toldTogether } from './group-announcement.ts'
import { placeOf } from './place.ts'
import type { Hidden } from './reveal.ts'
import { switchNotifications } from './switch.ts'

/** The caller has locked the row; stale is what waits in the channel, once Slack is asked to take it at that moment. */
const triesMax = 5
/** One at a time tells what it hid: each may add to the card that the one before it made. */
const hiddenName = 'hidden'

export type EndMutePorts = {
  readonly monitor: Monitor
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly hidden: Hidden
  /** When what is open was last read since the start; null before. */
  readonly lastPollMs: () => number | null
}

const gone = { outcome: 'unknown', why: 'unknown_server' } as const

/**
 * What everyone is told of all that end together, once this one has as well: written with each end, so that a crash leaves
 * no server unmuted of which nobody was told.
 */
export type TellTogether = (mute: Mute) => Pick<Plan, 'audit' | 'cards' | 'dirtyCards'>

type Ended = {
  readonly answer: string
  readonly together: TellTogether | null
  /** What it is after that. */
  readonly step: (mute: Mute, nowMs: number) => Mute
}

/** Who ends it, as it stands in the audit; `userId` null and `monbot` where its time came. */
export type EndedFor = Pick<AuditEntry, 'userId' | 'via' | 'act' | 'channel' | 'partOf'>

/**
 * The row is `ending` on disk, and the caller holds the lock of its name. Answers why the API did not confirm it, and then
 * the row stays as it is until `lapse` has tried again with success; null: it is over.
 */
export type EndMute = (
  mute: Mute,
  base: EndedFor,
  /** Where it ends together with others: what everyone is told of all of them is the caller's. */
  together?: TellTogether | null,
) => Promise<OutsideFailure | null>

export function openEndMute(ports: EndMutePorts): EndMute {
  const { store, clock, logger, ids, hidden, lastPollMs } = ports
  const telling = openLock()

  async function ended(first: Mute, base: EndedFor, { answer, together, step }: Ended): Promise<null> {
    const saved = await retryWhenStale(triesMax, async (tries) => {
      const mute = tries === 1 ? first : await store.muteById(first.muteId)
      // Somebody else ended it, or asked for it again: there is nothing left to end.
      if (mute === null || mute.state !== 'ending') return null
      const next = step(mute, clock.nowMs())
      const came = await telling.hold(togetherName(mute), () =>
        telling.hold(hiddenName, () => commitEnd(mute, next, base, { answer, together })),
      )
      if (came === 'stale') return 'stale'
      logger.info('mute:ended', { hostname: next.hostname, by: next.endedBy, tries: next.attempts + 1 })
      // A poll may have hidden one more alert just before this was written, and of two mutes of one server that end at
      // the same time each may have left its alerts to the other. From here on neither can happen any more.
      await hidden.sweep(mute.hostname)
      return null
    })
    if (saved === 'stale')
      throw new Error(`${triesMax} plans in a row to end the mute ${first.muteId} were stale`)
    return null
  }

  async function commitEnd(
    mute: Mute,
    next: Mute,
    base: EndedFor,
    { answer, together }: Omit<Ended, 'step'>,
  ) {
    const nowMs = clock.nowMs()
    const { mutes } = await store.mutes(mute.hostname)
    const others = mutes.filter(({ muteId }) => muteId !== mute.muteId)
    const row = next.endedBy === 'gone' ? gone : ({ outcome: 'done', why: null } as const)
    const entry = entryOf(mute, base, { atMs: nowMs, ...row }, answer)
    const many = base.userId === null && together === null ? await toldTogether(next, entry, store) : null
    // Where its time is over and it ends alone, its own message lists what only happened; no other message does.
    const isListed = base.userId === null && together === null && many === null
    const told = await hidden.plan({
      hostname: mute.hostname,
      mutes: others,
      // The mute's own id: two that end in one millisecond have a summary each.
      summaryId: mute.muteId,
      ...(isListed ? {} : { oneoffsSinceMs: mute.startedMs }),
    })
    const plan = {
      ...emptyPlan(nowMs),
      ...told,
      mutes: [{ mute: next, was: mute.version }],
      dirtyServers: [mute.hostname],
      audit: [entry],
    }
    if (together !== null) {
      const all = together(next)
      const cards = [...told.cards, ...all.cards]
      return store.commit({ ...plan, ...all, cards, audit: [entry, ...all.audit] })
    }
    const place = await placeOf(mute, store)
    const [card = base.userId === null ? muteEndedCard({ ...next, ...place }) : toldCard(entry, place)] =
      many?.cards ?? []
    const text = unmuteMarker(many === null ? next : { ...next, hostname: 'the servers of one list' })
    return store.commit({
      ...plan,
      cards: [card, ...told.cards],
      dirtyCards: many?.dirtyCards ?? [],
      // No chart tells that a mute began which the API never confirmed.
      markers:
        many?.isFirst === false || next.endedBy === 'interrupted'
          ? []
          : [{ markerId: ids.make(), text, cardId: card.cardId }],
      audit: many?.audit ?? [entry],
    })
  }

  async function failed(mute: Mute, base: EndedFor, failure: OutsideFailure): Promise<OutsideFailure> {
    const nowMs = clock.nowMs()
    const isMissing = failure.kind === 'missing' && mute.hostname !== null
    // Only minutes later does the same answer say more.
    const waitMs = isMissing ? retryEndMaxMs : Math.max(backoffMs(mute.attempts), failure.retryAfterMs ?? 0)
    const next = retryEnding(mute, {
      notBeforeMs: nowMs + Math.min(waitMs, retryEndMaxMs),
      goneMs: isMissing ? (mute.goneMs ?? nowMs) : failure.kind === 'rejected' ? null : mute.goneMs,
    })
    const outcome = mayHaveBeenDone(failure) ? 'unknown' : 'failed'
    const entry = entryOf(mute, base, { atMs: nowMs, outcome, why: failure.kind }, failure.message)
    // From this attempt on it hides nothing, and everyone is told once that the API does not let it end.
    const isStuck = next.attempts === hidesForAttempts
    const stuck: AuditEntry = {
      ...entry,
      auditId: ids.make(),
      userId: null,
      via: 'monbot',
      act: 'end_mute',
      channel: mute.channel,
    }
    await telling.hold(togetherName(mute), async () => {
      const many = isStuck ? await toldTogether(mute, stuck, store) : null
      const alone = isStuck && many === null ? [toldCard(stuck, await placeOf(mute, store))] : []
      return store.commit({
        ...emptyPlan(nowMs),
        mutes: [{ mute: next, was: mute.version }],
        // The audit tells of the first failure, and of the one that everyone is told of; the log of each.
        audit: many?.audit ?? (isStuck ? [stuck] : mute.attempts === 0 ? [entry] : []),
        cards: many?.cards ?? alone,
        dirtyCards: many?.dirtyCards ?? [],
        dirtyServers: isStuck ? [mute.hostname] : [],
      })
    })
    logger.warn('mute:not_ended', { hostname: mute.hostname, why: failure.message, tries: next.attempts })
    if (isStuck) await hidden.sweep(mute.hostname)
    return failure
  }

  function entryOf(
    mute: Mute,
    base: EndedFor,
    came: Pick<AuditEntry, 'atMs' | 'outcome' | 'why'>,
    answer: string,
  ): AuditEntry {
    const { muteId, mode, untilMs, reason, hostname } = mute
    const terms = { mode, ...(untilMs === null ? {} : { untilMs }), reason }
    // An undo that has terms to tell of put older ones back; this one ended the mute.
    const detail = { muteId, ...(base.act === 'undo_mute' ? {} : terms), answer }
    return { ...base, ...came, auditId: ids.make(), hostname, alertId: null, detail }
  }

  return async (mute, base, together = null) => {
    const { hostname, muteId } = mute
    const came = await attempt(() =>
      switchNotifications(ports, { hostname, on: true, muteId, isOnDisk: true }),
    )
    if (came.ok) return ended(mute, base, { answer: came.value, together, step: endedMute })
    const { failure } = came
    if (failure.kind !== 'missing' || !isGone(mute, lastPollMs(), clock.nowMs())) {
      return failed(mute, base, failure)
    }
    // Should it turn up again soon, its notifications are switched on all the same.
    await store.noteStray(strayOf({ hostname, on: false, muteId }, clock.nowMs()))
    return ended(mute, base, { answer: failure.message, together, step: goneMute })
  }
}

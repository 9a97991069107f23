/**
 * What monbot does about mutes by itself: ends those whose time has come, and asks their owners before. Everything it goes by is on
 * disk, so that a crash, an API that was away or a clock that jumped delays it and no more. `switches` tells the API.
 */
import { dayMs } from '../../domain/base/duration.ts'
import { isWithin, remainingMs } from '../../domain/base/set-clock.ts'
import { expiringCard } from '../../domain/card/thread-cards.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import { type Due, dueOf, type Wellness } from '../../domain/mute/due.ts'
import { hides, type Mute, subjectsUnder, withExpiryNotice } from '../../domain/mute/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { ownEntry } from './answer-notices.ts'
import { planEnds } from './ends.ts'
import { announceInGroup, placeOf } from './places.ts'
import type { Hidden } from './reveal.ts'
import { firstPollMaxMs } from './switches.ts'

/** Checks at least this often: the clock may jump, and no event says that the API was read. */
const lookEveryMs = 30_000
const forgetEveryMs = 60 * 60_000
/** Slack repeats an envelope within minutes, and people repeat a request within hours. */
const requestsKeptMs = dayMs

export type Expiry = Job & {
  /** Call it when a mute or an alert may have changed. */
  wake(): void
}

export type ExpiryPorts = {
  readonly store: Pick<
    Store,
    | 'auditById'
    | 'cardById'
    | 'channelsTold'
    | 'commit'
    | 'countAlerts'
    | 'forgetRequests'
    | 'lastClosedMs'
    | 'lostAlerts'
    | 'mutes'
    | 'openAlerts'
    | 'switchesOf'
  >
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly hidden: Hidden
  /** When the open alerts were last read; null before the first time. */
  readonly lastPollMs: () => number | null
  /** The same for a poll that could read all of them: only then does no alert mean that a server is well. */
  readonly lastOpenCompleteMs: () => number | null
  /** Called when something was written that others show or do. */
  readonly onChanged: () => void
}

export function openExpiry(ports: ExpiryPorts, { images }: { readonly images: Images }): Expiry {
  const { store, clock, logger, hidden, lastPollMs, onChanged } = ports
  const expire = openExpire(ports, images)
  let startedMs: number | null = null
  let forgotMs = Number.NEGATIVE_INFINITY
  let sweptEpoch: number | null = null

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    startedMs ??= nowMs
    const isUnread = lastPollMs() === null
    const restMs = isUnread ? remainingMs(startedMs + firstPollMaxMs, nowMs, firstPollMaxMs) : 0
    const nextMs = restMs > 0 ? nowMs + restMs : await decide(nowMs, isUnread)
    if (!isUnread) await contain({ kind: 'mute', logger }, sweep, () => undefined)
    await contain(
      { kind: 'retention', logger },
      () => forget(nowMs),
      () => undefined,
    )
    // Read the clock again: if it was set meanwhile, the next check is not far off either way.
    return Math.min(nextMs - clock.nowMs(), lookEveryMs)
  }

  /** Answers when the next thing is due. */
  async function decide(nowMs: number, isUnread: boolean): Promise<number> {
    let nextMs = nowMs + lookEveryMs
    const ending = new Map<'deadline' | 'healthy', Mute[]>()
    for (const mute of (await store.mutes()).mutes) {
      const due = await one<Due>(mute, async () => dueOf(mute, await wellnessOf(mute, ports), nowMs))
      if (due === null) continue
      if (due.do === 'wait') nextMs = Math.min(nextMs, due.untilMs ?? nextMs)
      else if (due.do === 'end') ending.set(due.by, [...(ending.get(due.by) ?? []), mute])
      // The alerts that it would list as open may have closed long ago.
      else if (!isUnread) await one(mute, () => expire.tellBefore(mute))
    }
    for (const [by, mutes] of ending) await end(mutes, by)
    return nextMs
  }

  /** In one plan; one at which monbot breaks keeps no other from its end. */
  async function end(mutes: readonly Mute[], by: 'deadline' | 'healthy'): Promise<void> {
    const [first] = mutes
    if (first === undefined) return
    const isDone = await one(mutes.length === 1 ? first : null, () => expire.end(mutes, by))
    if (isDone === null && mutes.length > 1)
      for (const mute of mutes) await one(mute, () => expire.end([mute], by))
  }

  /** Null if it broke: the next look tries it again, and the others go on. */
  function one<T>(mute: Mute | null, work: () => Promise<T>): Promise<T | null> {
    const facts = mute === null ? {} : { muteId: mute.muteId, hostname: mute.subject }
    return contain({ kind: 'mute', logger, facts }, work, () => null)
  }

  /** After the start and after every change of a mute: finds alerts that a crash, or two changes at once, left without a card. */
  async function sweep(): Promise<void> {
    const { muteEpoch } = await store.mutes()
    if (muteEpoch === sweptEpoch) return
    if (await hidden.sweep(null)) onChanged()
    sweptEpoch = muteEpoch
  }

  async function forget(nowMs: number): Promise<void> {
    if (isWithin(forgotMs, nowMs, forgetEveryMs)) return
    forgotMs = nowMs
    await store.forgetRequests(nowMs - requestsKeptMs)
  }

  return openWatch('mute', { clock, logger }, round)
}

function openExpire(ports: ExpiryPorts, images: Images) {
  const { store, clock, logger, ids, hidden, onChanged } = ports

  /** A plan that is stale is decided anew by the next round: somebody changed one of them meanwhile. */
  async function end(mutes: readonly Mute[], by: 'deadline' | 'healthy'): Promise<void> {
    const nowMs = clock.nowMs()
    const plan = await planEnds(ports, mutes, { by, userId: null, nowMs, auditId: null, places: [] })
    if ((await store.commit(plan)) === 'stale') return onChanged()
    for (const { subject } of mutes) logger.info('mute:ending', { hostname: subject, by })
    // A poll may have hidden one more alert just before this was written, and of two mutes of one server that end at
    // the same time each may have left its alerts to the other. From here on neither can happen any more.
    await hidden.sweep(subjectsUnder(mutes))
    onChanged()
  }

  /** Its owner is asked whether it should be longer: in a card of its own, or in the message of the group that it was made with. */
  async function tellBefore(mute: Mute): Promise<void> {
    const nowMs = clock.nowMs()
    const next = withExpiryNotice(mute, nowMs)
    const { untilMs } = mute
    const entry = {
      ...ownEntry(ids, mute, { atMs: nowMs, outcome: 'done', why: null }),
      act: 'mute_expiring',
    } as const
    const plan = { ...emptyPlan(nowMs), mutes: [{ mute: next, was: mute.version }] }
    const group = await announceInGroup(mute, entry, store)
    const saved = await store.commit(group === null ? await alone(plan, next, entry) : { ...plan, ...group })
    if (saved === 'stale') return
    logger.info('mute:handed_back', { hostname: mute.subject, untilMs })
    onChanged()
  }

  async function alone(plan: ReturnType<typeof emptyPlan>, next: Mute, entry: ReturnType<typeof ownEntry>) {
    const open = await store.openAlerts(subjectsUnder([next]))
    const worst = open.find((alert) => hides(next, alert))
    const card = expiringCard({ ...next, ...(await placeOf(next, store)) })
    const isDrawn = worst !== undefined && images !== 'off'
    const pictures = isDrawn ? [{ cardId: card.cardId, alertId: worst.alertId, way: 'chart' as const }] : []
    return { ...plan, cards: [card], pictures, audit: [entry] }
  }

  return { end, tellBefore }
}

async function wellnessOf(mute: Mute, ports: ExpiryPorts): Promise<Wellness> {
  const { store, clock } = ports
  const lookedMs = ports.lastOpenCompleteMs()
  if (mute.mode !== 'healthy' || mute.state !== 'active') return { wellSinceMs: null, lookedMs }
  const { subject } = mute
  const under = subjectsUnder([mute])
  // While an alert is lost, nobody knows whether the server is well.
  for (const alerts of [await store.openAlerts(under), await store.lostAlerts(under)]) {
    if (alerts.some((alert) => hides(mute, alert))) return { wellSinceMs: null, lookedMs }
  }
  const closedMs = await store.lastClosedMs(subject)
  // A time in the future comes from a clock that was set back since, and says nothing.
  const timesMs = [mute.termsMs, closedMs ?? 0].filter((ms) => ms <= clock.nowMs())
  return { wellSinceMs: Math.max(0, ...timesMs), lookedMs }
}

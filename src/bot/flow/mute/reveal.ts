/**
 * Tells what is open and stands nowhere that people read: what a mute hid, or a silence elsewhere, once it is over, and what was
 * told in a channel that is gone. Not before the first poll after the start, as what was open before it may have closed long ago.
 */

import { type Alert, isLive, mayBeOpen } from '../../domain/alert/alert.ts'
import { type IgnoreRule, isIgnored } from '../../domain/alert/match.ts'
import { announce, routeNews } from '../../domain/card/announce.ts'
import { isToBeMoved, type LiveRouting, routingNow } from '../../domain/card/reach.ts'
import { type Images, picturesFor } from '../../domain/delivery/picture.ts'
import { isHidden } from '../../domain/mute/hiding.ts'
import { type Mute, mutesHiding, subjectsUnder } from '../../domain/mute/mute.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { stepByStep } from '../concurrency/in-turns.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Each try reads the mutes again. Should all be stale, the change that made the last one so is followed by a sweep of its own. */
const triesMax = 5

/** `ignore`: a policy may have begun to leave out what the last poll still showed. */
type HiddenOptions = LiveRouting & { readonly images: Images; readonly ignore: readonly IgnoreRule[] }

/** Servers and troubles; null: all of them. */
type Subjects = readonly string[] | null

export type Hidden = {
  /**
   * Cards for the open alerts of these subjects that have none where people read, and that none of these mutes silences. Many make a
   * summary, with this id, which also takes the cards that wait in the channel; or they join a summary of a moment ago.
   */
  plan(of: {
    readonly subjects: Subjects
    readonly mutes: readonly Mute[]
    readonly summaryId: string
    /** Those that this plan ends; what the service made for them ends with them. */
    readonly ended?: readonly Mute[]
    /** One-offs that happened under these mutes get a card as well, as no other message lists them. */
    readonly oneoffsUnder?: readonly Mute[]
  }): Promise<Cards>
  /** Writes such cards for these subjects, and answers whether there were any; usually there are none. */
  sweep(subjects: Subjects): Promise<boolean>
  /**
   * Writes cards for what was told before the policy became another, where it belongs now (see `isToBeMoved`). `alertIds`: all that it
   * is about; null: whatever may be open. `left`: those for which it is too early, as they are hidden, ignored or not listed at the moment.
   */
  move(alertIds: readonly string[] | null): Promise<Moved>
}

type Cards = Pick<Plan, 'cards' | 'joins' | 'withdrawn' | 'pictures'>

/** Stale: nothing was written, and it is to be tried again. */
type Moved = 'stale' | { readonly isTold: boolean; readonly left: readonly string[] }

export function openHidden(
  ports: {
    readonly store: Pick<
      Store,
      'carded' | 'commit' | 'lostAlerts' | 'mutes' | 'openAlerts' | 'queues' | 'recallByIds' | 'untoldOneoffs'
    >
    readonly clock: Clock
    readonly logger: Logger
    /** When the open alerts were last read; null until the first poll after the start. */
    readonly lastPollMs: () => number | null
  },
  options: HiddenOptions,
): Hidden {
  const { store, clock, logger, lastPollMs } = ports
  const oneAtATime = openLock()

  const plan: Hidden['plan'] = async (of) => {
    const { subjects, oneoffsUnder = [] } = of
    if (lastPollMs() === null) return { cards: [], joins: [], withdrawn: [], pictures: [] }
    const alerts = [...(await store.openAlerts(subjects)), ...(await oneoffs(oneoffsUnder))]
    return (await planFor(alerts, of, false)).planned
  }

  async function planFor(
    alerts: readonly Alert[],
    { mutes, summaryId, ended = [] }: Omit<Parameters<Hidden['plan']>[0], 'subjects'>,
    isRerouted: boolean,
  ): Promise<{ readonly planned: Cards; readonly left: readonly string[] }> {
    const carded = await store.carded(alerts.map(({ alertId }) => alertId))
    const routing = routingNow(options)
    const isShown = (alert: Alert) =>
      isLive(alert) && !isHidden(alert, mutes, ended) && !isIgnored(alert, options.ignore)
    const untold = alerts.filter((alert) => {
      const channels = carded.get(alert.alertId)
      return channels === undefined || isToBeMoved(alert, channels, routing, isRerouted)
    })
    const notYetAnnounced = untold.filter(isShown)
    // What has no card at all gets its first one where it belongs.
    const left = untold.flatMap((one) => (isShown(one) || !carded.has(one.alertId) ? [] : one.alertId))
    const news = await stepByStep(clock, routeNews(notYetAnnounced, routing))
    const queues = await store.queues([...news.byChannel.keys()])
    const nowMs = clock.nowMs()
    const steps = announce([], news, { nowMs, catchingUp: true, summaryId, carded, episodes: [], queues })
    const { cards, joins, withdrawn } = await stepByStep(clock, steps)
    const alertOf = new Map(notYetAnnounced.map((alert) => [alert.alertId, alert]))
    const shown = cards.flatMap(({ kind, cardId, alertIds: [alertId = ''] }) => {
      const alert = kind === 'alert' ? alertOf.get(alertId) : undefined
      return alert === undefined ? [] : [{ cardId, alert }]
    })
    return { planned: { cards, joins, withdrawn, pictures: picturesFor(shown, options.images) }, left }
  }

  async function oneoffs(mutes: readonly Mute[]): Promise<readonly Alert[]> {
    if (mutes.length === 0) return []
    const sinceMs = Math.min(...mutes.map(({ startedMs }) => startedMs))
    const found = await store.untoldOneoffs({ subjects: subjectsUnder(mutes), sinceMs, untilMs: null })
    // As they were before they ended.
    const before = mutes.map((mute): Mute => ({ ...mute, state: 'active' }))
    return found.filter((alert) => {
      return mutesHiding(alert, before).some(({ startedMs }) => alert.firstSeenMs >= startedMs)
    })
  }

  async function sweepOnce(subjects: Subjects): Promise<'saved' | 'stale' | 'nothing'> {
    // All of them: what one mute hid, another of its server, of the alert or of the account may hide as well.
    const { mutes, muteEpoch } = await store.mutes()
    return write(await plan({ subjects, mutes, summaryId: `late-${clock.nowMs()}` }), muteEpoch)
  }

  async function moveOnce(alertIds: readonly string[] | null): Promise<Moved> {
    const { mutes, muteEpoch } = await store.mutes()
    const alerts =
      alertIds === null
        ? [...(await store.lostAlerts(null)), ...(await store.openAlerts(null))]
        : (await store.recallByIds(alertIds)).filter(mayBeOpen)
    const of = { mutes, summaryId: `late-${clock.nowMs()}` }
    const { planned, left } = await planFor(alerts, of, true)
    const result = await write(planned, muteEpoch)
    return result === 'stale' ? result : { isTold: result === 'saved', left: left.toSorted() }
  }

  async function write(planned: Cards, muteEpoch: number): Promise<'saved' | 'stale' | 'nothing'> {
    if (planned.cards.length + planned.joins.length === 0) return 'nothing'
    const result = await store.commit({ ...emptyPlan(clock.nowMs()), ...planned, muteEpoch })
    logger.info('hidden:told', { cards: planned.cards.length, result })
    return result
  }

  return {
    plan,
    // Stale: another mute changed meanwhile, or a card that was to be withdrawn is being sent.
    sweep: (subjects) =>
      oneAtATime.hold('sweep', async () => {
        return (await retryWhenStale(triesMax, () => sweepOnce(subjects))) === 'saved'
      }),
    move: (alertIds) => oneAtATime.hold('sweep', () => retryWhenStale(triesMax, () => moveOnce(alertIds))),
  }
}

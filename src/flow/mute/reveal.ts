/**
 * Reveals what a mute hid: once it is over, every alert that is still open gets its card. Not before the first poll after the
 * start, as what was open before it may have closed long ago.
 */

import type { Alert } from '../../domain/alert/alert.ts'
import type { Route } from '../../domain/alert/match.ts'
import { announce, routeNews } from '../../domain/card/announce.ts'
import { type Images, picturesFor } from '../../domain/delivery/picture.ts'
import { isHidden, type Mute } from '../../domain/mute/mute.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { stepByStep } from '../concurrency/in-turns.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Each try reads the mutes again. Should all be stale, the change that made the last one so is followed by a sweep of its own. */
const triesMax = 5

type HiddenOptions = {
  readonly images: Images
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
}

/** Null: all of them. */
type Hostnames = readonly string[] | null

export type Hidden = {
  /**
   * Cards for the open alerts of these servers that have none and that none of these mutes silences. Many alerts make a
   * summary, with this id, which also takes the cards that wait in the channel; or they join a summary of a moment ago.
   */
  plan(of: {
    readonly hostnames: Hostnames
    readonly mutes: readonly Mute[]
    readonly summaryId: string
    /** One-offs that happened under these mutes get a card as well, as no other message lists them. */
    readonly oneoffsUnder?: readonly Mute[]
  }): Promise<Pick<Plan, 'cards' | 'joins' | 'withdrawn' | 'pictures'>>
  /** Writes such cards for these servers, and answers whether there were any; usually there are none. */
  sweep(hostnames: Hostnames): Promise<boolean>
}

/** The servers that these mutes keep quiet. */
export function serversUnder(mutes: readonly Mute[]): Hostnames {
  const hostnames = mutes.flatMap(({ hostname }) => hostname ?? [])
  return hostnames.length < mutes.length ? null : hostnames
}

export function openHidden(
  ports: {
    readonly store: Pick<
      Store,
      'carded' | 'cardsOf' | 'commit' | 'listsOf' | 'mutes' | 'openAlerts' | 'queues' | 'untoldOneoffs'
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

  const plan: Hidden['plan'] = async ({ hostnames, mutes, summaryId, oneoffsUnder = [] }) => {
    if (lastPollMs() === null) return { cards: [], joins: [], withdrawn: [], pictures: [] }
    const alerts = [...(await store.openAlerts(hostnames)), ...(await oneoffs(oneoffsUnder))]
    const carded = await store.carded(alerts.map(({ alertId }) => alertId))
    // What became critical meanwhile may stand on a card in another channel than where it belongs now.
    const untold = alerts.filter(
      ({ alertId, hostname, severity }) =>
        (!carded.has(alertId) || severity === 'critical') && !isHidden(hostname, mutes),
    )
    const told = untold.flatMap(({ alertId }) => (carded.has(alertId) ? [alertId] : []))
    const standing = told.length === 0 ? [] : [...(await store.cardsOf(told)), ...(await store.listsOf(told))]
    const news = await stepByStep(clock, routeNews(untold, { ...options, standing }))
    const queues = await store.queues([...news.byChannel.keys()])
    const nowMs = clock.nowMs()
    const steps = announce([], news, { nowMs, catchingUp: true, summaryId, carded, episodes: [], queues })
    const { cards, joins, withdrawn } = await stepByStep(clock, steps)
    const alertOf = new Map(untold.map((alert) => [alert.alertId, alert]))
    const shown = cards.flatMap(({ kind, cardId, alertIds: [alertId = ''] }) => {
      const alert = kind === 'alert' ? alertOf.get(alertId) : undefined
      return alert === undefined ? [] : [{ cardId, alert }]
    })
    return { cards, joins, withdrawn, pictures: picturesFor(shown, options.images) }
  }

  async function oneoffs(mutes: readonly Mute[]): Promise<readonly Alert[]> {
    if (mutes.length === 0) return []
    const startOf = new Map(mutes.map(({ hostname, startedMs }) => [hostname, startedMs]))
    const sinceMs = Math.min(...startOf.values())
    const found = await store.untoldOneoffs({ hostnames: serversUnder(mutes), sinceMs, untilMs: null })
    return found.filter(({ hostname, firstSeenMs }) => {
      return firstSeenMs >= (startOf.get(hostname) ?? startOf.get(null) ?? sinceMs)
    })
  }

  async function sweepOnce(hostnames: Hostnames): Promise<'saved' | 'stale' | 'nothing'> {
    const { mutes, muteEpoch } = await store.mutes(hostnames)
    const nowMs = clock.nowMs()
    const planned = await plan({ hostnames, mutes, summaryId: `late-${nowMs}` })
    if (planned.cards.length + planned.joins.length === 0) return 'nothing'
    const result = await store.commit({ ...emptyPlan(nowMs), ...planned, muteEpoch })
    logger.info('hidden:told', { cards: planned.cards.length, result })
    return result
  }

  return {
    plan,
    // Stale: another mute changed meanwhile, or a card that was to be withdrawn is being sent.
    sweep: (hostnames) =>
      oneAtATime.hold('sweep', async () => {
        return (await retryWhenStale(triesMax, () => sweepOnce(hostnames))) === 'saved'
      }),
  }
}

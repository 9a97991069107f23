/**
 * Tells of what a mute hid: once it is over, every alert that is still open gets its card. Nothing is told before the API
 * was read once since the start: what was open before that may have closed long ago.
 */

import type { Route } from '../../domain/alert/route.ts'
import { announce, newsIn, routeNews } from '../../domain/card/announce.ts'
import { type Images, picturesFor } from '../../domain/delivery/picture.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { stepByStep } from '../concurrency/in-turns.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Each try is made on the mutes as they are then; people who change that many at once are swept after as well. */
const triesMax = 5

export type HiddenOptions = {
  readonly images: Images
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
}

export type Hidden = {
  /**
   * Cards for the open alerts of a server (null: of all) that stand on none, and that none of these mutes silences.
   * `summaryId` tells their summary from others, where they are many; it then takes the cards that wait in the channel. They
   * join a summary that is there since a moment ago.
   */
  plan(of: {
    readonly hostname: string | null
    readonly mutes: readonly Mute[]
    readonly summaryId: string
    /** What only happened since then gets a card as well, where nothing else tells of it. */
    readonly oneoffsSinceMs?: number
  }): Promise<Pick<Plan, 'cards' | 'joins' | 'withdrawn' | 'pictures'>>
  /** Makes those cards for this server (null: for all), and answers whether there were any; as a rule there are none. */
  sweep(hostname: string | null): Promise<boolean>
}

export function openHidden(
  ports: {
    readonly store: Store
    readonly clock: Clock
    readonly logger: Logger
    /** When what is open was last read since the start; null before. */
    readonly lastPollMs: () => number | null
  },
  options: HiddenOptions,
): Hidden {
  const { store, clock, logger, lastPollMs } = ports
  const oneAtATime = openLock()

  const plan: Hidden['plan'] = async ({ hostname, mutes, summaryId, oneoffsSinceMs: sinceMs }) => {
    if (lastPollMs() === null) return { cards: [], joins: [], withdrawn: [], pictures: [] }
    const hostnames = hostname === null ? null : [hostname]
    const happened =
      sinceMs === undefined ? [] : await store.untoldOneoffs({ hostnames, sinceMs, untilMs: null })
    const open = [...(await store.openAlerts(hostnames)), ...happened]
    const carded = await store.carded(open.map(({ alertId }) => alertId))
    const changes = open.map((alert) => ({ kind: 'opened', alert, was: null }) as const)
    const fresh = newsIn(changes, { carded, mutes })
    const news = await stepByStep(clock, routeNews(fresh, options))
    const steps = announce(changes, news, {
      nowMs: clock.nowMs(),
      catchingUp: true,
      summaryId,
      carded,
      episodes: [],
      queues: await store.queues([...news.byChannel.keys()]),
    })
    const { cards, joins, withdrawn } = await stepByStep(clock, steps)
    const alerts = new Map(open.map((alert) => [alert.alertId, alert]))
    const shown = cards.flatMap(({ kind, cardId, alertIds: [alertId = ''] }) => {
      const alert = kind === 'alert' ? alerts.get(alertId) : undefined
      return alert === undefined ? [] : [{ cardId, alert }]
    })
    return { cards, joins, withdrawn, pictures: picturesFor(shown, options.images) }
  }

  async function sweep(hostname: string | null): Promise<boolean> {
    // Stale: another mute changed meanwhile, or a card that was to be withdrawn is being sent.
    return (await retryWhenStale(triesMax, () => sweepOnce(hostname))) === 'saved'
  }

  async function sweepOnce(hostname: string | null): Promise<'saved' | 'stale' | 'nothing'> {
    const { mutes, muteEpoch } = await store.mutes(hostname)
    const nowMs = clock.nowMs()
    const planned = await plan({ hostname, mutes, summaryId: `late-${nowMs}` })
    if (planned.cards.length + planned.joins.length === 0) return 'nothing'
    const result = await store.commit({ ...emptyPlan(nowMs), ...planned, muteEpoch })
    logger.info('hidden:told', { cards: planned.cards.length, result })
    return result
  }

  return { plan, sweep: (hostname) => oneAtATime.hold('sweep', () => sweep(hostname)) }
}

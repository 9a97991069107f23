/**
 * Reacts to channels that were archived, removed the bot, or left the policy. Open alerts without a card that people read are
 * announced where the current routes say, and so are mutes and waiting messages. Nothing is kept about a channel that no setting
 * names. All of this is desired state: after a crash the next round does the rest.
 */
import { route } from '../../domain/alert/match.ts'
import { isRead, type LiveRouting, type Routing, routingNow, routingText } from '../../domain/card/reach.ts'
import { hostnameOf, type Mute } from '../../domain/mute/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import type { Hidden } from '../mute/reveal.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Where alerts went by the settings of the last start, as one text. */
const routingName = 'routing'
/** Alerts that were hidden when the routes changed, and are yet to be told where they belong now: their ids, as JSON. */
const leftName = ':left'
const lookEveryMs = 30_000

export function openMovedChannels(
  ports: {
    readonly store: Pick<
      Store,
      'cardChannels' | 'channelsWithOpen' | 'commit' | 'findAlerts' | 'letGo' | 'mutes' | 'state'
    >
    readonly hidden: Pick<Hidden, 'move' | 'sweep'>
    readonly clock: Clock
    readonly logger: Logger
    /** When the open alerts were last read; null before the first time: what seems to be open may be over. */
    readonly lastPollMs: () => number | null
    readonly onChanged: () => void
  },
  /** Every channel that the settings name, for whatever. */
  options: LiveRouting & { readonly channels: readonly string[] },
): Watch {
  const { store, hidden, clock, logger, lastPollMs, onChanged } = ports

  async function round(): Promise<number> {
    if (lastPollMs() === null) return lookEveryMs
    const now = routingNow(options)
    const text = routingText(now)
    const known = await store.state(routingName)
    const before = known.get('') ?? null
    // Of a memory that knows no routes yet, nobody can say whether they are others.
    const isRerouted = before !== null && before !== text
    const isMoved = async () => (await store.channelsWithOpen(null)).some((channel) => !isRead(channel, now))
    const leftBefore = known.get(leftName) ?? null
    const moved =
      isRerouted || leftBefore !== null ? await hidden.move(isRerouted ? null : idsIn(leftBefore)) : null
    const isSwept = (await isMoved()) && (await hidden.sweep(null))
    if (moved !== 'stale') {
      const leftNow = moved === null || moved.left.length === 0 ? null : JSON.stringify(moved.left)
      const state = [
        { name: routingName, value: text },
        { name: `${routingName}${leftName}`, value: leftNow },
      ]
      if (before !== text || leftNow !== leftBefore)
        await store.commit({ ...emptyPlan(clock.nowMs()), state })
    }
    const isTold = isSwept || (moved !== null && moved !== 'stale' && moved.isTold)
    const isHomed = await rehome(now)
    const isLeft = await letGo(now)
    if (isTold || isHomed || isLeft) onChanged()
    return lookEveryMs
  }

  /** Moves mutes whose channel people no longer read to the one in which their server's alerts are announced now. */
  async function rehome(now: Routing): Promise<boolean> {
    const { mutes } = await store.mutes()
    let isAny = false
    for (const mute of mutes.filter(({ channel }) => !isRead(channel, now))) {
      const { subject, channel } = mute
      const home = await homeOf(hostnameOf(mute), now)
      // Stale: somebody changes it at this moment, and the next round reads what came of it.
      if (home === null || (await store.commit(homed(mute, home))) === 'stale') continue
      isAny = true
      logger.info('mute:moved', { hostname: subject, from: channel, to: home })
    }
    return isAny
  }

  function homed(mute: Mute, channel: string) {
    const next = { ...mute, channel, cardId: null, version: mute.version + 1 }
    return { ...emptyPlan(clock.nowMs()), mutes: [{ mute: next, was: mute.version }] }
  }

  async function homeOf(hostname: string | null, now: Routing): Promise<string | null> {
    const { routes, defaultChannel, gone } = now
    const of = { hostname, offset: 0, limit: 1 }
    const known = async (state: 'open' | 'closed') =>
      hostname === null ? undefined : (await store.findAlerts({ state, ...of })).alerts[0]
    const alert = (await known('open')) ?? (await known('closed'))
    const to = alert === undefined ? null : route(alert, routes, defaultChannel, gone)
    return to !== null && isRead(to.channel, now) ? to.channel : fallbackOf(now)
  }

  async function letGo(now: Routing): Promise<boolean> {
    const { gone } = now
    let isAny = false
    if (gone.size === 0) return false
    const read = options.channels.filter((channel) => isRead(channel, now))
    for (const channel of (await store.cardChannels()).filter((one) => gone.has(one))) {
      const isWanted = options.channels.includes(channel)
      const rows = await store.letGo(channel, { isWanted, read, fallback: fallbackOf(now) })
      if (rows === 0) continue
      isAny = true
      logger.info('channel:let_go', { channel, cards: rows })
    }
    return isAny
  }

  return openWatch('delivery', ports, round)
}

/** Of the text that `round` keeps. */
function idsIn(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[])
}

/** Where all that has no channel of its own goes; null while nothing can be posted there. */
function fallbackOf(now: Routing): string | null {
  const channel = now.defaultChannel ?? now.routes.at(-1)?.channel ?? null
  return channel === null || !isRead(channel, now) ? null : channel
}

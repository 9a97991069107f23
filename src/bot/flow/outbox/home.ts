/** Keeps the Home tab of people who opened it within the last hour up to date. */

import type { Alert } from '../../domain/alert/alert.ts'
import { backoffMs } from '../../domain/base/backoff.ts'
import { brokenAt } from '../../domain/base/failure.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import type { AlertPlace, HomeStorm, HomeView } from '../../domain/request/answer.ts'
import { attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { unansweredMs } from '../concurrency/store-access.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import { within } from '../concurrency/within.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookedAtForMs = 60 * 60_000
/** One person's tab changes no faster than this, */
const onePersonEveryMs = 3_000
/** after failures in a row less and less often, */
const retryMaxMs = 10 * 60_000
/** and all of them together no faster than this: thirty a minute, where Slack takes about a hundred. */
const anyoneEveryMs = 2_000
/** How often it is updated, because the last poll on it becomes outdated. */
const freshenEveryMs = 60_000
/** More than a tab has room for. */
const placesMax = 40
/** So many of what is open are looked up on lists, the worst first: each list has several. */
const lookedThroughMax = 500

export type Homes = Job & {
  /** Somebody opened the tab: it is shown as it is now, or that this is not known for a while, and kept so for an hour. */
  opened(userId: string): Promise<void>
  /** Something changed. */
  wake(): void
}

/** What somebody's tab shows, and since when; `shown` null: the last try failed, or there was none. */
type Tab = { readonly shown: string | null; readonly atMs: number; readonly failures: number }

export function openHomes(ports: {
  readonly store: Pick<
    Store,
    | 'cardsOf'
    | 'countUnshown'
    | 'homes'
    | 'listsOf'
    | 'lostAlerts'
    | 'mutes'
    | 'noteHome'
    | 'openAlerts'
    | 'planned'
  >
  readonly chat: Pick<Chat, 'publishHome'>
  readonly clock: Clock
  readonly logger: Logger
  readonly health: () => HomeView['health']
}): Homes {
  const { store, chat, clock, logger, health } = ports
  const tabs = new Map<string, Tab>()
  let notBeforeMs = 0

  /** Shows the tab that has waited longest, if any is behind; answers how long until there may be something to do. */
  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const heldMs = remainingMs(notBeforeMs, nowMs, lookedAtForMs)
    if (heldMs > 0) return heldMs
    const userIds = await store.homes(nowMs - lookedAtForMs)
    for (const userId of [...tabs.keys()]) if (!userIds.includes(userId)) tabs.delete(userId)
    if (userIds.length === 0) return freshenEveryMs
    const view = await read()
    const text = textOf(view)
    const behind = userIds
      .map((userId) => ({ userId, tab: tabs.get(userId) ?? { shown: null, atMs: 0, failures: 0 } }))
      .filter(({ tab }) => tab.shown !== text)
      .sort((a, b) => dueMs(a.tab) - dueMs(b.tab))
    const [first] = behind
    if (first === undefined) return freshenEveryMs
    const restMs = remainingMs(dueMs(first.tab), nowMs, retryMaxMs)
    if (restMs > 0) return restMs
    await publish(first.userId, view, text)
    return remainingMs(notBeforeMs, clock.nowMs(), lookedAtForMs)
  }

  async function read(): Promise<HomeView> {
    const { mutes } = await store.mutes()
    const unshown = await store.countUnshown()
    const [open, lost] = [await store.openAlerts(null), await store.lostAlerts(null)]
    const places = await placesOf(open.slice(0, placesMax).map(({ alertId }) => alertId))
    const planned = await store.planned()
    const storms = await stormsOf(open)
    return { open, lost, places, storms, mutes, planned, health: { ...health(), unshown } }
  }

  /** The newest first; of those that are open, some are on it. */
  async function stormsOf(open: readonly Alert[]): Promise<readonly HomeStorm[]> {
    const byId = new Map(open.map((alert) => [alert.alertId, alert]))
    const lists = await store.listsOf([...byId.keys()].slice(0, lookedThroughMax))
    return lists.toReversed().flatMap(({ kind, cardId, channel, ts, alertIds }) => {
      const held = alertIds.flatMap((alertId) => byId.get(alertId) ?? [])
      if (ts === null || held.length < 2 || (kind !== 'storm' && kind !== 'summary')) return []
      return [{ kind, cardId, channel, ts, open: held, count: alertIds.length }]
    })
  }

  /** The alert's own card before the list of a storm, the newest of either. */
  async function placesOf(alertIds: readonly string[]): Promise<readonly AlertPlace[]> {
    const cards = [...(await store.listsOf(alertIds)), ...(await store.cardsOf(alertIds))]
    return alertIds.flatMap((alertId) => {
      const card = cards.findLast((one) => one.ts !== null && one.alertIds.includes(alertId))
      const { cardId, channel, ts = null } = card ?? {}
      return cardId === undefined || channel === undefined || ts === null
        ? []
        : [{ alertId, cardId, channel, ts }]
    })
  }

  async function publish(userId: string, view: HomeView, text: string): Promise<void> {
    const came = await contain(
      { kind: 'home', logger, facts: { userId } },
      () => attempt(() => chat.publishHome(userId, view)),
      (errorId) => ({ ok: false as const, failure: brokenAt('a Home tab', errorId) }),
    )
    if (!came.ok) logger.warn('home:not_shown', { userId, why: came.failure.message })
    const retryMs = came.ok ? 0 : Math.min(came.failure.retryAfterMs ?? 0, lookedAtForMs)
    const nowMs = clock.nowMs()
    const failures = came.ok ? 0 : (tabs.get(userId)?.failures ?? 0) + 1
    tabs.set(userId, { shown: came.ok ? text : null, atMs: nowMs, failures })
    notBeforeMs = nowMs + Math.max(anyoneEveryMs, retryMs)
  }

  async function tellAway(userId: string): Promise<void> {
    const came = await attempt(() => chat.publishHome(userId, null))
    if (!came.ok) logger.warn('home:not_shown', { userId, why: came.failure.message })
  }

  const watch = openWatch('home', { clock, logger }, round)
  return {
    opened: async (userId) => {
      const noted = store.noteHome(userId, clock.nowMs())
      if ((await within(clock, unansweredMs, noted)) === 'late') await tellAway(userId)
      await noted
      // Slack may have shown somebody an empty tab: what was published before says nothing about that.
      const before = tabs.get(userId)
      if (before !== undefined) tabs.set(userId, { ...before, shown: null, failures: 0 })
      watch.wake()
    },
    ...watch,
  }
}

/** When it may be shown again. */
function dueMs({ atMs, failures }: Tab): number {
  return atMs + backoffMs(Math.max(0, failures - 1), { firstMs: onePersonEveryMs, maxMs: retryMaxMs })
}

/** All that is seen of it: without the present time, and with the last good poll by the minute, as it is shown. */
function textOf({ open, lost, places, storms, mutes, planned, health }: HomeView): string {
  const { nowMs: _, lastPollMs, ...rest } = health
  const polledMinute = lastPollMs === null ? null : Math.floor(lastPollMs / 60_000)
  const lists = storms?.map(({ cardId, ts, count }) => [cardId, ts, count])
  return JSON.stringify([open, lost, places, lists, mutes, planned, rest, polledMinute])
}

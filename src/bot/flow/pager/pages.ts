/**
 * Decides for which alerts the pager is to call somebody, and when that is over. What it decides is on disk before the pager hears
 * of it, whatever becomes of Slack meanwhile.
 */
import { type IgnoreRule, isIgnored } from '../../domain/alert/match.ts'
import { type LiveRouting, routingNow } from '../../domain/card/reach.ts'
import type { Reminders } from '../../domain/card/reminders.ts'
import { decidePages, keysOf, nextDueMs, type PageChange } from '../../domain/page/decide.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { waitingNow } from '../reminders/waiting.ts'

const lookEveryMs = 15_000
/** Every write may matter here, and in a storm there are hundreds a second. */
const restMs = 1_000

type PagesPorts = {
  readonly store: Pick<
    Store,
    'alertsForReminders' | 'commit' | 'livePages' | 'mutes' | 'mutesSince' | 'pagesByKey' | 'recallByIds'
  >
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  /** When the open alerts were last read; null before the first time: until then they may have closed long ago. */
  readonly lastPollMs: () => number | null
  readonly onChanged: () => void
}

/** `ignore`: a policy may have begun to leave out what the last poll still showed. */
export function openPages(
  ports: PagesPorts,
  policy: Pick<Reminders, 'steps' | 'flapSettleMs'> & {
    readonly routing: LiveRouting
    readonly ignore: readonly IgnoreRule[]
  },
): Watch {
  const { store, clock, logger, ids, lastPollMs, onChanged } = ports
  const { flapSettleMs, ignore } = policy
  const steps = policy.steps.filter(({ page }) => page === true)
  const soonestMs = Math.min(...steps.map(({ afterMs }) => afterMs))
  let lookedMs = Number.NEGATIVE_INFINITY

  async function round(): Promise<number> {
    if (lastPollMs() === null) return lookEveryMs
    const nowMs = clock.nowMs()
    const sinceMs = nowMs - lookedMs
    if (sinceMs >= 0 && sinceMs < restMs) return restMs - sinceMs
    lookedMs = nowMs
    const ringing = await ringingNow()
    // Without a step that pages, those that ring from before still end.
    const found =
      steps.length === 0
        ? []
        : await waitingNow({ store, nowMs, routing: routingNow(policy.routing) }, nowMs - soonestMs)
    // That its card moved to another channel puts off no call.
    const waiting = found
      .filter(({ alert }) => !isIgnored(alert, ignore))
      .map((one) => ({ ...one, sinceMs: one.announcedMs }))
    const rules = { steps, flapSettleMs, nowMs, newId: ids.make }
    const changes = decidePages(
      {
        waiting,
        ringing,
        earlier: new Map((await store.pagesByKey(keysOf(waiting))).map((page) => [page.key, page])),
        mutes: ringing.length > 0 ? (await store.mutes()).mutes : [],
      },
      rules,
    )
    if (changes.length > 0) await write(changes, nowMs)
    const nextMs = nextDueMs(waiting, rules)
    return Math.max(restMs, Math.min(lookEveryMs, (nextMs ?? Number.POSITIVE_INFINITY) - nowMs))
  }

  async function ringingNow() {
    const pages = (await store.livePages()).filter(({ isRinging }) => isRinging)
    const found = await store.recallByIds([...new Set(pages.flatMap(({ alertIds }) => alertIds))])
    const byId = new Map(found.map((alert) => [alert.alertId, alert]))
    return pages.map((page) => ({
      page,
      alerts: page.alertIds.flatMap((alertId) => byId.get(alertId) ?? []),
    }))
  }

  async function write(changes: readonly PageChange[], nowMs: number): Promise<void> {
    const dirty = [...new Set(changes.flatMap(({ page }) => page.alertIds))]
    const saved = await store.commit({ ...emptyPlan(nowMs), pages: changes, dirty })
    // Something was told meanwhile: the next look decides on what is so then.
    if (saved === 'stale') return watch.wake()
    for (const { page } of changes) {
      const { key, isRinging, alertIds, steps: taken } = page
      if (isRinging) logger.info('page:wanted', { key, alerts: alertIds.length, steps: taken })
      else logger.info('page:over', { key, isTold: page.events.length > 0 })
    }
    onChanged()
  }

  const watch = openWatch('page', { clock, logger }, round)
  return watch
}

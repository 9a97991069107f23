/**
 * Finds cards that have waited for minutes, whatever the reason, because a stuck outbox would not report itself; and has what
 * Slack refused for good tried once more.
 */
import type { LateCards } from '../../domain/request/answer.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Longer than a post whose fate is open takes, with the minute for which it is looked for. */
const lateAfterMs = 3 * 60_000
const lookEveryMs = 15_000

export type LateWatch = Job & {
  /** Of each channel that has any, as it was a few seconds ago. */
  now(): readonly LateCards[]
}

export function openLateWatch(ports: {
  readonly store: Pick<Store, 'waitingCards'>
  readonly clock: Clock
  readonly logger: Logger
}): LateWatch {
  const { store, clock } = ports
  let waiting = new Map<
    string,
    { readonly channel: string; readonly shown: number; readonly sinceMs: number }
  >()

  const watch = openWatch('delivery', ports, async () => {
    const nowMs = clock.nowMs()
    const before = waiting
    waiting = new Map(
      (await store.waitingCards()).map(({ cardId, channel, shown }) => {
        const known = before.get(cardId)
        // One that is brought up to date again and again is not late, and of a clock that was set back no age is known.
        const isSame = known?.shown === shown && known.channel === channel && known.sinceMs <= nowMs
        return [cardId, { channel, shown, sinceMs: isSame ? known.sinceMs : nowMs }]
      }),
    )
    return lookEveryMs
  })

  return {
    ...watch,
    now: () => {
      const nowMs = clock.nowMs()
      const late = [...waiting.values()].filter(({ sinceMs }) => nowMs - sinceMs >= lateAfterMs)
      return [...Map.groupBy(late, ({ channel }) => channel)].map(([channel, cards]) => ({
        channel,
        count: cards.length,
        sinceMs: cards.reduce((least, { sinceMs }) => Math.min(least, sinceMs), nowMs),
      }))
    },
  }
}

const reviveEveryMs = 6 * 60 * 60_000

/**
 * Tries refused cards again, at the start and a few times a day: the workspace may have changed. `onChanged` wakes the outbox.
 */
export function openRevive({
  store,
  clock,
  logger,
  onChanged,
}: {
  readonly store: Pick<Store, 'retryDead'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onChanged: () => void
}): Job {
  return openWatch('card', { clock, logger }, async () => {
    const retried = await store.retryDead()
    if (retried > 0) {
      logger.info('cards:retried', { count: retried })
      onChanged()
    }
    return reviveEveryMs
  })
}

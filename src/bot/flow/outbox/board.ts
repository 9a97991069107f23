/**
 * Keeps a board in every channel, updated every minute, so that its last successful poll is true. A board in a channel that is to
 * have none any more is deleted, because it would look current.
 */

import { boardCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { attempt } from '../attempt.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

// What changes in between touches the boards in the very commit that changes it.
const freshenEveryMs = 60_000
/** Where Slack does not let an old board be deleted: a channel that is archived, or that the bot is not in. */
const deleteAgainMs = 60 * 60_000

/** `channels`: where a board is to be; empty where the policy wants none. `onChanged` wakes those who show cards. */
export function openBoards(
  ports: {
    readonly store: Pick<Store, 'boards' | 'commit' | 'forgetCard' | 'settle'>
    readonly chat: Pick<Chat, 'remove'>
    readonly clock: Clock
    readonly logger: Logger
    readonly onChanged: () => void
  },
  options: { readonly channels: readonly string[] },
): Job {
  const { store, chat, clock, logger, onChanged } = ports
  const cards = options.channels.map(boardCard)
  const notBeforeMs = new Map<string, number>()

  /** Answers whether any is left. */
  async function deleteOld(): Promise<boolean> {
    const old = (await store.boards()).filter(({ channel }) => !options.channels.includes(channel))
    for (const { cardId, channel, ts, state } of old) {
      // First it is no longer shown. Calls in progress end within a minute, and until then could post it again.
      if (state === 'shown' || state === 'wanted')
        await store.settle(cardId, { state: 'dead', why: 'unwanted' })
      if (state !== 'dead' || clock.nowMs() < (notBeforeMs.get(cardId) ?? 0)) continue
      const deleted = ts === null ? null : await attempt(() => chat.remove({ channel, ts }))
      if (deleted?.ok === false) {
        logger.warn('board:left', { channel, why: deleted.failure.message })
        notBeforeMs.set(cardId, clock.nowMs() + deleteAgainMs)
        continue
      }
      await store.forgetCard(cardId)
      logger.info('board:deleted', { channel })
    }
    return old.length > 0
  }

  return openWatch('board', { clock, logger }, async () => {
    const isAnyLeft = await deleteOld()
    if (cards.length === 0) return isAnyLeft ? freshenEveryMs : deleteAgainMs
    // A board that is there already is not made again, only marked dirty.
    await store.commit({
      ...emptyPlan(clock.nowMs()),
      cards,
      dirtyCards: cards.map(({ cardId }) => cardId),
    })
    onChanged()
    return freshenEveryMs
  })
}

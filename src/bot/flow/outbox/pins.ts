/**
 * Pins every channel's board, each message once: one that somebody unpinned is not pinned again. Pinning may be forbidden (the
 * scope `pins:write` is optional), so it is tried a few times, logged once, and shown in the status.
 */
import { backoffMs } from '../../domain/base/backoff.ts'
import { isFinal } from '../../domain/base/failure.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Unpinned } from '../../domain/request/answer.ts'
import { attempt } from '../attempt.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookEveryMs = 5 * 60_000
const triesMax = 5
const waitMaxMs = 10 * 60_000

export type Pins = Job & {
  /** A board may have been posted. */
  wake(): void
  /** Boards that could not be pinned since the start. */
  unpinned(): readonly Unpinned[]
}

type Failed = {
  readonly ts: string
  readonly tries: number
  readonly notBeforeMs: number
  readonly unpinned: Unpinned | null
}

/** Which of a board's messages was pinned. After that, people may unpin it. */
const pinOf = 'pin '

/** `channels`: where a board is to be. */
export function openPins(
  ports: {
    readonly store: Pick<Store, 'boards' | 'commit' | 'state'>
    readonly chat: Pick<Chat, 'pin' | 'unpin'>
    readonly clock: Clock
    readonly logger: Logger
  },
  { channels }: { readonly channels: readonly string[] },
): Pins {
  const { store, chat, clock, logger } = ports
  const failures = new Map<string, Failed>()

  async function round(): Promise<number> {
    let waitMs = lookEveryMs
    const pinned = await store.state(pinOf)
    for (const { cardId, channel, ts, state } of await store.boards()) {
      if (ts === null || state !== 'shown' || !channels.includes(channel) || pinned.get(cardId) === ts)
        continue
      const failed = failures.get(cardId)
      const isSame = failed?.ts === ts
      if (isSame && failed.unpinned !== null) continue
      const heldMs = isSame ? failed.notBeforeMs - clock.nowMs() : 0
      if (heldMs > 0) waitMs = Math.min(waitMs, heldMs)
      else waitMs = Math.min(waitMs, await pin({ cardId, channel, ts, before: pinned.get(cardId) ?? null }))
    }
    return waitMs
  }

  /** Answers how long until the next try; in any case no longer than until the next look. */
  async function pin(board: {
    readonly cardId: string
    readonly channel: string
    readonly ts: string
    readonly before: string | null
  }): Promise<number> {
    const { cardId, channel, ts, before } = board
    const came = await attempt(async () => {
      // First the old one: whatever ends this in between, both are done again.
      if (before !== null) await chat.unpin({ channel, ts: before })
      await chat.pin({ channel, ts })
    })
    if (came.ok) {
      const state = [{ name: `${pinOf}${cardId}`, value: ts }]
      await store.commit({ ...emptyPlan(clock.nowMs()), state })
      failures.delete(cardId)
      logger.info('board:pinned', { channel })
      return lookEveryMs
    }
    const { kind, code, message, retryAfterMs } = came.failure
    const last = failures.get(cardId)
    const tries = (last?.ts === ts ? last.tries : 0) + 1
    // After a start, with perhaps another token, it is tried once more.
    const isOver = tries >= triesMax || isFinal(came.failure)
    const waitMs = Math.min(Math.max(retryAfterMs ?? 0, backoffMs(tries)), waitMaxMs)
    const unpinned = isOver ? { channel, why: code ?? kind } : null
    failures.set(cardId, { ts, tries, notBeforeMs: clock.nowMs() + waitMs, unpinned })
    if (isOver) logger.warn('board:not_pinned', { channel, why: message })
    return waitMs
  }

  return {
    unpinned: () => [...failures.values()].flatMap(({ unpinned }) => unpinned ?? []),
    ...openWatch('board', { clock, logger }, round),
  }
}

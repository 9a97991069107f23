/** Keeps a board in every channel: makes it once, and has it shown anew every minute, so that its last good poll is true. */
import { emptyPlan } from '../domain/plan.ts'
import { boardCard } from '../domain/thread-cards.ts'
import type { Clock, Journal } from './ports.ts'
import type { Store } from './store-port.ts'
import { startWatch } from './watch.ts'

// What changes in between touches the boards in the very commit that changes it.
const freshenEveryMs = 60_000

export type Boards = { stop(): Promise<void> }

/** `channels`: where a board is to be; empty where the policy wants none. `onChanged` wakes those who show cards. */
export function startBoards(
  ports: {
    readonly store: Store
    readonly clock: Clock
    readonly journal: Journal
    readonly onChanged: () => void
  },
  options: { readonly channels: readonly string[] },
): Boards {
  const { store, clock, journal, onChanged } = ports
  const cards = options.channels.map(boardCard)
  if (cards.length === 0) return { stop: async () => {} }

  return startWatch('board', { clock, journal }, async () => {
    // A board that is there already is not made again; it is only touched.
    await store.commit({
      ...emptyPlan(clock.nowMs()),
      cards,
      touchedCards: cards.map(({ cardId }) => cardId),
    })
    onChanged()
    return freshenEveryMs
  })
}

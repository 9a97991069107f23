/**
 * Mute, unmute and undo of any number of servers, the account being one more: in slices, each under its locks, with its rows
 * on disk before the API is asked and one commit of what came of it.
 */

import { failsForAll } from '../../domain/base/failure.ts'
import { type Attempt, attempt } from '../attempt.ts'
import { inLanes } from '../concurrency/in-lanes.ts'
import { holdAll, type Lock } from '../concurrency/lock.ts'
import { within } from '../concurrency/within.ts'
import { type SwitchAsk, type SwitchPorts, switchNotifications } from './switch.ts'

/** A commit costs as much as several servers; and whoever wants to change one of a slice waits for the whole of it. */
const sliceSize = 20
const writtenWithinMs = 1_000

/** The name under which changes of one subject's mute wait for each other. */
export function lockName(hostname: string | null): string {
  return hostname ?? 'account'
}

/** In their order, until `work` answers `stop` for a slice. Those that were not begun are the answer. */
export async function inSlices<Hostname extends string | null>(
  lock: Lock,
  hostnames: readonly Hostname[],
  work: (slice: readonly Hostname[]) => Promise<'go_on' | 'stop'>,
): Promise<readonly Hostname[]> {
  for (let from = 0; from < hostnames.length; from += sliceSize) {
    const slice = hostnames.slice(from, from + sliceSize)
    const next = await holdAll(lock, slice.map(lockName), () => work(slice))
    if (next === 'stop') return hostnames.slice(from + sliceSize)
  }
  return []
}

/** The API's answer to one; null: it was not asked, as it had failed for another in a way that it does for all. */
export type Answered<Ask> = { readonly ask: Ask; readonly answer: Attempt<string> | null }

/**
 * Asks the API for each of them, a few at a time. Gives all answers at once as a rule; where one hangs, those that are there
 * already every second, so that they can be written down.
 */
export async function* switchEach<Ask extends SwitchAsk>(
  ports: SwitchPorts,
  asks: readonly Ask[],
): AsyncGenerator<readonly Answered<Ask>[]> {
  const answered: Answered<Ask>[] = []
  const asking = inLanes(asks, async (ask) => {
    const answer = await attempt(() => switchNotifications(ports, ask))
    answered.push({ ask, answer })
    return !answer.ok && failsForAll(answer.failure) ? 'stop' : 'go_on'
  })
  for (;;) {
    const notAsked = await within(ports.clock, writtenWithinMs, asking)
    if (notAsked !== 'late') {
      yield [...answered, ...notAsked.map((ask) => ({ ask, answer: null }))]
      return
    }
    if (answered.length > 0) yield answered.splice(0)
  }
}

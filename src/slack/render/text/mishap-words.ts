/** What monbot itself broke at, in words: which work, how often, and what finds it in the log. */
import type { JobKind, Mishap } from '../../../domain/base/mishap.ts'
import { inBlocks } from './phrases.ts'

const workOf = {
  poll: 'reading alerts',
  card: 'a card',
  delivery: 'the queue of cards',
  picture: 'a picture',
  marker: 'a marker',
  mute: 'ending a mute',
  reminder: 'a reminder',
  home: 'a Home tab',
  board: 'the boards',
  blindness: 'telling that it is blind',
  retention: 'forgetting what is old',
  schedule: 'its schedule',
  heartbeat: 'its heartbeat',
  reading: 'reading a metric anew',
} as const satisfies Record<JobKind, string>

/** One a kind of work. */
export function mishapWords(mishaps: readonly Mishap[]): string[] {
  return mishaps.map(({ job, errorId, times, lastMs }) => {
    const often = times === 1 ? `at ${inBlocks(lastMs)}` : `${times} times, last at ${inBlocks(lastMs)}`
    return `an error in monbot stopped ${workOf[job]} ${often}: its log says why, under \`${errorId}\``
  })
}

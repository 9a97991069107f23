/** Limits V8's memory where it would be traded for speed that this bot does not need. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SteadyClock } from '../shared/clock.ts'

/**
 * Keeps V8's space for new objects at the initial 2 MB, also in threads that start later. Otherwise it grows to 128 MB while a
 * long list is read and stays there, a third of all memory with 8,000 alerts. In a storm of 8,000 alerts this takes a tenth more
 * processor time, and no single collection takes longer.
 *
 * Set here rather than on the command line, so that it applies however the bot is started. `--optimize-for-size` would save as
 * much again, but collections among 50,000 objects of an alert's size took up to 0.4 s with it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

const lookEveryMs = 15_000
/** Heavy work takes all of the time, and polls a part of it: with a tenth, a slow machine that polls each second never gave back. */
const idleShareMax = 0.5
/** Less is not worth a collection. */
const growthBytesMin = 24_000_000
/** What is in use is moved together only if it is so small that this holds everything for a tenth of a second. */
const movedBytesMax = 48_000_000

/**
 * What the process did since the last look, and what it holds. Bytes and milliseconds. V8's own figure for its heap leaves out the
 * empty pages that it keeps for later, 90 MB after a storm of 8,000 alerts.
 */
export type MemoryLook = {
  readonly residentBytes: number
  /** What was left after the last collection. */
  readonly leftBytes: number
  readonly busyMs: number
  readonly passedMs: number
}

/** Has heavy work left much behind, and is it over? */
export function isWorthCollecting({ residentBytes, leftBytes, busyMs, passedMs }: MemoryLook): boolean {
  return residentBytes - leftBytes >= growthBytesMin && busyMs < passedMs * idleShareMax
}

/**
 * Gives memory back to the system each time heavy work is over, until `stopping`. V8 by itself collects only when more is wanted,
 * and keeps the pages of what it has collected: after a storm of 8,000 alerts a quiet bot went on holding 290 MB, of which 25 MB
 * were in use.
 */
export async function giveMemoryBack(clock: SteadyClock, stopping: AbortSignal): Promise<void> {
  const collect = collector()
  // A start leaves something behind, too.
  let leftBytes = 0
  while (!stopping.aborted) {
    const [before, beganMs] = [process.cpuUsage(), clock.steadyMs()]
    await clock.wait(lookEveryMs, stopping)
    const { user, system } = process.cpuUsage(before)
    const [busyMs, passedMs] = [(user + system) / 1_000, clock.steadyMs() - beganMs]
    const residentBytes = process.memoryUsage.rss()
    if (!isWorthCollecting({ residentBytes, leftBytes, busyMs, passedMs })) continue
    await collect({ type: 'major', execution: 'async' })
    // Pages stay otherwise, those with a few objects each and those without any.
    if (process.memoryUsage().heapUsed < movedBytesMax)
      await collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
    leftBytes = process.memoryUsage.rss()
  }
}

type Collect = (how: { type: 'major'; execution: 'async'; flavor?: 'last-resort' }) => Promise<void>

/** V8's own function, without a flag on the command line. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

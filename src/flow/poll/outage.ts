/** Says when the bot is blind: one card in every channel while the API cannot be read, and on it then what was found. */

import { blindCard, isSettled, nextBlind, type Reading } from '../../domain/outage/detect.ts'
import type { Blind } from '../../domain/outage/outage.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { startWatch } from '../concurrency/watch.ts'
import type { Clock, Ids, Journal } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Nothing tells of a poll that hangs, so it is looked for. */
const lookEveryMs = 5_000
/** A reason that changes with every poll does not use up the workspace's updates. */
const whyEveryMs = 60_000

export type BlindWatch = {
  /** A poll came to its end. */
  wake(): void
  /** Begins nothing new, and resolves when what was begun is written. */
  stop(): Promise<void>
  /** Since when it is blind this time; null while it is not. */
  sinceMs(): number | null
}

export type BlindPorts = {
  readonly store: Pick<Store, 'lastBlind' | 'commit'>
  readonly clock: Clock
  readonly journal: Journal
  readonly ids: Ids
  readonly reading: () => Reading
  /** Called when there is something to show. */
  readonly onChanged: () => void
}

/** To be started once the first poll is done: before that nothing is known. `gapMs` is the usual time between two polls. */
export function startBlind(
  ports: BlindPorts,
  options: { readonly channels: readonly string[]; readonly gapMs: number },
): BlindWatch {
  const { store, clock, journal, ids, reading, onChanged } = ports
  const { channels, gapMs } = options
  let last: Blind | null = null
  let isRecalled = false
  let writtenMs = Number.NEGATIVE_INFINITY

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    if (!isRecalled) last = await store.lastBlind()
    isRecalled = true
    const read = reading()
    const next = nextBlind(last, read, { nowMs, gapMs, newId: ids.make })
    if (next !== null && (isTurn(next) || isLongAgo(nowMs, writtenMs, whyEveryMs))) await write(next, nowMs)
    // What came and went meanwhile stands in the history, which may come back later than the rest.
    else if (last !== null && last.sureMs === null && isSettled(last, read))
      await write({ ...last, sureMs: read.lastSureMs, version: last.version + 1 }, nowMs)
    return lookEveryMs
  }

  function isTurn(next: Blind): boolean {
    return next.blindId !== last?.blindId || (next.untilMs === null) !== (last.untilMs === null)
  }

  async function write(next: Blind, nowMs: number): Promise<void> {
    const before = next.blindId === last?.blindId ? last : null
    const saved = await store.commit({
      ...emptyPlan(nowMs),
      blinds: [{ blind: next, was: before?.version ?? null }],
      // A channel that a restart brought gets its card as well; one that is there is not made again.
      cards: next.untilMs === null ? channels.map((channel) => blindCard(next, channel)) : [],
    })
    if (saved === 'stale') {
      isRecalled = false
      return
    }
    last = next
    writtenMs = nowMs
    tell(next, before)
    onChanged()
  }

  function tell({ blindId, why, sinceMs, untilMs }: Blind, before: Blind | null): void {
    if (before === null) journal.warn('blind:began', { blindId, why })
    else if (untilMs === null) journal.info('blind:changed', { blindId, why })
    else if (before.untilMs === null) journal.info('blind:ended', { blindId, blindMs: untilMs - sinceMs })
    else journal.info('blind:settled', { blindId })
  }

  const watch = startWatch('blindness', { clock, journal }, round)
  return {
    wake: watch.wake,
    stop: watch.stop,
    sinceMs: () => (last?.untilMs === null ? last.sinceMs : null),
  }
}

/** True as well where the clock was set back by so much. */
function isLongAgo(nowMs: number, thenMs: number, lengthMs: number): boolean {
  return Math.abs(nowMs - thenMs) >= lengthMs
}

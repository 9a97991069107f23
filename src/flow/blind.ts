/** Says when the bot is blind: one card in every channel while the API cannot be read, and on it then what was found. */
import type { Blind } from '../domain/blind.ts'
import { blindCard, blindnessOf, nextBlind, type Reading } from '../domain/blindness.ts'
import { emptyPlan } from '../domain/plan.ts'
import type { Clock, Ids, Journal } from './ports.ts'
import type { Store } from './store-port.ts'
import { startWatch } from './watch.ts'

/** Nothing tells of a poll that hangs, so it is looked for. */
const lookEveryMs = 5_000
/** A reason that changes with every poll does not use up the workspace's updates. */
const whyEveryMs = 60_000
/** Some closings are known only by the second poll that does not find the alert; so long is waited for it. */
const foundAfterMs = { min: 60_000, max: 120_000, pastGap: 30_000 }
/** What ended so long before a restart has been shown. */
const foundWithinMs = 10 * 60_000

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
  const againMs = Math.min(Math.max(foundAfterMs.min, gapMs + foundAfterMs.pastGap), foundAfterMs.max)
  let last: Blind | null = null
  let isRecalled = false
  let writtenMs = Number.NEGATIVE_INFINITY
  /** The card of an API that comes and goes says since when it does; this is since when it is away this time. */
  let fromMs: number | null = null
  /** When that ended whose cards are to be shown once more; null: none are. */
  let endedMs: number | null = null

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    if (!isRecalled) await recall(nowMs)
    const next = nextBlind(last, reading(), { nowMs, gapMs, newId: ids.make })
    if (next !== null && (isTurn(next) || isLongAgo(nowMs, writtenMs, whyEveryMs))) await write(next, nowMs)
    // What came and went meanwhile stands in the history, which may come back later than the rest.
    else if (endedMs !== null && isLongAgo(nowMs, endedMs, againMs) && reading().failing === null)
      await showOnceMore(nowMs)
    return lookEveryMs
  }

  async function recall(nowMs: number): Promise<void> {
    last = await store.lastBlind()
    isRecalled = true
    fromMs = last?.untilMs === null ? last.sinceMs : null
    const untilMs = last?.untilMs ?? null
    if (untilMs !== null && Math.abs(nowMs - untilMs) < foundWithinMs) endedMs = untilMs
  }

  function isTurn(next: Blind): boolean {
    return next.blindId !== last?.blindId || (next.untilMs === null) !== (last.untilMs === null)
  }

  async function write(next: Blind, nowMs: number): Promise<void> {
    const was = next.blindId === last?.blindId ? last.version : null
    const isOver = next.untilMs !== null
    const isNew = isTurn(next) && !isOver
    const saved = await store.commit({
      ...emptyPlan(nowMs),
      blinds: [{ blind: next, was }],
      // A channel that a restart brought gets its card as well.
      cards: isOver ? [] : channels.map((channel) => blindCard(next, channel)),
    })
    if (saved === 'stale') {
      isRecalled = false
      return
    }
    last = next
    writtenMs = nowMs
    endedMs = isOver ? nowMs : null
    tell(next, nowMs, isNew)
    onChanged()
  }

  function tell({ blindId, why, times, untilMs }: Blind, nowMs: number, isNew: boolean): void {
    if (isNew) {
      fromMs = blindnessOf(reading(), { nowMs, gapMs })?.sinceMs ?? nowMs
      journal.warn('blind:began', { blindId, why, times })
    } else if (untilMs === null) journal.info('blind:changed', { blindId, why })
    else {
      journal.info('blind:ended', { blindId, blindMs: Math.max(0, untilMs - (fromMs ?? untilMs)) })
      fromMs = null
    }
  }

  async function showOnceMore(nowMs: number): Promise<void> {
    endedMs = null
    if (last === null) return
    const ended = last
    const touchedCards = channels.map((channel) => blindCard(ended, channel).cardId)
    await store.commit({ ...emptyPlan(nowMs), touchedCards })
    onChanged()
  }

  const watch = startWatch('blindness', { clock, journal }, round)
  return {
    wake: watch.wake,
    stop: watch.stop,
    sinceMs: () => fromMs,
  }
}

/** True as well where the clock was set back by so much. */
function isLongAgo(nowMs: number, thenMs: number, lengthMs: number): boolean {
  return Math.abs(nowMs - thenMs) >= lengthMs
}

/**
 * Shows outages of the API: a card in every channel while it cannot be read, and afterwards what was found, on the same card.
 */

import { boardCard } from '../../domain/card/thread-cards.ts'
import { isSettled, nextOutage, outageCard, type Reading } from '../../domain/outage/detect.ts'
import type { Outage } from '../../domain/outage/outage.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** A hanging poll reports nothing, so it is checked this often. */
const lookEveryMs = 5_000
/** How often a changed reason is shown, so that one that changes with every poll does not use up the workspace's updates. */
const whyEveryMs = 60_000

export type OutageWatch = Job & {
  /** A poll has ended. */
  wake(): void
  /** Since when the current outage lasts; null if there is none. */
  sinceMs(): number | null
}

export type OutagePorts = {
  readonly store: Pick<Store, 'lastOutage' | 'commit'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly reading: () => Reading
  /** Called if there is something to show. */
  readonly onChanged: () => void
}

/**
 * Watches for outages. Start it after the first poll, because nothing is known before. `gapMs` is the usual time between two
 * polls.
 */
export function openOutageWatch(
  ports: OutagePorts,
  options: { readonly channels: readonly string[]; readonly gapMs: number },
): OutageWatch {
  const { store, clock, logger, ids, reading, onChanged } = ports
  const { channels, gapMs } = options
  let last: Outage | null = null
  let writtenMs = Number.NEGATIVE_INFINITY
  /** The outage whose cards this watch has made. */
  let shownId: string | null = null

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    last = await store.lastOutage()
    const read = reading()
    const next = nextOutage(last, read, { nowMs, gapMs, newId: ids.make })
    if (next !== null && (isTurn(next) || isLongAgo(nowMs, writtenMs, whyEveryMs))) await write(next, nowMs)
    // Alerts that opened and closed meanwhile are in the history, which may recover later than the rest.
    else if (last !== null && last.sureMs === null && isSettled(last, read))
      await write({ ...last, sureMs: read.lastFullyCompleteMs, version: last.version + 1 }, nowMs)
    if (last?.untilMs === null && shownId !== last.outageId) await show(last, nowMs)
    return lookEveryMs
  }

  function isTurn(next: Outage): boolean {
    return (
      next.outageId !== last?.outageId ||
      next.cardOf !== last.cardOf ||
      (next.untilMs === null) !== (last.untilMs === null)
    )
  }

  async function write(next: Outage, nowMs: number): Promise<void> {
    const before = next.outageId === last?.outageId ? last : null
    const saved = await store.commit({
      ...emptyPlan(nowMs),
      outages: [{ outage: next, was: before?.version ?? null }],
      cards: cardsOf(next),
      // Boards, and earlier outage cards, must not say the opposite until their next update.
      dirtyCards: channels.flatMap((channel) => [
        boardCard(channel).cardId,
        ...(before === null || before.cardOf === next.cardOf ? [] : [outageCard(before, channel).cardId]),
      ]),
    })
    if (saved === 'stale') return
    last = next
    shownId = next.outageId
    writtenMs = nowMs
    tell(next, before)
    onChanged()
  }

  /** For one that a start finds: a channel that the settings name since then gets its card as well. */
  async function show(outage: Outage, nowMs: number): Promise<void> {
    if ((await store.commit({ ...emptyPlan(nowMs), cards: cardsOf(outage) })) === 'stale') return
    shownId = outage.outageId
    onChanged()
  }

  /** While it lasts; existing ones are not created twice. */
  function cardsOf(outage: Outage) {
    return outage.untilMs === null ? channels.map((channel) => outageCard(outage, channel)) : []
  }

  function tell({ outageId, why, sinceMs, untilMs }: Outage, before: Outage | null): void {
    if (before === null) logger.warn('blind:began', { outageId, why })
    else if (untilMs === null) logger.info('blind:changed', { outageId, why })
    else if (before.untilMs === null) logger.info('blind:ended', { outageId, outageMs: untilMs - sinceMs })
    else logger.info('blind:settled', { outageId })
  }

  const watch = openWatch('outages', { clock, logger }, round)
  return {
    ...watch,
    sinceMs: () => (last?.untilMs === null ? last.sinceMs : null),
  }
}

/** Also true if the clock was set back by that much. */
function isLongAgo(nowMs: number, thenMs: number, lengthMs: number): boolean {
  return Math.abs(nowMs - thenMs) >= lengthMs
}

/** Reads what is open: to its end, or as far as requests, time and the API last. */

import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import { attempt } from '../attempt.ts'
import { othersFirst } from '../concurrency/in-turns.ts'
import type { Clock, Logger, Monitor, Page } from '../ports/ports.ts'
import { wholeEveryMs } from './history.ts'
import { type Listing, pageRecords, sweep } from './sweep.ts'

/** 50,000 open alerts are 1,112 pages; as many again for a list that moves meanwhile, and then some. */
export const openRequestsMax = 2_500

/** After this no further page is asked for; with pages under way the reading may last one read of the adapter longer. */
export const openListMsMax = 2 * 60_000

/** A list whose end was proven ends there for so long, while the last page stays as it is and nothing is missing. */
const provenForMs = wholeEveryMs

export type OpenList = Listing & {
  /** What ended it too early, if anything did; the alert records are those before it. */
  readonly failure: OutsideFailure | null
}

/**
 * What could be read is given even where the API failed on the way: an alert that is open does not wait for others.
 * Throws the failure where nothing at all could be read. `openIds`: what is remembered as open, by the API's numbers.
 */
export type OpenListReader = (openIds: readonly string[]) => Promise<OpenList>

export function openOpenList({
  monitor,
  clock,
  logger,
}: {
  readonly monitor: Monitor
  readonly clock: Clock
  readonly logger: Logger
}): OpenListReader {
  let proven: { readonly last: string; readonly atMs: number } | null = null
  // An API that went on behind a page that was not full may do so at any other one.
  let hasGaps = false
  // How far the list went when it was read last; after a start what is remembered as open has to do.
  let reach = 0
  let isWarned = false

  async function read(openIds: readonly string[]): Promise<OpenList> {
    const nowMs = clock.nowMs()
    const untilMs = nowMs + openListMsMax
    const seen: AlertRecord[] = []
    let requests = 0
    let skipped = 0
    let reached = 0
    let last: string | null = null
    let isAsked = false
    const wasProven = proven
    const reading = await attempt(() =>
      sweep(
        async (offset) => {
          requests += 1
          const page = await monitor.alerts({ lifecycle: 'start', offset })
          for (const record of page.records) seen.push(record)
          skipped += page.skipped
          // Wherever on a page that is not full its last record stood.
          if (page.size > 0) reached = Math.max(reached, offset + pageRecords)
          return page
        },
        {
          requestsMax: openRequestsMax,
          isLate: () => clock.nowMs() >= untilMs,
          reachesTo: Math.max(reach, openIds.length),
          isProofWanted: (page, ids) => {
            last ??= contentOf(page)
            const isAsItWas = wasProven?.last === last && isWithin(wasProven.atMs, nowMs, provenForMs)
            isAsked ||= hasGaps || !isAsItWas || openIds.some((alertId) => !ids.has(alertId))
            return isAsked
          },
        },
      ),
    )
    if (!reading.ok) {
      if (seen.length === 0) throw reading.failure
      return { alertRecords: seen, complete: false, hasGaps, requests, skipped, failure: reading.failure }
    }
    const list = reading.value
    await othersFirst(clock, list.alertRecords.length)
    hasGaps ||= list.hasGaps
    // While something is missing it is looked for as far as the list once went.
    const listed = new Set(list.alertRecords.map(({ alertId }) => alertId))
    reach = openIds.every((alertId) => listed.has(alertId)) ? reached : Math.max(reach, reached)
    if (!list.complete) proven = null
    else if (isAsked && last !== null) proven = { last, atMs: nowMs }
    warn(list)
    return { ...list, failure: null }
  }

  /** Once, and not at every poll, for as long as it goes on. */
  function warn({ complete, requests, alertRecords }: Listing): void {
    if (!complete && !isWarned)
      logger.warn('listing:incomplete', { list: 'open', requests, alerts: alertRecords.length })
    isWarned = !complete
  }

  return read
}

function contentOf({ records }: Page): string {
  return records
    .map(({ alertId }) => alertId)
    .sort()
    .join(' ')
}

/** Reads what is open: to its end, or as far as requests, time and the API last. */

import type { Sighting } from '../domain/alert.ts'
import type { OutsideFailure } from '../domain/failure.ts'
import { attempt } from './attempt.ts'
import type { Clock, Journal, Monitor } from './ports.ts'
import { type Listing, sweep } from './sweep.ts'

/** 50,000 open alerts are 1,112 pages; as many again for a list that moves meanwhile, and then some. */
export const openRequestsMax = 2_500

/** After this no further page is asked for; with pages under way the reading may last one read of the adapter longer. */
export const openListMsMax = 2 * 60_000

export type OpenList = Listing & {
  /** What ended it too early, if anything did; the sightings are those before it. */
  readonly failure: OutsideFailure | null
}

/**
 * What could be read is given even where the API failed on the way: an alert that is open does not wait for others.
 * Throws the failure where nothing at all could be read.
 */
export async function readOpenList({
  monitor,
  clock,
  journal,
}: {
  readonly monitor: Monitor
  readonly clock: Clock
  readonly journal: Journal
}): Promise<OpenList> {
  const untilMs = clock.nowMs() + openListMsMax
  const seen: Sighting[] = []
  let requests = 0
  let skipped = 0
  const read = await attempt(() =>
    sweep(
      async (offset) => {
        requests += 1
        const page = await monitor.alerts({ lifecycle: 'start', offset })
        for (const record of page.records) seen.push(record)
        skipped += page.skipped
        return page
      },
      { requestsMax: openRequestsMax, isLate: () => clock.nowMs() >= untilMs },
    ),
  )
  if (!read.ok && seen.length === 0) throw read.failure
  const list = read.ok
    ? { ...read.value, failure: null }
    : { sightings: seen, complete: false, requests, skipped, failure: read.failure }
  // A list that a failure ended is told of by `poll:failed`, once and not at every poll.
  if (!list.complete && list.failure === null)
    journal.warn('listing:incomplete', { list: 'open', requests, alerts: list.sightings.length })
  return list
}

/** Reads the open alerts: to the end of the list, or as far as requests, time and the API allow. */

import type { AlertRecord } from '../../domain/alert/alert.ts'
import { type OutsideFailure, stoppingCode } from '../../domain/base/failure.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import { attempt } from '../../flow/attempt.ts'
import type { Clock, Logger, Monitor, Page } from '../../flow/ports/ports.ts'
import { wholeEveryMs } from './past-list.ts'
import { openProgress, shareOfLast } from './progress.ts'
import { type Listing, pageRecords, sweep } from './sweep.ts'

/** 50,000 open alerts are 1,112 pages; as many again for a list that moves meanwhile, and some to spare. */
const openRequestsMax = 2_500

/** After this time no further page is requested; pages in flight may take one time-out longer. */
export const openListMsMax = 2 * 60_000

/** A proven end of the list stays valid for this long, while the last page stays the same and nothing is missing. */
const provenForMs = wholeEveryMs

export type OpenList = Listing & {
  /** What cut it short, if anything did; the alert records are those before it. */
  readonly failure: OutsideFailure | null
  /** See `Page`. */
  readonly doubt?: string
}

/**
 * Returns what could be read even if the API failed on the way: an open alert does not wait for others. Throws the failure if
 * nothing at all could be read. `openIds`: the stored open alerts, by the API's numbers.
 */
export type OpenListReader = (openIds: readonly string[]) => Promise<OpenList>

export function openOpenList({
  monitor,
  clock,
  logger,
}: {
  readonly monitor: Pick<Monitor, 'alerts'>
  readonly clock: Clock
  readonly logger: Logger
}): OpenListReader {
  let proven: { readonly last: string; readonly atMs: number } | null = null
  // An API that once continued after a page that was not full may do so after any other.
  let hasGaps = false
  // How far the list reached at the last reading; after a start, the number of remembered open alerts is used instead.
  let reach = 0
  let isWarned = false
  let wasBroken = false

  async function read(openIds: readonly string[]): Promise<OpenList> {
    const nowMs = clock.nowMs()
    const untilMs = nowMs + openListMsMax
    const seen: AlertRecord[] = []
    let requests = 0
    let skipped = 0
    let reached = 0
    let last: string | null = null
    let doubt: Pick<OpenList, 'doubt'> = {}
    let isAsked = false
    const wasProven = proven
    const reachesTo = Math.max(reach, openIds.length)
    const tellProgress = openProgress(
      { clock, logger },
      {
        list: 'open',
        requestsMax: openRequestsMax,
        msMax: openListMsMax,
        shareRead: shareOfLast(reachesTo),
      },
    )
    const reading = await attempt(() =>
      sweep(
        async (offset) => {
          requests += 1
          const page = await monitor.alerts({ lifecycle: 'start', offset })
          for (const record of page.records) seen.push(record)
          skipped += page.skipped
          if (page.doubt !== undefined) doubt = { doubt: page.doubt }
          // Wherever the last record was on a page that is not full.
          if (page.size > 0) reached = Math.max(reached, offset + pageRecords)
          tellProgress(offset, page)
          return page
        },
        {
          requestsMax: openRequestsMax,
          isLate: () => clock.nowMs() >= untilMs,
          reachesTo,
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
      // Where monbot stops, the next start reads it all, with the roles that decide the routes.
      if (seen.length === 0 || reading.failure.code === stoppingCode) throw reading.failure
      const cut = { complete: false, isEnded: false, isUnbroken: false }
      return { alertRecords: seen, ...cut, hasGaps, requests, skipped, ...doubt, failure: reading.failure }
    }
    const list = reading.value
    hasGaps ||= list.hasGaps
    // While something is missing, it is searched for as far as the list once reached.
    const listed = new Set(list.alertRecords.map(({ alertId }) => alertId))
    reach = openIds.every((alertId) => listed.has(alertId)) ? reached : Math.max(reach, reached)
    const complete = list.complete && (!isAsked || (list.isEnded && list.isUnbroken))
    if (!complete) proven = null
    else if (isAsked && last !== null) proven = { last, atMs: nowMs }
    warn(list, complete)
    return { ...list, complete, ...doubt, failure: null }
  }

  /** Once while it lasts, not at every poll; a list may move while it is read. */
  function warn({ complete, requests, alertRecords }: Listing, isWhole: boolean): void {
    const isLasting = !complete || wasBroken
    if (!isWhole && !isWarned && isLasting)
      logger.warn('listing:incomplete', { list: 'open', requests, alerts: alertRecords.length })
    isWarned = !isWhole && (isWarned || isLasting)
    wasBroken = !isWhole
  }

  return read
}

function contentOf({ records }: Page): string {
  return records
    .map(({ alertId }) => alertId)
    .sort()
    .join(' ')
}

/** Reads the new end of a list that is ordered newest first: one request while nothing happens. */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import { isBelievable, unknownTimeMs } from '../../domain/alert/believable.ts'
import type { Page } from '../../flow/ports/ports.ts'
import { isPassed, type Missing, oldestOf } from './seek.ts'
import { type AskPage, type Listing, overlapRecords, walk } from './sweep.ts'

export type HeadOptions = {
  /** Does the caller already know the record with exactly this content? */
  readonly isKnown: (alertRecord: AlertRecord) => boolean
  /** What left the open list and whose records are searched for, as far down as they can be. */
  readonly missing: readonly Pick<Missing, 'number' | 'startedMs'>[]
  /** The list may continue after any page that is not full. */
  readonly hasGaps?: boolean
  readonly requestsMax: number
  readonly isLate?: () => boolean
}

/**
 * Reads pages, with the overlap and anchors of `sweep`, until a page holds 5 known records in a row and every one of `missing`
 * has been seen or passed, or until the list ends, proven if that is asked for: then it is `complete`. Not complete means over budget.
 * Only useful for a list that `isNewestFirst`.
 */
export async function readHead(
  page: AskPage,
  { isKnown, missing, hasGaps = false, ...budget }: HeadOptions,
): Promise<Listing> {
  const isFound = (ids: ReadonlySet<string>, { records }: Page) =>
    missing.every((one) => ids.has(one.number) || isPassed(one, oldestOf(records)))
  return walk(
    page,
    {
      ...budget,
      isProofWanted: (last, ids) => hasGaps || !isLastKnown(last, isKnown) || !isFound(ids, last),
    },
    (current, ids) => holdsKnownRun(current, isKnown) && isFound(ids, current),
  )
}

/** The overlap is as long as the run, so a run across two pages is complete in the second. */
function holdsKnownRun(page: Page, isKnown: (alertRecord: AlertRecord) => boolean): boolean {
  let run = 0
  return page.records.some((alertRecord) => {
    run = isKnown(alertRecord) ? run + 1 : 0
    return run >= overlapRecords
  })
}

/** New records come first: after a known record all are known. */
function isLastKnown({ records }: Page, isKnown: HeadOptions['isKnown']): boolean {
  const last = records.at(-1)
  return last === undefined || isKnown(last)
}

/** With this many credible times for each incredible one, the order of a list is still clear. */
const believedPerStray = 9

/**
 * Is a listing ordered by time, latest first? Ties are fine. A list of none or one is always in order: it proves nothing
 * about how the API sorts. Neither do impossible times: otherwise one record dated a year ahead would have the whole list
 * read at every poll for as long as it is listed. If no time could be read, nothing is proven.
 */
export function isNewestFirst(alertRecords: readonly AlertRecord[], nowMs: number): boolean {
  if (alertRecords.length > 1 && alertRecords.every(({ timeMs }) => timeMs === unknownTimeMs)) return false
  if (isDescending(alertRecords)) return true
  const believed = alertRecords.filter(({ timeMs }) => isBelievable(timeMs, nowMs))
  const strays = alertRecords.length - believed.length
  return strays * believedPerStray <= believed.length && isDescending(believed)
}

function isDescending(alertRecords: readonly AlertRecord[]): boolean {
  return alertRecords.every(
    (alertRecord, at) => at === 0 || alertRecord.timeMs <= (alertRecords[at - 1]?.timeMs ?? 0),
  )
}

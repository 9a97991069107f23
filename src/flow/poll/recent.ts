/** Reads the new end of a list that is ordered newest first: one request while nothing happens. */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { Page } from '../ports/ports.ts'
import { type AskPage, type Listing, overlapRecords, walk } from './sweep.ts'

export type HeadOptions = {
  /** Whether the caller already knows the record with this very content. */
  readonly isKnown: (alertRecord: AlertRecord) => boolean
  /** Ids that left the open list and whose records are looked for, however far down they stand. */
  readonly missing: readonly string[]
  /** The list may go on behind any page that is not full. */
  readonly hasGaps?: boolean
  readonly requestsMax: number
}

/**
 * Pages on, with the overlap and the anchors of `sweep`, until a page holds 5 known records in a row and no id of
 * `missing` is still unseen, or the list ends, which is proven where one is: then it is `complete`. Not complete means over budget. Only worth
 * anything on a list that `isNewestFirst`.
 */
export async function readHead(
  page: AskPage,
  { isKnown, missing, hasGaps = false, requestsMax }: HeadOptions,
): Promise<Listing> {
  const isFound = (ids: ReadonlySet<string>) => missing.every((alertId) => ids.has(alertId))
  return walk(
    page,
    { requestsMax, isProofWanted: (last, ids) => hasGaps || !isLastKnown(last, isKnown) || !isFound(ids) },
    (current, ids) => holdsKnownRun(current, isKnown) && isFound(ids),
  )
}

/** The overlap is as long as the run, so a run across two pages stands whole in the second. */
function holdsKnownRun(page: Page, isKnown: (alertRecord: AlertRecord) => boolean): boolean {
  let run = 0
  return page.records.some((alertRecord) => {
    run = isKnown(alertRecord) ? run + 1 : 0
    return run >= overlapRecords
  })
}

/** What is new comes first: behind a record that is known there is nothing that is not. */
function isLastKnown({ records }: Page, isKnown: HeadOptions['isKnown']): boolean {
  const last = records.at(-1)
  return last === undefined || isKnown(last)
}

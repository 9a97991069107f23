/** Logs how far a long list has been read: tens of thousands of records take minutes with a slow API. */
import { isBelievable } from '../../domain/alert/believable.ts'
import type { Clock, Logger, Page } from '../../flow/ports/ports.ts'
import { isNewestFirst } from './newest-first.ts'

const tellEveryMs = 5_000
/** How long the API lists what is over (docs/api.md#alerts). */
const listedForMs = 30 * 24 * 60 * 60_000

/** After a page: which share of the list has been read, from 0 up; null where nobody can know. `records`: how far it was read. */
type ShareRead = (last: { offset: number; page: Page; records: number; nowMs: number }) => number | null

export type Reading = {
  readonly list: 'open' | 'all'
  /** What ends the reading before the list does. */
  readonly requestsMax: number
  readonly msMax: number
  readonly shareRead: ShareRead
}

/**
 * Returns a function to call after each page. The API does not give the length of its lists, but if the share that was read can
 * be estimated, the log also says how long the rest will take, to the end of the list or the limits of the reading, whichever
 * comes first.
 */
export function openProgress({ clock, logger }: { clock: Clock; logger: Logger }, reading: Reading) {
  const { list, requestsMax, msMax, shareRead } = reading
  const startedMs = clock.nowMs()
  let nextMs = startedMs + tellEveryMs
  let pages = 0
  let records = 0

  return (offset: number, page: Page): void => {
    const nowMs = clock.nowMs()
    pages += 1
    // The search for the end requests pages far behind it.
    if (page.size > 0) records = Math.max(records, offset + page.size)
    const read = shareRead({ offset, page, records, nowMs })
    if (nowMs < nextMs) return
    nextMs = nowMs + tellEveryMs
    logger.info('listing:progress', { list, pages, records, ...(read === null ? {} : rest(read, nowMs)) })
  }

  function rest(read: number, nowMs: number) {
    const tookMs = nowMs - startedMs
    const share = Math.min(0.99, Math.max(read, pages / requestsMax, tookMs / msMax))
    return {
      percent: Math.round(share * 100),
      leftSeconds: Math.round((tookMs * (1 - share)) / share / 1_000),
    }
  }
}

/** Estimates for the list of everything, if the newest come first, by how much of its 30 days was read. */
export function shareByAge(startedMs: number): ShareRead {
  let oldestMs = startedMs
  let isFromNewest = false
  return ({ offset, page, nowMs }) => {
    if (offset === 0) isFromNewest = isNewestFirst(page.records, nowMs)
    for (const { timeMs } of page.records)
      if (isBelievable(timeMs, nowMs)) oldestMs = Math.min(oldestMs, timeMs)
    return isFromNewest ? (startedMs - oldestMs) / listedForMs : null
  }
}

/** Estimates for a list by its last length; 0 if that is unknown. No estimate once it is longer. */
export function shareOfLast(expected: number): ShareRead {
  return ({ records }) => (records < expected ? records / expected : null)
}

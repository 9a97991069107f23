/** Says how far a long list has been read: tens of thousands of records take minutes at a slow API. */
import { isBelievable } from '../../domain/alert/believable.ts'
import type { Clock, Logger, Page } from '../ports/ports.ts'
import { isNewestFirst } from './recent.ts'

const tellEveryMs = 5_000
/** api-spec.md 8. */
const listedForMs = 30 * 24 * 60 * 60_000

/**
 * Returns what to call after each page. The API does not say how long its list is. But where the newest records come first, how
 * far back they reach within the 30 days that it lists says what share has been read, and about how long the rest takes.
 */
export function openProgress({ clock, logger }: { clock: Clock; logger: Logger }) {
  const startedMs = clock.nowMs()
  let nextMs = startedMs + tellEveryMs
  let pages = 0
  let records = 0
  let oldestMs = startedMs
  let isFromNewest = false

  return (offset: number, page: Page): void => {
    const nowMs = clock.nowMs()
    pages += 1
    records += page.size
    if (offset === 0) isFromNewest = isNewestFirst(page.records, nowMs)
    for (const { timeMs } of page.records)
      if (isBelievable(timeMs, nowMs)) oldestMs = Math.min(oldestMs, timeMs)
    if (nowMs < nextMs) return
    nextMs = nowMs + tellEveryMs
    logger.info('listing:progress', { pages, records, ...(isFromNewest ? reached(nowMs) : {}) })
  }

  function reached(nowMs: number) {
    const share = Math.min(0.99, (startedMs - oldestMs) / listedForMs)
    if (share <= 0) return {}
    const leftMs = ((nowMs - startedMs) * (1 - share)) / share
    return { percent: Math.round(share * 100), leftSeconds: Math.round(leftMs / 1_000) }
  }
}

/** Requests the pages of a list: some ahead of time, and those that prove where it ends. */
import { OutsideFailure } from '../../domain/base/failure.ts'
import { attempt } from '../../flow/attempt.ts'
import type { Page } from '../../flow/ports/ports.ts'

/** Pages in flight at once (docs/api.md#pages); the adapter has connections for twice as many. */
const windowsMax = 4

export type PagesAhead = {
  /** The page at this offset, requested now unless it was before; null if no request is left for it. */
  at(offset: number): Promise<Page> | null
  /** Requests the page at `offset` and those after it up to `last`, each `stride` further on, as far as windows and requests allow. */
  askFrom(offset: number, stride: number, last: number): void
  /** Waits for what is in flight and discards it, including failures of the outside world: nothing needed it. */
  drop(): Promise<void>
  /** Requests made so far. */
  requests(): number
}

/** Requests pages ahead of time, so that a long list does not take one round trip per page. */
export function openPagesAhead(ask: (offset: number) => Promise<Page>, requestsMax: number): PagesAhead {
  const underWay = new Map<number, Promise<Page>>()
  let requests = 0

  function begin(offset: number): Promise<Page> | null {
    if (requests >= requestsMax) return null
    requests += 1
    return ask(offset)
  }

  return {
    at(offset) {
      const page = underWay.get(offset) ?? begin(offset)
      underWay.delete(offset)
      return page
    },
    askFrom(offset, stride, last) {
      const end = Math.min(offset + (windowsMax - 1) * stride, last)
      for (let next = offset; next <= end; next += stride) {
        if (underWay.has(next)) continue
        const page = begin(next)
        if (page === null) return
        // Its failure is thrown when its turn comes; until then it must not count as unhandled.
        page.then(undefined, () => undefined)
        underWay.set(next, page)
      }
    },
    async drop() {
      const left = [...underWay.values()]
      underWay.clear()
      for (const outcome of await Promise.allSettled(left)) {
        if (outcome.status === 'rejected' && !(outcome.reason instanceof OutsideFailure)) throw outcome.reason
      }
    },
    requests: () => requests,
  }
}

/** At least this many following pages are requested, and this many at a time. */
const pagesBehindMin = 3
const atOnce = 4

type Behind =
  /** Nothing new is listed after the page; `isNext`: nothing at all, from the position right behind its last record. */
  | { readonly kind: 'ended'; readonly isNext: boolean }
  /** The API proves nothing: it fails there, or repeats earlier records. */
  | { readonly kind: 'unknown' }
  /** The list continues: from this offset, with this page. */
  | { readonly kind: 'goes_on'; readonly offset: number; readonly page: Page }

/**
 * Proves that a list ends after a page that is not full, which has `size` records. Such a page alone proves nothing: an API may
 * leave out records after cutting its pages, cut them shorter, and continue after a short or empty page. So the position right
 * behind its last record is read, and the full pages that would follow. `ask` returns null if no request is left; `isNews`: does a
 * page show anything that no earlier page did? `reachesTo`: as far as the list is known to have reached lately, every page is
 * requested, however many in a row are empty.
 */
export async function readBehind(
  offset: number,
  size: number,
  {
    ask,
    isNews,
    pageRecords,
    reachesTo,
  }: {
    readonly ask: (offset: number) => Promise<Page> | null
    readonly isNews: (page: Page) => boolean
    readonly pageRecords: number
    readonly reachesTo: number
  },
): Promise<Behind> {
  const read = async (at: number) => {
    const page = ask(at)
    const answer = page === null ? null : await attempt(() => page)
    return { at, page: answer?.ok ? answer.value : null }
  }
  const count = Math.max(pagesBehindMin, Math.ceil((reachesTo - offset) / pageRecords))
  const offsets = Array.from({ length: count }, (_, n) => offset + (n + 1) * pageRecords)
  // Behind a page without any record that is its own offset, which was just read.
  const nextTo = size % pageRecords === 0 ? null : offset + size
  if (nextTo !== null) offsets.unshift(nextTo)
  let isNext = true
  for (let from = 0; from < offsets.length; from += atOnce) {
    const answers = await Promise.all(offsets.slice(from, from + atOnce).map(read))
    const further = answers.find(({ page }) => page !== null && isNews(page))
    if (further?.page != null) return { kind: 'goes_on', offset: further.at, page: further.page }
    for (const { at, page } of answers) {
      if (page === null || (page.size > 0 && at !== nextTo)) return { kind: 'unknown' }
      // Known records stand further behind than they should: others are left out before them, or were added.
      if (page.size > 0) isNext = false
    }
  }
  return { kind: 'ended', isNext }
}

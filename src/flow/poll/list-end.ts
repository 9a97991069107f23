/**
 * Proves that a list ends after a page that is not full. Such a page alone proves nothing: an API may leave out records after
 * cutting its pages, and continue after a short or empty page.
 */
import { attempt } from '../attempt.ts'
import type { Page } from '../ports/ports.ts'

/** At least this many following pages are requested, and this many at a time. */
const pagesBehindMin = 3
const atOnce = 4

export type Behind =
  /** Nothing is listed after the page. */
  | { readonly kind: 'ended' }
  /** The API proves nothing: it fails there, or repeats earlier records. */
  | { readonly kind: 'unknown' }
  /** The list continues: from this offset, with this page. */
  | { readonly kind: 'goes_on'; readonly offset: number; readonly page: Page }

/**
 * `ask` returns null if no request is left; `isNews`: does a page show anything that no earlier page did? `reachesTo`: as far
 * as the list is known to have reached lately, every page is requested, however many in a row are empty.
 */
export async function readBehind(
  offset: number,
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
  const pagesBehind = Math.max(pagesBehindMin, Math.ceil((reachesTo - offset) / pageRecords))
  for (let from = 1; from <= pagesBehind; from += atOnce) {
    const pages = Array.from({ length: Math.min(atOnce, pagesBehind + 1 - from) }, (_, n) => from + n)
    const answers = await Promise.all(pages.map((page) => read(offset + page * pageRecords)))
    const further = answers.find(({ page }) => page !== null && isNews(page))
    if (further?.page != null) return { kind: 'goes_on', offset: further.at, page: further.page }
    if (!answers.every(({ page }) => page !== null && page.size === 0)) return { kind: 'unknown' }
  }
  return { kind: 'ended' }
}

/**
 * Proves that a list ends after a page that is not full. Such a page proves nothing by itself: an API may leave records out
 * after it has cut its pages, and go on behind a page that is short or empty.
 */
import { attempt } from './attempt.ts'
import type { Page } from './ports.ts'

/** Behind the page, as multiples of a full one: two that touch it, and one that looks further. */
const pagesBehind = [1, 2, 4] as const

export type Behind =
  /** Nothing is listed behind the page. */
  | { readonly kind: 'ended' }
  /** The API says nothing that proves it: it fails there, or shows again what stands before. */
  | { readonly kind: 'unknown' }
  /** The list goes on: from this offset, with this page. */
  | { readonly kind: 'goes_on'; readonly offset: number; readonly page: Page }

/** `ask` answers null where no request is left; `isNews`: does a page show anything that none before it did? */
export async function readBehind(
  offset: number,
  {
    ask,
    isNews,
    pageRecords,
  }: {
    readonly ask: (offset: number) => Promise<Page> | null
    readonly isNews: (page: Page) => boolean
    readonly pageRecords: number
  },
): Promise<Behind> {
  const read = async (at: number) => {
    const page = ask(at)
    const answer = page === null ? null : await attempt(() => page)
    return { at, page: answer?.ok ? answer.value : null }
  }
  const answers = await Promise.all(pagesBehind.map((pages) => read(offset + pages * pageRecords)))
  const further = answers.find(({ page }) => page !== null && isNews(page))
  if (further?.page != null) {
    // The page before it may be the first one that the list goes on with.
    const before = further.at - pageRecords
    const between = answers.some(({ at }) => at === before) || before <= offset ? null : await read(before)
    const first = between?.page != null && between.page.records.length > 0 ? between : further
    return { kind: 'goes_on', offset: first.at, page: first.page ?? further.page }
  }
  return answers.every(({ page }) => page !== null && page.size === 0)
    ? { kind: 'ended' }
    : { kind: 'unknown' }
}

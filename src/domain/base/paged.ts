/** Lists, a page at a time. */
import type { Paged } from '../request/answer.ts'

/** Where a page begins, for a source that is read by offset. `page` counts from 1. */
export function offsetOf(page: number, perPage: number): number {
  return (page - 1) * perPage
}

/** How many pages there are; an empty list has one. */
export function pagesOf(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage))
}

/** One page of a complete list; beyond the last page it is the last one, because lists shrink between two clicks. */
export function pageOf<Item>(all: readonly Item[], page: number, perPage: number): Paged<Item> {
  const pages = pagesOf(all.length, perPage)
  const shown = Math.min(Math.max(1, page), pages)
  const offset = offsetOf(shown, perPage)
  return { items: all.slice(offset, offset + perPage), page: shown, pages, total: all.length }
}

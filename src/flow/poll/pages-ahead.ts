/** Requests some pages of a list ahead of time, so that a long list does not take one round trip per page. */
import { OutsideFailure } from '../../domain/base/failure.ts'
import type { Page } from '../ports/ports.ts'

/** Pages in flight at once (reliability.md 2); the adapter has connections for twice as many. */
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

/** Asks for the pages of a list, some of them before their turn, so that a long list is not read one round trip a page. */
import { OutsideFailure } from '../../domain/base/failure.ts'
import type { Page } from '../ports/ports.ts'

/** Pages that are on their way at once (reliability.md 2); the adapter has connections for twice as many. */
const windowsMax = 4

export type PagesAhead = {
  /** The page at this offset, asked for now unless it was before; null where no request is left for it. */
  at(offset: number): Promise<Page> | null
  /** Asks for the page at `offset` and for those after it, each `stride` further on, as far as windows and requests last. */
  askFrom(offset: number, stride: number): void
  /** Waits for what is on its way and forgets it, failures of the outside world as well: nobody needed it. */
  drop(): Promise<void>
  /** Requests so far. */
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
    askFrom(offset, stride) {
      for (let next = offset; next < offset + windowsMax * stride; next += stride) {
        if (underWay.has(next)) continue
        const page = begin(next)
        if (page === null) return
        // Its failure is thrown when its turn comes, and until then it is nobody's.
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

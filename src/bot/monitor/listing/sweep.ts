/**
 * Reads a list that is paged by offset while it moves, without missing what keeps its place in it (docs/api.md#pages).
 *
 * Neighbouring pages overlap and must share an anchor: a record of identical content in both. Without one, something
 * before the page went away between the two requests, and the walk steps back until the pages meet.
 */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { Page } from '../../flow/ports/ports.ts'
import { openPagesAhead, type PagesAhead, readBehind } from './pages.ts'
import { openSeenPages, type SeenPages } from './seen-pages.ts'

/** Records on a full page (docs/api.md#pages). */
export const pageRecords = 50

/** Records that neighbouring pages share while the list does not move. */
export const overlapRecords = 5

const fullStrideRecords = pageRecords - overlapRecords

/** This many pages in a row must have met before any is requested ahead: short lists cost no extra request. */
const metBeforeAhead = 4

/**
 * This many pages in a row with the content of the one before mean that there is no further page. Once may be chance, if as
 * many records were added as lie between two pages.
 */
const samePagesMax = 3

/** If two neighbours fail to meet this often, the list cannot be read further. */
const unmetMax = 10

/** Requests the page that starts at `offset`; throws what the port throws. */
export type AskPage = (offset: number) => Promise<Page>

export type Listing = {
  /**
   * One per id, server, time and title, in order of first appearance, each with the content seen last; a closed one stays
   * closed. An API may list several alerts under one id: see `domain/alert/episode.ts`.
   */
  readonly alertRecords: readonly AlertRecord[]
  /**
   * False if the budget ran out before the end, the pages never advanced, or a required proof of the end failed: then
   * absences mean nothing.
   */
  readonly complete: boolean
  /** Nothing is listed behind what was read, and that was asked for. */
  readonly isEnded: boolean
  /** Each position was read, from the first to the last: the API left no record out of its pages, as far as they can show it. */
  readonly isUnbroken: boolean
  /** The list continued after a page that was not full. */
  readonly hasGaps: boolean
  readonly requests: number
  /** Bad records on the pages; one in an overlap may count twice. */
  readonly skipped: number
}

export type Budget = {
  /** 1 or more. */
  readonly requestsMax: number
  /** Called before each page; once it is true, no further page is requested. */
  readonly isLate?: () => boolean
  /** Called at a page that is not full: must it be proven to be the last (see `pages.ts`)? Default: no. */
  readonly isProofWanted?: (last: Page, ids: ReadonlySet<string>) => boolean
  /**
   * How far the list is known to have reached lately: an end before that is not proven until something there was requested, and
   * up to there nothing beyond it is requested ahead.
   */
  readonly reachesTo?: number
}

/**
 * Reads the whole list within its budget. If `complete`, the alert records include every alert whose record was listed, and
 * kept its place in the order, from the first request to the last. One request if the list ends on the first page.
 */
export async function sweep(page: AskPage, budget: Budget): Promise<Listing> {
  return walk(page, budget, () => false)
}

/**
 * Walks the list from its start; `isEnough` is called after each page that meets the one before, with that page and all ids
 * so far, and ends the walk early. For a long list some pages are requested ahead: which of them is answered first does not
 * matter, because two neighbours that share an anchor leave nothing out between them.
 */
export async function walk(
  page: AskPage,
  { requestsMax, isLate = () => false, isProofWanted = () => false, reachesTo = 0 }: Budget,
  isEnough: (current: Page, ids: ReadonlySet<string>) => boolean,
): Promise<Listing> {
  if (!Number.isInteger(requestsMax) || requestsMax < 1) {
    throw new RangeError(`requestsMax must be a whole number from 1; came ${requestsMax}`)
  }
  const seen = openSeenPages()
  const pages = openPagesAhead(async (offset) => {
    const answer = await page(offset)
    seen.add(offset, answer)
    return answer
  }, requestsMax)
  const state: State = { pages, seen, isLate, reachesTo, ...atStart }

  async function go(): Promise<Outcome> {
    let page = await pages.at(0)
    while (page !== null) {
      const isFull = page.size >= pageRecords
      if (isEnough(page, seen.ids) || (!isFull && !isProofWanted(page, seen.ids))) return 'enough'
      const next: Page | Stopped = await nextPage(page, state)
      if (next === 'over' || state.same >= samePagesMax) return 'unknown'
      const found: Page | Outcome = next === 'stuck' ? await pageBehind(page, state) : next
      if (typeof found === 'string') return found
      page = found
    }
    return 'unknown'
  }

  // No request is left running, and pages that arrived ahead were used.
  const outcome = await go().finally(() => pages.drop())
  const { hasMoved, isUnbroken, hasGaps } = state
  return {
    alertRecords: seen.records(),
    complete: outcome === 'proven' || (outcome === 'enough' && !hasMoved),
    isEnded: outcome === 'proven',
    isUnbroken,
    hasGaps,
    requests: pages.requests(),
    skipped: seen.skipped(),
  }
}

/**
 * How a walk ended: nothing is listed behind it (`proven`), whoever asked wants no more, perhaps because the last page looks like
 * the last one (`enough`), or the list may go on (`unknown`).
 */
type Outcome = 'proven' | 'enough' | 'unknown'

/** Where a walk is, at the page that begins at `offset`, and how it went so far. */
type State = typeof atStart & {
  readonly pages: PagesAhead
  readonly seen: SeenPages
  readonly isLate: () => boolean
  readonly reachesTo: number
}

const atStart = {
  offset: 0,
  overlap: overlapRecords,
  met: 0,
  same: 0,
  unmet: 0,
  /** Something moved where no anchor shows what. */
  hasMoved: false,
  isUnbroken: true,
  hasGaps: false,
}

/** No page meets this one and shows anything further; or the walk is over budget. */
type Stopped = 'stuck' | 'over'

/** The next page that meets this one. */
async function nextPage(previous: Page, state: State): Promise<Page | Stopped> {
  const { pages, seen, offset } = state
  const isFull = previous.size >= pageRecords
  const isNews = seen.isBehind(offset)
  const knownLast = state.reachesTo - pageRecords
  // A page that is not full may lack records that were left out, or be the full length of this API's pages.
  const strideRecords = isFull
    ? pageRecords - state.overlap
    : previous.size - sharedOf(previous, state.overlap)
  let next = offset + Math.max(1, strideRecords)
  if (previous.size === 0) return 'stuck'
  while (true) {
    if (state.isLate()) return 'over'
    // A list that has not grown needs no page beyond its last one.
    const aheadTo = next <= knownLast ? knownLast : Number.POSITIVE_INFINITY
    if (isFull && state.met >= metBeforeAhead) pages.askFrom(next, fullStrideRecords, aheadTo)
    const current = await pages.at(next)
    if (current === null) return 'over'
    if (next >= offset + previous.size) return nextOfOne(previous, current, state)
    if (!isFull && next > offset && !isAligned(previous, current, next - offset)) state.isUnbroken = false
    if (next === 0 || shareAnchor(previous, current)) {
      state.same = isFull && next > offset && isSame(previous, current) ? state.same + 1 : 0
      if (!isFull && next > offset && !isNews(current)) return 'stuck'
      // A record that was added meanwhile is not a gap.
      if (!isFull && previous.size + current.size - state.overlap > pageRecords) state.hasGaps = true
      state.met += 1
      if (next > offset) {
        if (state.overlap === overlapRecords) state.unmet = 0
        state.overlap = overlapRecords
      }
      state.offset = next
      return current
    }
    // Pages requested ahead are from before the list moved: they would hardly meet anything now.
    await pages.drop()
    state.met = 0
    state.unmet += 1
    if ((!isFull && !isNews(current)) || state.unmet > unmetMax) return 'stuck'
    next = Math.max(0, next - fullStrideRecords)
    // An overlap of nothing but bad records has no anchor: after a gap the overlap grows until the pages meet.
    state.overlap = Math.min(state.overlap * 2, pageRecords - 1)
  }
}

/** Pages of one record share none: nothing moved if the first of two is still the same. */
async function nextOfOne(previous: Page, current: Page, state: State): Promise<Page | Stopped> {
  const { pages, seen, offset } = state
  if (!seen.isBehind(offset)(current)) return 'stuck'
  const again = await pages.at(offset)
  if (again === null || !isSame(previous, again)) state.hasMoved = true
  state.offset = offset + previous.size
  return current
}

/** Proves that the list ends with this page, or returns the one with which it goes on. */
async function pageBehind(previous: Page, state: State): Promise<Page | Outcome> {
  const { pages, seen, offset, reachesTo } = state
  const isLost = state.unmet > unmetMax
  const behind = await readBehind(offset, previous.size, {
    ask: (at) => pages.at(at),
    isNews: seen.isBehind(offset),
    pageRecords,
    reachesTo,
  })
  if (behind.kind !== 'ended' || !behind.isNext) state.isUnbroken = false
  if (behind.kind === 'ended') return state.hasMoved || isLost ? 'unknown' : 'proven'
  if (behind.kind === 'unknown') return 'unknown'
  // No record can be an anchor over a gap: an unchanged previous page shows that nothing moved meanwhile.
  const again = await pages.at(offset)
  if (again === null || !isSame(previous, again) || isLost) state.hasMoved = true
  state.hasGaps = true
  state.unmet = 0
  state.offset = behind.offset
  return behind.page
}

function shareAnchor(one: Page, other: Page): boolean {
  return other.records.some((record) => one.records.some((before) => isAsOther(before, record)))
}

/** Of a page that is not full and the next one, which is to share so many; half of it at most, so that a few records advance. */
function sharedOf({ size }: Page, overlap: number): number {
  return Math.min(overlap, overlap > overlapRecords ? size - 1 : Math.floor(size / 2))
}

/** Does a page that begins so much later begin with the record at that place of the page before? */
function isAligned(one: Page, other: Page, further: number): boolean {
  // Where the records that cannot be read stand is not known.
  if (one.skipped + other.skipped > 0) return true
  return isAsOther(one.records[further], other.records[0])
}

function isSame({ records }: Page, other: Page): boolean {
  return (
    records.length === other.records.length && records.every((one, at) => isAsOther(one, other.records[at]))
  )
}

/** By content, not by id alone: a record that changed may be the one that moved. */
function isAsOther(one: AlertRecord | undefined, other: AlertRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.alertId === other.alertId && contentOf(one) === contentOf(other)
}

function contentOf(alertRecord: AlertRecord): string {
  // Field by field, so that the order is always the same, and a new field of AlertRecord breaks the build here.
  const content: AlertRecord = {
    alertId: alertRecord.alertId,
    timeMs: alertRecord.timeMs,
    serverName: alertRecord.serverName,
    hostname: alertRecord.hostname,
    lifecycle: alertRecord.lifecycle,
    title: alertRecord.title,
    plugin: alertRecord.plugin,
    metric: alertRecord.metric,
    value: alertRecord.value,
    url: alertRecord.url,
    triggerId: alertRecord.triggerId,
    saidSeverity: alertRecord.saidSeverity,
  }
  return JSON.stringify(content)
}

/**
 * Reads a list that is paged by offset while it moves, without missing what keeps its place in it (reliability.md 2).
 *
 * Neighbouring pages overlap and must share an anchor: a record of identical content in both. Without one, something
 * before the page went away between the two requests, and the walk steps back until the pages meet.
 */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { Page } from '../ports/ports.ts'
import { openPagesAhead, readBehind } from './pages.ts'

/** Records on a full page (api-spec.md 8). */
export const pageRecords = 50

/** Records that neighbouring pages share while the list does not move. */
export const overlapRecords = 5

const strideRecords = pageRecords - overlapRecords

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
  /** The list continued after a page that was not full. */
  readonly hasGaps: boolean
  readonly requests: number
  /** Bad records on the pages; one in an overlap counts each time. */
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
  const knownLast = reachesTo - pageRecords
  const seen = openSeen()
  let hasGaps = false
  const pages = openPagesAhead(async (offset) => {
    const answer = await page(offset)
    seen.add(offset, answer)
    return answer
  }, requestsMax)

  /** Returns whether the walk reached its end. */
  async function go(): Promise<boolean> {
    let previous = await pages.at(0)
    let offset = 0
    let overlap = overlapRecords
    let met = 0
    let same = 0
    let unmet = 0
    let isSure = true
    while (previous !== null && !isEnough(previous, seen.ids)) {
      const isFull = previous.size >= pageRecords
      if (!isFull && !isProofWanted(previous, seen.ids)) return isSure
      const isNews = seen.isBehind(offset)
      // A page that is not full may lack records that were left out, or be the full length of this API's pages.
      let next = offset + Math.max(1, (isFull ? pageRecords : previous.size) - overlap)
      let isStuck = previous.size <= overlapRecords
      while (!isStuck) {
        if (isLate()) return false
        // A list that has not grown needs no page beyond its last one.
        const aheadTo = next <= knownLast ? knownLast : Number.POSITIVE_INFINITY
        if (isFull && met >= metBeforeAhead) pages.askFrom(next, strideRecords, aheadTo)
        const current: Page | null = await pages.at(next)
        if (current === null) return false
        if (next === 0 || shareAnchor(previous, current)) {
          same = isFull && next > offset && isSame(previous, current) ? same + 1 : 0
          isStuck = !isFull && next > offset && !isNews(current)
          // A record that was added meanwhile is not a gap.
          if (!isFull && !isStuck && previous.size + current.size - overlap > pageRecords) hasGaps = true
          if (!isStuck) previous = current
          break
        }
        // Pages requested ahead are from before the list moved: they would hardly meet anything now.
        await pages.drop()
        met = 0
        unmet += 1
        isStuck = (!isFull && !isNews(current)) || unmet > unmetMax
        if (isStuck) break
        next = Math.max(0, next - strideRecords)
        // An overlap of nothing but bad records has no anchor: after a gap the overlap grows until the pages meet.
        overlap = Math.min(overlap * 2, pageRecords - 1)
      }
      if (same >= samePagesMax) return false
      if (isStuck) {
        const behind = await readBehind(offset, {
          ask: (at) => pages.at(at),
          isNews,
          pageRecords,
          reachesTo,
        })
        if (behind.kind !== 'goes_on') return behind.kind === 'ended' && isSure && unmet <= unmetMax
        // No record can be an anchor over a gap: an unchanged previous page shows that nothing moved meanwhile.
        const again = await pages.at(offset)
        if (again === null || !isSame(previous, again) || unmet > unmetMax) isSure = false
        hasGaps = true
        unmet = 0
        previous = behind.page
        offset = behind.offset
        continue
      }
      met += 1
      if (next > offset) {
        if (overlap === overlapRecords) unmet = 0
        overlap = overlapRecords
      }
      offset = next
    }
    return previous !== null && isSure
  }

  // No request is left running, and pages that arrived ahead were used.
  const complete = await go().finally(() => pages.drop())
  return {
    alertRecords: seen.records(),
    complete,
    hasGaps,
    requests: pages.requests(),
    skipped: seen.skipped(),
  }
}

/** A record's position: the earliest page that shows it, and the index on that page. */
type Place = { readonly offset: number; readonly at: number }

const start: Place = { offset: 0, at: 0 }

/** Everything that the pages have shown so far, whichever of them was answered first. */
function openSeen() {
  const records = new Map<string, AlertRecord>()
  const ids = new Set<string>()
  const places = new Map<string, Place>()
  let skipped = 0
  const placeOf = (name: string) => places.get(name) ?? start
  return {
    ids,
    skipped: () => skipped,
    add: (offset: number, page: Page) => {
      skipped += page.skipped
      for (const [at, alertRecord] of page.records.entries()) {
        const name = nameOf(alertRecord)
        ids.add(alertRecord.alertId)
        const place = places.get(name)
        if (place === undefined || offset < place.offset) places.set(name, { offset, at })
        remember(records, name, alertRecord)
      }
    },
    /** Does a page show anything beyond the page at `offset` that is neither there nor before? */
    isBehind: (offset: number) => (page: Page) =>
      page.records.some((alertRecord) => placeOf(nameOf(alertRecord)).offset > offset),
    /** In the list's order, not in the order of the answers: it shows whether the list is ordered by time. */
    records: () =>
      [...records]
        .map(([name, alertRecord]) => ({ alertRecord, place: placeOf(name) }))
        .sort((a, b) => byPlace(a.place, b.place))
        .map(({ alertRecord }) => alertRecord),
  }
}

function byPlace(one: Place, other: Place): number {
  return one.offset - other.offset || one.at - other.at
}

/** What distinguishes a record from all others in its list. */
function nameOf({ alertId, timeMs, hostname, title }: AlertRecord): string {
  return JSON.stringify([alertId, timeMs, hostname, title])
}

/** The latest content wins, but states never go backwards. */
function remember(seen: Map<string, AlertRecord>, name: string, alertRecord: AlertRecord): void {
  if (seen.get(name)?.lifecycle === 'end' && alertRecord.lifecycle === 'start') return
  seen.set(name, alertRecord)
}

/** By content, not by id: a record that changed may be the one that moved. */
function shareAnchor(one: Page, other: Page): boolean {
  const contents = new Set(contentsOf(one))
  return contentsOf(other).some((content) => contents.has(content))
}

function isSame(one: Page, other: Page): boolean {
  const contents = contentsOf(one)
  const others = contentsOf(other)
  return others.length === contents.length && others.every((content, at) => content === contents[at])
}

/** Computed once per page: each is compared with the page before and the page after. */
const knownContents = new WeakMap<Page, readonly string[]>()

function contentsOf(page: Page): readonly string[] {
  const contents = knownContents.get(page) ?? page.records.map(contentOf)
  knownContents.set(page, contents)
  return contents
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

/**
 * Reads a list that is paged by offset while it moves, without missing what keeps its place in it (reliability.md 2).
 *
 * Neighbouring pages overlap and must share an anchor: a record of identical content in both. Without one, something
 * before the page went away between the two requests, and the walk steps back until the pages meet.
 */
import type { Sighting } from '../domain/alert.ts'
import type { Page } from './ports.ts'

/** Records on a full page (api-spec.md 8). */
export const pageRecords = 50

/** Records that neighbouring pages share while nothing moves. */
export const overlapRecords = 5

const strideRecords = pageRecords - overlapRecords

/** Asks for the page that starts at `offset`; throws what the port throws. */
export type AskPage = (offset: number) => Promise<Page>

export type Listing = {
  /** One per id, in the order of their first appearance, each with the content seen last; a closed one stays closed. */
  readonly sightings: readonly Sighting[]
  /** False when the budget of requests was used up before the end: absences then mean nothing. */
  readonly complete: boolean
  readonly requests: number
  /** Bad records that pages held; one in an overlap counts each time. */
  readonly skipped: number
}

/**
 * Reads the whole list in at most `requestsMax` requests (1 or more). When `complete`, every alert whose record was
 * listed, and kept its place in the order, from the first request to the last is among the sightings. One request where
 * the list ends on the first page.
 */
export async function sweep(page: AskPage, budget: { readonly requestsMax: number }): Promise<Listing> {
  return walk(page, budget.requestsMax, () => false)
}

/**
 * Walks the list from its start; `isEnough` is asked after each page that meets the one before, with that page and all
 * sightings so far by id, and ends the walk early.
 */
export async function walk(
  page: AskPage,
  requestsMax: number,
  isEnough: (current: Page, seen: ReadonlyMap<string, Sighting>) => boolean,
): Promise<Listing> {
  if (!Number.isInteger(requestsMax) || requestsMax < 1) {
    throw new RangeError(`requestsMax must be a whole number from 1; came ${requestsMax}`)
  }
  const seen = new Map<string, Sighting>()
  let requests = 0
  let skipped = 0
  const ask = async (offset: number): Promise<Page> => {
    requests += 1
    const answer = await page(offset)
    skipped += answer.skipped
    for (const sighting of answer.records) remember(seen, sighting)
    return answer
  }
  const listing = (complete: boolean): Listing => ({
    sightings: [...seen.values()],
    complete,
    requests,
    skipped,
  })

  let offset = 0
  let previous = await ask(0)
  let overlap = overlapRecords
  while (previous.size >= pageRecords && !isEnough(previous, seen)) {
    let next = offset + pageRecords - overlap
    let current: Page
    for (;;) {
      if (requests >= requestsMax) return listing(false)
      current = await ask(next)
      if (next === 0 || shareAnchor(previous, current)) break
      next = Math.max(0, next - strideRecords)
      // An overlap that is all bad records never holds an anchor: after a gap the pages overlap by more, until they meet.
      overlap = Math.min(overlap * 2, pageRecords - 1)
    }
    if (next > offset) overlap = overlapRecords
    offset = next
    previous = current
  }
  return listing(true)
}

/**
 * Whether a listing is ordered by time, latest first; ties are fine. A list of none or one is so by chance: it proves
 * nothing about how the API sorts.
 */
export function isNewestFirst(sightings: readonly Sighting[]): boolean {
  return sightings.every((sighting, at) => at === 0 || sighting.timeMs <= (sightings[at - 1]?.timeMs ?? 0))
}

/** The latest content wins, but states never go backwards. */
function remember(seen: Map<string, Sighting>, sighting: Sighting): void {
  const before = seen.get(sighting.alertId)
  if (before?.lifecycle === 'end' && sighting.lifecycle === 'start') return
  seen.set(sighting.alertId, sighting)
}

/** By content, not by id: a record that changed may be the very thing that moved. */
function shareAnchor(one: Page, other: Page): boolean {
  const contents = new Set(one.records.map(contentOf))
  return other.records.some((sighting) => contents.has(contentOf(sighting)))
}

function contentOf(sighting: Sighting): string {
  // Field by field, so that the order is always the same, and a new field of Sighting breaks the build here.
  const content: Sighting = {
    alertId: sighting.alertId,
    timeMs: sighting.timeMs,
    serverName: sighting.serverName,
    hostname: sighting.hostname,
    lifecycle: sighting.lifecycle,
    title: sighting.title,
    plugin: sighting.plugin,
    metric: sighting.metric,
    value: sighting.value,
    url: sighting.url,
    sparklineUrl: sighting.sparklineUrl,
    triggerId: sighting.triggerId,
  }
  return JSON.stringify(content)
}

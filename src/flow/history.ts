/** Reads the listing of everything (`lifecycle=all`): its new end where that is enough, all of it where it is not. */
import type { Alert, Sighting } from '../domain/alert.ts'
import type { End, Form } from '../domain/correlate.ts'
import { readHead } from './head.ts'
import type { Clock, Journal, Monitor, Page, Recalled, Store } from './ports.ts'
import { isNewestFirst, type Listing, sweep } from './sweep.ts'

/** Requests that one listing may cost: 9,000 records. */
export const requestsMax = 200

/** The whole list is read at start, and again so often: it finds what a head could not show. */
export const wholeEveryMs = 15 * 60_000

export type History = Listing & {
  /** Was everything listed, from its first record to its last? */
  readonly whole: boolean
  /** The remembered alerts among the records. */
  readonly known: ReadonlyMap<string, Alert>
  /** The kept ends among the records. */
  readonly knownEnds: ReadonlyMap<string, End>
}

export type HistoryReader = {
  read(recalled: Recalled, open: Listing, form: Form | null): Promise<History>
}

export function openHistory(ports: {
  monitor: Monitor
  store: Store
  clock: Clock
  journal: Journal
}): HistoryReader {
  const { monitor, store, clock, journal } = ports
  let wholeAtMs: number | null = null
  // No order is documented. A head is worth something only where the newest record comes first, so that is proven by a
  // whole listing before it is relied on, and checked on every head.
  let newestFirst = false

  return {
    read: async (recalled, open, form) => {
      const known = new Map<string, Alert>()
      const knownEnds = new Map<string, End>()
      const ask = async (offset: number): Promise<Page> => {
        const page = await monitor.alerts({ lifecycle: 'all', offset })
        const ids = page.records.map(({ alertId }) => alertId)
        for (const alert of await store.recallByIds(ids)) known.set(alert.alertId, alert)
        const strangers = ids.filter((id) => !known.has(id))
        for (const end of await store.recallEnds(strangers)) knownEnds.set(end.record.alertId, end)
        return page
      }
      const isDue = wholeAtMs === null || clock.nowMs() - wholeAtMs >= wholeEveryMs
      if (newestFirst && !isDue) {
        const head = await readHead(ask, {
          isKnown: (sighting) => isRemembered(sighting, known, knownEnds),
          missing: missingFrom(open, recalled, form),
          requestsMax,
        })
        if (isNewestFirst(head.sightings)) return { ...head, whole: false, known, knownEnds }
        journal.warn('listing:unordered')
      }
      const listing = await sweep(ask, { requestsMax })
      newestFirst = isNewestFirst(listing.sightings)
      wholeAtMs = clock.nowMs()
      if (!listing.complete) journal.warn('listing:incomplete', { requests: listing.requests })
      return { ...listing, whole: listing.complete, known, knownEnds }
    },
  }
}

/** Does the record tell nothing that is not on disk already? */
function isRemembered(
  sighting: Sighting,
  known: ReadonlyMap<string, Alert>,
  knownEnds: ReadonlyMap<string, End>,
): boolean {
  const alert = known.get(sighting.alertId)
  if (alert) return !(sighting.lifecycle === 'end' && alert.state === 'open')
  return knownEnds.has(sighting.alertId)
}

/**
 * Open alerts that the open list no longer shows. In flip form the record itself says how they ended, so it is looked
 * for; in pair form their own records stay as they were and say nothing.
 */
function missingFrom(open: Listing, recalled: Recalled, form: Form | null): ReadonlySet<string> {
  if (form === 'pair' || !open.complete) return new Set()
  const openNow = new Set(open.sightings.map(({ alertId }) => alertId))
  return new Set([...recalled.alerts.keys()].filter((alertId) => !openNow.has(alertId)))
}

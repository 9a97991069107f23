/** Collects the records of a list's pages, in whatever order they are answered. */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { Page } from '../../flow/ports/ports.ts'
import { lacks } from './lost-fields.ts'

/** A record's position: the earliest page that shows it, and the index on that page. */
type Place = { readonly offset: number; readonly at: number }

const start: Place = { offset: 0, at: 0 }

export type SeenPages = ReturnType<typeof openSeenPages>

/** One record per id, server, time and title: the latest content, but a closed one stays closed. */
export function openSeenPages() {
  const records = new Map<string, AlertRecord>()
  const ids = new Set<string>()
  const places = new Map<string, Place>()
  // Where a page with bad records was: the next one may show the same again.
  const bad = new Set<number>()
  // Incomplete records on one page with a complete one of their number are a second alert.
  const beside = new Set<string>()
  let skipped = 0
  const placeOf = (name: string) => places.get(name) ?? start
  return {
    ids,
    skipped: () => skipped,
    add: (offset: number, page: Page) => {
      if (page.skipped > 0) {
        const positions = Array.from({ length: page.size }, (_, at) => offset + at).filter(
          (at) => !bad.has(at),
        )
        skipped += Math.min(page.skipped, positions.length)
        for (const at of positions) bad.add(at)
      }
      for (const [at, alertRecord] of page.records.entries()) {
        const name = nameOf(alertRecord)
        if (lacks(alertRecord) && page.records.some((other) => isWholeOf(alertRecord, other)))
          beside.add(name)
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
    records: () => {
      // Pages overlap: the same record may be half read on one and whole on the next, and is one alert.
      const all = [...records.values()]
      const whole = new Set(all.some(lacks) ? all.filter((one) => !lacks(one)).map(momentOf) : [])
      return [...records]
        .filter(([name, one]) => !lacks(one) || beside.has(name) || !whole.has(momentOf(one)))
        .map(([name, alertRecord]) => ({ alertRecord, place: placeOf(name) }))
        .sort((a, b) => byPlace(a.place, b.place))
        .map(({ alertRecord }) => alertRecord)
    },
  }
}

function isWholeOf(half: AlertRecord, other: AlertRecord): boolean {
  return momentOf(other) === momentOf(half) && !lacks(other)
}

/** What a record that is half read has of its whole one. */
function momentOf({ alertId, timeMs }: AlertRecord): string {
  return `${timeMs} ${alertId}`
}

function byPlace(one: Place, other: Place): number {
  return one.offset - other.offset || one.at - other.at
}

/** What distinguishes a record from all others in its list. The lengths say where each part ends. */
function nameOf({ alertId, timeMs, hostname, title }: AlertRecord): string {
  return `${timeMs} ${alertId.length} ${hostname.length} ${alertId}${hostname}${title}`
}

/** The latest content wins, but states never go backwards. */
function remember(seen: Map<string, AlertRecord>, name: string, alertRecord: AlertRecord): void {
  if (seen.get(name)?.lifecycle === 'end' && alertRecord.lifecycle === 'start') return
  seen.set(name, alertRecord)
}

/** Reads the listing of everything (`lifecycle=all`): its new end where that is enough, all of it where it is not. */
import { type Alert, type AlertRecord, mayBeOpen } from '../../domain/alert/alert.ts'
import { isBelievable, unknownTimeMs } from '../../domain/alert/believable.ts'
import { isOfAny, isSameRecord, numberOf } from '../../domain/alert/episode.ts'
import type { End, Form } from '../../domain/alert/pairing.ts'
import { apiRestMaxMs } from '../../domain/base/backoff.ts'
import { OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin, remainingMs } from '../../domain/base/set-clock.ts'
import type { Clock, Logger, Monitor, Page } from '../ports/ports.ts'
import type { Recalled, Store } from '../ports/store.ts'
import { readHead } from './recent.ts'
import { missingFrom, openSeeker } from './seek.ts'
import { type Listing, sweep } from './sweep.ts'

/** Requests that one listing may cost: 9,000 records. */
export const requestsMax = 200
/** Where the newest records do not come first, they stand behind all others: 50,000, as many again, and then some. */
export const longRequestsMax = 2_500
const listingMsMax = 2 * 60_000
/** So many requests are not made at every poll. */
const longEveryMs = 60_000

/** The whole list is read at start, and again so often: it finds what a head could not show. */
export const wholeEveryMs = 15 * 60_000
const wholeAgainMs = 60_000

export type History = Listing & {
  /** Was everything listed, from its first record to its last? */
  readonly whole: boolean
  /** What ended the listing too early, if anything did; the alert records are those before it. */
  readonly failure: OutsideFailure | null
  readonly newestFirst: boolean
  /** Numbers of open alerts that were looked for in it, and that it does not show (see `seek.ts`). */
  readonly lacks: ReadonlySet<string>
  /** The remembered alerts that have the numbers of the records, by their keys. */
  readonly known: ReadonlyMap<string, Alert>
  /** The kept ends that have the numbers of the records, by their keys. */
  readonly knownEnds: ReadonlyMap<string, End>
}

export type HistoryReader = {
  /** Never fails for the API's sake: what is open is told even while what is over cannot be read. */
  read(recalled: Recalled, open: Listing, form: Form | null): Promise<History>
}

export function openHistory(ports: {
  monitor: Monitor
  store: Pick<Store, 'recallByNumbers' | 'recallEnds'>
  clock: Clock
  logger: Logger
}): HistoryReader {
  const { monitor, store, clock, logger } = ports
  let nextWholeMs = Number.NEGATIVE_INFINITY
  // No order is documented. A head is worth something only where the newest record comes first, so that is proven by a
  // whole listing before it is relied on, and checked on every head.
  let newestFirst = false
  // An API that went on behind a page that was not full may do so at any other one.
  let hasGaps = false
  // Why the whole list could not be read when it was asked for last; null where it could.
  let failed: OutsideFailure | null = null
  // An API that asked to be left alone is, as far as what is over goes: what is open does not wait for that.
  let rest: { readonly untilMs: number; readonly failure: OutsideFailure } | null = null
  // Such a list is longer than the usual budget, and its new end is behind that; when it was read last.
  let longReadMs: number | null = null
  const seeker = openSeeker()
  // Alerts that left the list of what is open while nobody knew how one closes: the whole list was read for each of them.
  const puzzling = new Set<string>()

  function isWholeDue(): boolean {
    return remainingMs(nextWholeMs, clock.nowMs(), failed !== null ? wholeAgainMs : wholeEveryMs) === 0
  }

  async function read(recalled: Recalled, open: Listing, form: Form | null): Promise<History> {
    if (rest !== null && remainingMs(rest.untilMs, clock.nowMs(), apiRestMaxMs) > 0)
      return notRead(rest.failure)
    const history = await snapshot(recalled, open, form)
    const { failure } = history
    const restMs = Math.min(failure?.retryAfterMs ?? 0, apiRestMaxMs)
    rest = failure === null || restMs === 0 ? null : { untilMs: clock.nowMs() + restMs, failure }
    // While the whole list is held back, its first page does not stand for it: what is further down is not known.
    return { ...history, failure: failure ?? failed }
  }

  async function snapshot(recalled: Recalled, open: Listing, form: Form | null): Promise<History> {
    const reading = startReading()
    const missing = missingFrom(open, recalled, form)
    const isPuzzle = form === null && missing.some(({ number }) => !puzzling.has(number))
    if (newestFirst && !isWholeDue() && !isPuzzle) {
      const recent = await reading.run((ask) =>
        readHead(ask, {
          isKnown: (alertRecord) => reading.isRemembered(alertRecord, form),
          missing: seeker.worthIt(missing),
          hasGaps,
          requestsMax,
        }),
      )
      const lacks = seeker.note(missing, recent, requestsMax)
      hasGaps ||= recent.hasGaps
      if (isNewestFirst(recent.alertRecords, clock.nowMs()))
        return { ...recent, ...reading, whole: false, newestFirst, lacks }
      logger.warn('listing:unordered')
    }
    if (longReadMs !== null && isWithin(longReadMs, clock.nowMs(), longEveryMs - 1)) return notAsked()
    // After a failure the whole list is not asked for at every poll: its first page tells the newest.
    const isHeldBack = failed !== null && !isWholeDue()
    const budget = longReadMs === null ? requestsMax : longRequestsMax
    const listing = await reading.run((ask) =>
      sweep(ask, { requestsMax: isHeldBack ? 1 : budget, isProofWanted: () => !isHeldBack }),
    )
    hasGaps ||= listing.hasGaps
    let lacks: ReadonlySet<string> = new Set()
    if (!isHeldBack) {
      seeker.forget()
      if (isPuzzle) for (const { number } of missing) puzzling.add(number)
      lacks = seeker.note(missing, listing, budget)
      failed = listing.failure
      newestFirst = failed === null && isNewestFirst(listing.alertRecords, clock.nowMs())
      const isLong = listing.requests >= requestsMax && failed === null && !newestFirst
      // Cut at the usual budget it is read on at the next poll.
      if (!isLong) longReadMs = null
      else longReadMs = budget === longRequestsMax ? clock.nowMs() : Number.NEGATIVE_INFINITY
      nextWholeMs = clock.nowMs() + (failed === null ? wholeEveryMs : wholeAgainMs)
      if (!listing.complete) logger.warn('listing:incomplete', { list: 'all', requests: listing.requests })
    }
    return { ...listing, ...reading, whole: listing.complete, newestFirst, lacks }
  }

  /** One reading: asks page by page, looks up what is remembered of each, and keeps what came before a failure. */
  function startReading() {
    const startedMs = clock.nowMs()
    const known = new Map<string, Alert>()
    const knownEnds = new Map<string, End>()
    const alertsOf = new Map<string, Alert[]>()
    const endsOf = new Map<string, End[]>()
    const seen: AlertRecord[] = []
    let requests = 0
    let skipped = 0

    function alertOf(alertRecord: AlertRecord, form: Form | null): Alert | null {
      const isOpen = form === 'flip' && alertRecord.lifecycle === 'start'
      return isOfAny(alertsOf.get(alertRecord.alertId) ?? [], alertRecord, { isOpen, nowMs: startedMs })
    }

    /** Does the record tell nothing that is not on disk already? */
    function isRemembered(alertRecord: AlertRecord, form: Form | null): boolean {
      const alert = alertOf(alertRecord, form)
      if (alert !== null) return !(alertRecord.lifecycle === 'end' && mayBeOpen(alert))
      const ends = endsOf.get(alertRecord.alertId) ?? []
      return ends.some(({ record }) => isSameRecord(record, alertRecord, startedMs))
    }

    async function ask(offset: number): Promise<Page> {
      if (clock.nowMs() - startedMs > listingMsMax) {
        throw new OutsideFailure('unreachable', 'the listing of all alerts took too long')
      }
      requests += 1
      const page = await monitor.alerts({ lifecycle: 'all', offset })
      skipped += page.skipped
      for (const record of page.records) seen.push(record)
      const numbers = [...new Set(page.records.map(({ alertId }) => alertId))]
      for (const alert of await store.recallByNumbers(numbers)) {
        known.set(alert.alertId, alert)
        add(alertsOf, numberOf(alert.alertId), alert)
      }
      // As a rule every record is of an alert, and there is no end to look for.
      const others = page.records.filter((seen) => alertOf(seen, null) === null).map(({ alertId }) => alertId)
      for (const end of await store.recallEnds([...new Set(others)])) {
        knownEnds.set(end.record.alertId, end)
        add(endsOf, numberOf(end.record.alertId), end)
      }
      return page
    }

    async function run(walk: (ask: (offset: number) => Promise<Page>) => Promise<Listing>) {
      try {
        return { ...(await walk(ask)), failure: null }
      } catch (error) {
        if (!(error instanceof OutsideFailure)) throw error
        return { alertRecords: seen, complete: false, hasGaps: false, requests, skipped, failure: error }
      }
    }

    return { run, known, knownEnds, isRemembered }
  }

  return { read }
}

/** The history of a poll that never came to read it. */
export function notRead(failure: OutsideFailure): History {
  return { ...notAsked(), complete: false, failure }
}

/** Of a poll at which it was not due. */
function notAsked(): History {
  return {
    alertRecords: [],
    complete: true,
    hasGaps: false,
    requests: 0,
    skipped: 0,
    whole: false,
    failure: null,
    newestFirst: false,
    lacks: new Set(),
    known: new Map(),
    knownEnds: new Map(),
  }
}

function add<Value>(lists: Map<string, Value[]>, number: string, value: Value): void {
  lists.set(number, [...(lists.get(number) ?? []), value])
}

/** So many records with a time that can be, for each one without, still show how the list is ordered. */
const believedPerStray = 9

/**
 * Whether a listing is ordered by time, latest first; ties are fine. A list of none or one is so by chance: it proves
 * nothing about how the API sorts. Nor do times that cannot be: one record that is dated a year ahead would otherwise
 * have the whole list read at every poll for as long as it is listed. Where no time could be read, nothing is proven.
 */
export function isNewestFirst(alertRecords: readonly AlertRecord[], nowMs: number): boolean {
  if (alertRecords.length > 1 && alertRecords.every(({ timeMs }) => timeMs === unknownTimeMs)) return false
  if (isDescending(alertRecords)) return true
  const believed = alertRecords.filter(({ timeMs }) => isBelievable(timeMs, nowMs))
  const strays = alertRecords.length - believed.length
  return strays * believedPerStray <= believed.length && isDescending(believed)
}

function isDescending(alertRecords: readonly AlertRecord[]): boolean {
  return alertRecords.every(
    (alertRecord, at) => at === 0 || alertRecord.timeMs <= (alertRecords[at - 1]?.timeMs ?? 0),
  )
}

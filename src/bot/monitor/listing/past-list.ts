/** Reads the listing of everything (`lifecycle=all`): its new end if that is enough, otherwise all of it. */
import { type Alert, type AlertRecord, mayBeOpen } from '../../domain/alert/alert.ts'
import type { CloseStyle, End } from '../../domain/alert/end.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { apiRestMaxMs } from '../../domain/base/backoff.ts'
import { OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin, remainingMs } from '../../domain/base/set-clock.ts'
import type { Known } from '../../flow/ports/alert-source.ts'
import type { Clock, Logger, Monitor, Page } from '../../flow/ports/ports.ts'
import type { Depth } from './lists.ts'
import { isOfAny, isSameRecord } from './matching.ts'
import { isNewestFirst, readHead } from './newest-first.ts'
import { openProgress, shareByAge } from './progress.ts'
import { missingFrom, openSeeker } from './seek.ts'
import { type Listing, sweep } from './sweep.ts'

/** Limit of requests for one listing: 9,000 records. */
export const requestsMax = 200
/** If the newest records do not come first, they come after all others: 50,000, as many again, and some to spare. */
const longRequestsMax = 2_500
const listingMsMax = 2 * 60_000
/** Queries for each page of a long list would take as long as parsing it. */
const recalledAtOnce = 500
/** That many requests are made at most this often. */
const longEveryMs = 60_000

/** The whole list is read at start, and again this often: it finds what its new end could not show. */
export const wholeEveryMs = 15 * 60_000
const wholeAgainMs = 60_000

export type PastList = Listing & {
  readonly depth: Depth
  /** What cut the listing short, if anything did; the alert records are those before it. */
  readonly failure: OutsideFailure | null
  /** Numbers of open alerts that were searched for in it and not found (see `seek.ts`). */
  readonly lacks: ReadonlySet<string>
  /** The remembered alerts with the records' numbers, by their keys. */
  readonly known: ReadonlyMap<string, Alert>
  /** The kept ends with the records' numbers, by their keys. */
  readonly knownEnds: ReadonlyMap<string, End>
}

/** Never throws for a failing API: open alerts are announced even while ended ones cannot be read. */
export type PastListReader = (known: Known, open: Listing, form: CloseStyle | null) => Promise<PastList>

type PastListPorts = {
  readonly monitor: Pick<Monitor, 'alerts'>
  readonly clock: Clock
  readonly logger: Logger
}

export function openPastList(ports: PastListPorts): PastListReader {
  const { clock, logger } = ports
  let nextWholeMs = Number.NEGATIVE_INFINITY
  // No order is documented. Reading only the new end works if the newest record comes first, so a complete listing must prove
  // that first, and every later reading checks it.
  let newestFirst = false
  // An API that once continued after a page that was not full may do so after any other.
  let hasGaps = false
  // Why the whole list could not be read at the last attempt; null if it could.
  let failed: OutsideFailure | null = null
  // An API that asked for a rest gets it, as far as ended alerts go: open alerts do not wait for that.
  let rest: { readonly untilMs: number; readonly failure: OutsideFailure } | null = null
  // When a list was last read that is longer than the usual budget, with its new end beyond it.
  let longReadMs: number | null = null
  // When what is missing was last searched for in as long a list.
  let deepMs: number | null = null
  const seeker = openSeeker()
  // Alerts that left the open list while the closing form was unknown: the whole list was read for each of them.
  const puzzling = new Set<string>()

  const isWholeDue = () =>
    remainingMs(nextWholeMs, clock.nowMs(), failed !== null ? wholeAgainMs : wholeEveryMs) === 0

  async function read(remembered: Known, open: Listing, form: CloseStyle | null): Promise<PastList> {
    if (rest !== null && remainingMs(rest.untilMs, clock.nowMs(), apiRestMaxMs) > 0)
      return notRead(rest.failure)
    const list = await readList(remembered, open, form)
    const { failure } = list
    const restMs = Math.min(failure?.retryAfterMs ?? 0, apiRestMaxMs)
    rest = failure === null || restMs === 0 ? null : { untilMs: clock.nowMs() + restMs, failure }
    // While the whole list is held back, its first page cannot replace it: what is further down is unknown.
    return failure === null && failed === null ? list : { ...list, depth: 'part', failure: failure ?? failed }
  }

  async function readList(remembered: Known, open: Listing, form: CloseStyle | null): Promise<PastList> {
    const missing = missingFrom(open, remembered, form)
    const isDeep = deepMs === null || !isWithin(deepMs, clock.nowMs(), longEveryMs - 1)
    const sought = seeker.worthIt(missing, isDeep)
    const budget = longReadMs === null ? requestsMax : longRequestsMax
    const headBudget = isDeep && sought.length > 0 ? longRequestsMax : requestsMax
    const isPuzzle = form === null && missing.some(({ number }) => !puzzling.has(number))
    if (newestFirst && !isWholeDue() && !isPuzzle) {
      const reading = startReading(ports, remembered, headBudget)
      const recent = await reading.run(() =>
        readHead(reading.askRecalling, {
          isKnown: (alertRecord) => reading.isRemembered(alertRecord, form),
          missing: sought,
          hasGaps,
          requestsMax: headBudget,
          // So far down it is a search, and no failure if it takes too long.
          isLate: () => reading.asked() > requestsMax && reading.isLate(),
        }),
      )
      if (recent.requests > requestsMax) deepMs = clock.nowMs()
      const isOrdered = isNewestFirst(recent.alertRecords, clock.nowMs())
      const lacks = seeker.note(missing, recent, { budget: headBudget, isNewestFirst: isOrdered })
      hasGaps ||= recent.hasGaps
      if (isOrdered) return { ...recent, ...reading, depth: 'newest', lacks }
      logger.warn('listing:unordered')
    }
    if (longReadMs !== null && isWithin(longReadMs, clock.nowMs(), longEveryMs - 1)) return notAsked()
    // After a failure the whole list is not read at every poll: its first page has the newest records.
    const isHeldBack = failed !== null && !isWholeDue()
    const reading = startReading(ports, remembered, budget)
    const listing = await reading.run(() =>
      sweep(reading.ask, { requestsMax: isHeldBack ? 1 : budget, isProofWanted: () => !isHeldBack }),
    )
    hasGaps ||= listing.hasGaps
    let lacks: ReadonlySet<string> = new Set()
    if (!isHeldBack) {
      seeker.forget()
      if (isPuzzle) for (const { number } of missing) puzzling.add(number)
      failed = listing.failure
      newestFirst = failed === null && isNewestFirst(listing.alertRecords, clock.nowMs())
      lacks = seeker.note(missing, listing, { budget, isNewestFirst: newestFirst })
      const isLong = listing.requests >= requestsMax && failed === null && !newestFirst
      // A reading that was cut at the usual budget continues at the next poll.
      if (!isLong) longReadMs = null
      else longReadMs = budget === longRequestsMax ? clock.nowMs() : Number.NEGATIVE_INFINITY
      nextWholeMs = clock.nowMs() + (failed === null ? wholeEveryMs : wholeAgainMs)
      if (!listing.complete) logger.warn('listing:incomplete', { list: 'all', requests: listing.requests })
    }
    return { ...listing, ...reading, depth: depthOf(listing, newestFirst), lacks }
  }

  return read
}

function depthOf({ complete }: Listing, newestFirst: boolean): Depth {
  if (complete) return 'whole'
  return newestFirst ? 'newest' : 'part'
}

/** One reading: asks page by page, recalls what is remembered of the records, and keeps what came before a failure. */
function startReading({ monitor, clock, logger }: PastListPorts, store: Known, budget: number) {
  const startedMs = clock.nowMs()
  const tellProgress = openProgress(
    { clock, logger },
    { list: 'all', requestsMax: budget, msMax: listingMsMax, shareRead: shareByAge(startedMs) },
  )
  const known = new Map<string, Alert>()
  const knownEnds = new Map<string, End>()
  const alertsOf = new Map<string, Alert[]>()
  const endsOf = new Map<string, End[]>()
  const seen: AlertRecord[] = []
  let recalledTo = 0
  let requests = 0
  let skipped = 0

  function alertOf(alertRecord: AlertRecord, form: CloseStyle | null): Alert | null {
    const isOpen = form === 'flip' && alertRecord.lifecycle === 'start'
    return isOfAny(alertsOf.get(alertRecord.alertId) ?? [], alertRecord, { isOpen, nowMs: startedMs })
  }

  const isLate = () => clock.nowMs() - startedMs > listingMsMax

  /** Is everything in the record already on disk? */
  function isRemembered(alertRecord: AlertRecord, form: CloseStyle | null): boolean {
    const alert = alertOf(alertRecord, form)
    if (alert !== null) return !(alertRecord.lifecycle === 'end' && mayBeOpen(alert))
    const ends = endsOf.get(alertRecord.alertId) ?? []
    return ends.some(({ record }) => isSameRecord(record, alertRecord, startedMs))
  }

  async function ask(offset: number): Promise<Page> {
    if (isLate()) {
      throw new OutsideFailure('unreachable', 'the listing of all alerts took too long')
    }
    requests += 1
    const page = await monitor.alerts({ lifecycle: 'all', offset })
    skipped += page.skipped
    for (const record of page.records) seen.push(record)
    tellProgress(offset, page)
    return page
  }

  /** Recalls what is remembered of the records that came since the last call. */
  async function recall(): Promise<void> {
    while (recalledTo < seen.length) {
      const records = seen.slice(recalledTo, recalledTo + recalledAtOnce)
      recalledTo += records.length
      const numbers = [...new Set(records.map(({ alertId }) => alertId))]
      for (const alert of await store.recallByNumbers(numbers)) {
        known.set(alert.alertId, alert)
        add(alertsOf, numberOf(alert.alertId), alert)
      }
      // Usually every record belongs to an alert, and there is no end to look for.
      const others = records.filter((record) => alertOf(record, null) === null).map(({ alertId }) => alertId)
      for (const end of await store.recallEnds([...new Set(others)])) {
        knownEnds.set(end.record.alertId, end)
        add(endsOf, numberOf(end.record.alertId), end)
      }
    }
  }

  /** For a walk that ends where everything is remembered. */
  async function askRecalling(offset: number): Promise<Page> {
    const page = await ask(offset)
    await recall()
    return page
  }

  async function run(walk: () => Promise<Listing>) {
    let listing: Listing & { readonly failure: OutsideFailure | null }
    try {
      listing = { ...(await walk()), failure: null }
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      listing = { ...notAsked(), alertRecords: seen, complete: false, requests, skipped, failure: error }
    }
    await recall()
    return listing
  }

  return { run, ask, askRecalling, known, knownEnds, isRemembered, isLate, asked: () => requests }
}

/** The list of a poll that did not get as far as reading it. */
export function notRead(failure: OutsideFailure): PastList {
  return { ...notAsked(), complete: false, failure }
}

/** For a poll at which it was not due. */
function notAsked(): PastList {
  return {
    alertRecords: [],
    complete: true,
    isEnded: false,
    isUnbroken: false,
    hasGaps: false,
    requests: 0,
    skipped: 0,
    depth: 'part',
    failure: null,
    lacks: new Set(),
    known: new Map(),
    knownEnds: new Map(),
  }
}

function add<Value>(lists: Map<string, Value[]>, number: string, value: Value): void {
  lists.set(number, [...(lists.get(number) ?? []), value])
}

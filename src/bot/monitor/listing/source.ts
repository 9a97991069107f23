/**
 * Implements the port `AlertSource`: reads the list of open alerts, then that of everything, and matches them with the stored
 * alerts.
 */
import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { unknownTimeMs } from '../../domain/alert/believable.ts'
import type { CloseStyle, End } from '../../domain/alert/end.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { Memory, Snapshot } from '../../domain/alert/snapshot.ts'
import type { Coverage, Seen } from '../../domain/alert/unreadable.ts'
import { brokenAt, HistoryUnread, OutsideFailure } from '../../domain/base/failure.ts'
import { type Kept, listedLately } from '../../domain/base/retention.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import type { Facts } from '../../domain/plan.ts'
import { contain } from '../../flow/concurrency/contain.ts'
import { stepByStep } from '../../flow/concurrency/in-turns.ts'
import type { AlertSource, Known } from '../../flow/ports/alert-source.ts'
import type { Clock, Logger, Monitor } from '../../flow/ports/ports.ts'
import { type Identified, identifying } from './identify.ts'
import { isOfAny } from './matching.ts'
import { type OpenList, openOpenList } from './open-list.ts'
import { notRead, openPastList, type PastList } from './past-list.ts'
import type { Listing } from './sweep.ts'

/** An API lists what ended for 30 days (docs/api.md); a day less, as its clock differs from ours. */
const listedForMs = 29 * 24 * 60 * 60_000
/** After so long of nothing but empty lists it may be true: somebody deleted everything. */
const emptyMaxMs = 24 * 60 * 60_000

type SourcePorts = {
  readonly monitor: Pick<Monitor, 'alerts'>
  readonly clock: Clock
  readonly logger: Logger
}

export type SourceOptions = {
  readonly lifecycle: CloseStyle | 'auto'
  /** After an absence longer than this, the bot catches up: open alerts are announced at once, ended ones are only recorded. */
  readonly absenceMs: number
  /** How long ended things are remembered; usually as in `domain/base/retention.ts`. */
  readonly kept?: Kept
}

export function openAlertSource(ports: SourcePorts, options: SourceOptions): AlertSource {
  const { clock, logger } = ports
  const readOpen = openOpenList(ports)
  const readPast = openPastList(ports)
  const isFormFixed = options.lifecycle !== 'auto'
  const refuseEmptied = openEmptiedCheck()

  return {
    async snapshot(known: Known): Promise<Snapshot> {
      const { facts } = known
      const openIds = [...known.alerts.values()].flatMap((alert) =>
        alert.state === 'open' ? numberOf(alert.alertId) : [],
      )
      const form = options.lifecycle === 'auto' ? facts.form : options.lifecycle
      const open = await readOpen(openIds)
      // An API that has just failed gets no further requests.
      const past =
        open.failure === null
          ? await contain(
              { kind: 'poll', logger },
              () => readPast(known, open, form),
              (errorId) => notRead(brokenAt('what is over', errorId)),
            )
          : notRead(open.failure)
      const nowMs = clock.nowMs()
      const newestMs = await known.newestStartMs()
      if (past.failure === null) refuseEmptied([open, past], newestMs, nowMs)
      const catchingUp = facts.polledMs === null || nowMs - facts.polledMs > options.absenceMs
      const memory = await recallSeen(known, { open, past, nowMs })
      const numbers = numbersIn(memory, open)
      const isNamed = (alertId: string) => numbers.has(alertId)
      const lists = {
        // A record that could not be read may be the one that seems to be missing.
        open: { alertRecords: open.alertRecords, complete: open.complete && open.skipped === 0 },
        all: {
          alertRecords: listedLately(past.alertRecords, isNamed, { nowMs, newestMs }, options.kept),
          depth: past.depth,
          lacks: past.lacks,
        },
        nowMs,
        polledMs: known.readMs ?? facts.polledMs,
        form,
        isFormFixed,
        catchingUp,
        historyMs: facts.historyMs,
      }
      const identified = await stepByStep(clock, identifying(memory, lists))
      const { keptEnds, droppedEndIds, ...found } = identified
      const seen = {
        coverage: coverageOf(open, past, keptEnds),
        unreadable: {
          open: open.skipped,
          listed: open.alertRecords.length + open.skipped,
          past: Math.max(0, past.skipped - open.skipped),
        },
        ...leftOutOf(open),
        ...(open.doubt === undefined ? {} : { doubt: open.doubt }),
      }
      return {
        open: found.open,
        ended: found.ended,
        missing: found.missing,
        nowMs,
        polledMs: lists.polledMs,
        catchingUp,
        ...seen,
        learned: {
          keptEnds,
          droppedEndIds,
          facts: learnedFacts(facts, identified, past, { isFormFixed, nowMs, catchingUp }),
        },
        failure: open.failure ?? (past.failure === null ? null : new HistoryUnread(past.failure, seen)),
        requests: open.requests + past.requests,
        skipped: open.skipped + past.skipped,
      }
    },
  }
}

/**
 * What closes stays listed, so lists without a single record, where one began lately, are another account's, or those of a copy
 * that has lost its data: refused for a day.
 */
function openEmptiedCheck() {
  let emptySinceMs: number | null = null
  return (lists: readonly Listing[], newestMs: number | null, nowMs: number): void => {
    const isEmpty = lists.every(({ alertRecords, skipped }) => alertRecords.length + skipped === 0)
    if (!isEmpty) emptySinceMs = null
    if (!isEmpty || lists.some(({ requests }) => requests === 0)) return
    emptySinceMs ??= nowMs
    if (!isWithin(emptySinceMs, nowMs, emptyMaxMs)) return
    if (newestMs === null || nowMs - newestMs > listedForMs) return
    throw new OutsideFailure(
      'unreachable',
      'the monitoring API lists nothing at all, not even what ended lately',
    )
  }
}

function coverageOf(open: OpenList, past: PastList, keptEnds: readonly End[]): Coverage {
  const isSettled = keptEnds.every(({ decided }) => decided)
  return {
    open: open.complete ? 'complete' : 'partial',
    past: past.failure !== null ? 'unread' : past.complete && isSettled ? 'complete' : 'partial',
  }
}

/** Every alert and end that has the number of a listed record. */
async function recallSeen(
  known: Known,
  { open, past, nowMs }: { readonly open: OpenList; readonly past: PastList; readonly nowMs: number },
): Promise<Memory> {
  const alerts = new Map([...past.known, ...known.alerts])
  // If the record belongs to an open alert, no other episode of its number matters.
  const notOf = (openOf: (seen: AlertRecord) => readonly Alert[]) => (some: readonly AlertRecord[]) =>
    some.filter((seen) => isOfAny(openOf(seen), seen, { isOpen: true, nowMs }) === null)
  // Usually each belongs to the first episode of its number.
  const first = ({ alertId }: AlertRecord) => [known.alerts.get(alertId) ?? []].flat()
  const unsure = notOf(first)(open.alertRecords)
  const byNumber = Map.groupBy(unsure.length === 0 ? [] : known.alerts.values(), ({ alertId }) =>
    numberOf(alertId),
  )
  const strangers = notOf(({ alertId }) => byNumber.get(alertId) ?? [])(unsure)
  const numbers = [...new Set(strangers.map(({ alertId }) => alertId))]
  for (const alert of await known.recallByNumbers(numbers)) alerts.set(alert.alertId, alert)
  const ends = new Map(known.ends.map((end) => [end.record.alertId, end]))
  return { alerts, ends: [...new Map([...ends, ...past.knownEnds]).values()] }
}

function leftOutOf({ alertRecords }: OpenList): Pick<Seen, 'leftOut'> {
  const leftOut = alertRecords.reduce((sum, record) => sum + (record.leftOut ?? 0), 0)
  return leftOut === 0 ? {} : { leftOut }
}

function numbersIn({ alerts, ends }: Memory, open: OpenList): ReadonlySet<string> {
  return new Set([
    ...[...alerts.keys()].map(numberOf),
    ...ends.map(({ record }) => numberOf(record.alertId)),
    ...open.alertRecords.map(({ alertId }) => alertId),
  ])
}

/** Only what changed. A form that was set by hand is not learned. */
function learnedFacts(
  facts: Facts,
  { form }: Identified,
  past: PastList,
  now: { readonly isFormFixed: boolean; readonly nowMs: number; readonly catchingUp: boolean },
): Partial<Facts> {
  return {
    ...(now.isFormFixed || form === null || form === facts.form ? {} : { form }),
    ...(now.catchingUp ? { historyMs: historyEnd(past, now.nowMs) } : {}),
  }
}

/**
 * A complete listing has been remembered record by record, and needs no boundary. In one that was cut short, newest first,
 * everything older than its last record was not seen. Otherwise, what was not read is history up to the start and no further:
 * what happens while the past cannot be read is news.
 */
function historyEnd({ alertRecords, depth, failure }: PastList, nowMs: number): number | null {
  if (depth === 'whole') return null
  const times = alertRecords.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs !== unknownTimeMs)
  // What was read before a failure may have gaps: only the newest record says how far the list went.
  if (failure !== null && isDescending(times)) return Math.min(times[0] ?? nowMs, nowMs)
  if (depth === 'part' || times.length === 0) return nowMs + 1
  return times.reduce((a, b) => Math.min(a, b), nowMs)
}

/** In the order of the API's own times, if the list has an order at all. */
function isDescending(times: readonly number[]): boolean {
  const isOrdered = times.every((timeMs, at) => at === 0 || timeMs <= (times[at - 1] ?? 0))
  return isOrdered && (times[0] ?? 0) > (times.at(-1) ?? 0)
}

/**
 * Searches the list of everything for open alerts that the open list lacks. Only those that are not there either close by their
 * absence.
 */
import { type AlertRecord, isLastAbsence, isLost } from '../../domain/alert/alert.ts'
import { isBelievable } from '../../domain/alert/believable.ts'
import type { CloseStyle } from '../../domain/alert/end.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { OutsideFailure } from '../../domain/base/failure.ts'
import type { Known } from '../../flow/ports/alert-source.ts'
import type { Listing } from './sweep.ts'

/** The alerts that are missing, by the API's number. */
export type Missing = {
  readonly number: string
  readonly startedMs: number
  /** One more absence closes it. */
  readonly isLast: boolean
  /** It waits for the next reading of the whole list: otherwise each of these would have a long list read at each poll. */
  readonly waitsForFullListing: boolean
}

export type Seeker = {
  /** Those that are worth reading further for; `isDeep`: with a budget for the longest lists. */
  worthIt(missing: readonly Missing[], isDeep: boolean): readonly Missing[]
  /** Returns the numbers that are not listed, as far as this reading proves it; `isNewestFirst`: is it in this order? */
  note(
    missing: readonly Missing[],
    reading: Omit<Listing, 'complete' | 'hasGaps' | 'skipped'> & {
      readonly failure: OutsideFailure | null
    },
    how: { readonly budget: number; readonly isNewestFirst: boolean },
  ): ReadonlySet<string>
  /** From here on all are worth reading for again. */
  forget(): void
}

/** A list in order of time, read so much further down than an alert began, does not have it: clocks differ, and may be set. */
const passedByMs = 24 * 60 * 60_000

/** Would this list, newest first and read down to this time, have shown it? */
export function isPassed({ startedMs }: Pick<Missing, 'startedMs'>, oldestMs: number): boolean {
  return oldestMs < startedMs - passedByMs
}

/** The earliest possible one of these times. */
export function oldestOf(alertRecords: readonly AlertRecord[]): number {
  const times = alertRecords.map(({ timeMs }) => timeMs)
  return times.reduce(
    (least, timeMs) => (isBelievable(timeMs, timeMs) ? Math.min(least, timeMs) : least),
    Number.POSITIVE_INFINITY,
  )
}

export function openSeeker(): Seeker {
  // Not found where it would stand, or within the budget: repeating that would find nothing else.
  let notFound = new Map<string, 'unlisted' | 'spent'>()
  // Of those that wait, those that were searched for since they do.
  let looked = new Set<string>()

  return {
    worthIt: (missing, isDeep) =>
      missing.filter(({ number, isLast, waitsForFullListing }) => {
        const why = notFound.get(number)
        if (waitsForFullListing) return !looked.has(number)
        // Before an absence closes it, it is searched for once more.
        return why === 'spent' ? isDeep : why === undefined || isLast
      }),
    note(missing, { alertRecords, isEnded, isUnbroken, requests, failure }, { budget, isNewestFirst }) {
      if (failure !== null || missing.length === 0) return new Set()
      for (const { number, waitsForFullListing } of missing) if (waitsForFullListing) looked.add(number)
      const found = new Set(alertRecords.map(({ alertId }) => alertId))
      const oldestMs = isNewestFirst ? oldestOf(alertRecords) : Number.POSITIVE_INFINITY
      const lacking = missing.filter(({ number }) => !found.has(number))
      // Where a position was skipped, or the list goes on, nothing is absent.
      const unlisted = lacking.filter((one) => isUnbroken && (isEnded || isPassed(one, oldestMs)))
      if (requests >= budget) for (const { number } of lacking) notFound.set(number, 'spent')
      for (const { number } of unlisted) notFound.set(number, 'unlisted')
      return new Set(unlisted.map(({ number }) => number))
    },
    forget: () => {
      notFound = new Map()
      looked = new Set()
    },
  }
}

/**
 * Open alerts that the open list no longer shows. In flip form the record itself says how each ended. In pair form its end is
 * usually among the new records, and its own record is unchanged: it is searched for only if there is no end, and then shows
 * that the alert is still open.
 */
export function missingFrom(
  open: Pick<Listing, 'alertRecords' | 'complete' | 'skipped'>,
  { alerts }: Pick<Known, 'alerts'>,
  form: CloseStyle | null,
): readonly Missing[] {
  if (!open.complete) return []
  const openNow = new Set(open.alertRecords.map(({ alertId }) => alertId))
  return [...alerts.values()].flatMap((alert) => {
    const number = numberOf(alert.alertId)
    // A record that could not be read may be the missing one: then nothing closes by its absence.
    const isLast = open.skipped === 0 && isLastAbsence(alert)
    // What is too old to be listed is in no list.
    const isAged = isLost(alert) && alert.missingMs === null
    return openNow.has(number) || isAged || (form === 'pair' && !isLast)
      ? []
      : [{ number, startedMs: alert.startedMs, isLast, waitsForFullListing: isLost(alert) }]
  })
}

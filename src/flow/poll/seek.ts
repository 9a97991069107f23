/**
 * Which open alerts that the open list lacks are searched for in the list of everything, and which are not there either. Only
 * these close by their absence: what is listed anywhere may be open.
 */
import { isLastAbsence, isLost } from '../../domain/alert/alert.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { Form } from '../../domain/alert/pairing.ts'
import type { OutsideFailure } from '../../domain/base/failure.ts'
import type { Recalled } from '../ports/store.ts'
import type { Listing } from './sweep.ts'

/** By the API's number. */
export type Missing = {
  readonly number: string
  /** One more absence closes it. */
  readonly isLast: boolean
  /** It waits for the next reading of the whole list: otherwise each of these would have a long list read at each poll. */
  readonly isPatient: boolean
}

export type Seeker = {
  /** Those that are worth reading further for. */
  worthIt(missing: readonly Missing[]): readonly string[]
  /** Returns the numbers that are not listed, as far as this reading, or one with the full budget, can prove it. */
  note(
    missing: readonly Missing[],
    reading: Pick<Listing, 'alertRecords' | 'complete' | 'requests'> & {
      readonly failure: OutsideFailure | null
    },
    budget: number,
  ): ReadonlySet<string>
  /** From here on all are worth reading for again. */
  forget(): void
}

export function openSeeker(): Seeker {
  // Not found down to the list's end, or within the full budget: repeating that would find nothing else.
  let notFound = new Map<string, 'ended' | 'spent'>()

  return {
    worthIt: (missing) =>
      missing.flatMap(({ number, isLast, isPatient }) => {
        const why = notFound.get(number)
        // Before an absence closes it, it is searched for once more.
        return isPatient || why === 'spent' || (why === 'ended' && !isLast) ? [] : [number]
      }),
    note(missing, { alertRecords, complete, requests, failure }, budget) {
      if (failure !== null || missing.length === 0) return new Set()
      const found = new Set(alertRecords.map(({ alertId }) => alertId))
      const why = complete ? 'ended' : requests >= budget ? 'spent' : null
      const lacking = missing.map(({ number }) => number).filter((number) => !found.has(number))
      // A list whose end is not proven shows no absence.
      if (why !== null) {
        for (const number of lacking) if (notFound.get(number) !== 'spent') notFound.set(number, why)
      }
      return new Set(lacking.filter((number) => why !== null || notFound.get(number) === 'spent'))
    },
    forget: () => {
      notFound = new Map()
    },
  }
}

/**
 * Open alerts that the open list no longer shows. In flip form the record itself says how each ended. In pair form its end is
 * usually among the new records, and its own record is unchanged: it is searched for only if there is no end, and then shows
 * that the alert is still open.
 */
export function missingFrom(open: Listing, recalled: Recalled, form: Form | null): readonly Missing[] {
  if (!open.complete) return []
  const openNow = new Set(open.alertRecords.map(({ alertId }) => alertId))
  return [...recalled.alerts.values()].flatMap((alert) => {
    const number = numberOf(alert.alertId)
    // A record that could not be read may be the missing one: then nothing closes by its absence.
    const isLast = open.skipped === 0 && isLastAbsence(alert)
    return openNow.has(number) || (form === 'pair' && !isLast)
      ? []
      : [{ number, isLast, isPatient: isLost(alert) }]
  })
}

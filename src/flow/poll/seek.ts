/**
 * Which open alerts, once the list of what is open lacks them, are looked for in the list of everything, and which of them are
 * not there either. Nothing else closes by its absence: what is listed anywhere may be open.
 */
import { isLastAbsence } from '../../domain/alert/absence.ts'
import { isLost } from '../../domain/alert/alert.ts'
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
  /** It waits for the next reading of the whole list: for each of these a long list would be read at each poll. */
  readonly isPatient: boolean
}

export type Seeker = {
  /** Those that are worth reading on for. */
  worthIt(missing: readonly Missing[]): readonly string[]
  /** Answers the numbers that are not listed, as far as this reading, or one that asked for all it may, can say so. */
  note(
    missing: readonly Missing[],
    reading: Pick<Listing, 'alertRecords' | 'complete' | 'requests'> & {
      readonly failure: OutsideFailure | null
    },
    budget: number,
  ): ReadonlySet<string>
  /** From here on all are worth it again. */
  forget(): void
}

export function openSeeker(): Seeker {
  // Not there down to the list's end, or as far as may be asked for: to ask for that much again would bring nothing else.
  let inVain = new Map<string, 'ended' | 'spent'>()

  return {
    worthIt: (missing) =>
      missing.flatMap(({ number, isLast, isPatient }) => {
        const why = inVain.get(number)
        // Before an absence closes it, it is looked for once more.
        return isPatient || why === 'spent' || (why === 'ended' && !isLast) ? [] : [number]
      }),
    note(missing, { alertRecords, complete, requests, failure }, budget) {
      if (failure !== null || missing.length === 0) return new Set()
      const found = new Set(alertRecords.map(({ alertId }) => alertId))
      const why = complete ? 'ended' : requests >= budget ? 'spent' : null
      const lacking = missing.map(({ number }) => number).filter((number) => !found.has(number))
      // A list whose end is not proven shows no absence.
      if (why !== null) {
        for (const number of lacking) if (inVain.get(number) !== 'spent') inVain.set(number, why)
      }
      return new Set(lacking.filter((number) => why !== null || inVain.get(number) === 'spent'))
    },
    forget: () => {
      inVain = new Map()
    },
  }
}

/**
 * Open alerts that the list of what is open shows no more. In flip form the record itself says how each ended. In pair form
 * its end is among what is new, as a rule, and its own record stays as it was: it is looked for only where there is no end,
 * and says then that the alert is open all the same.
 */
export function missingFrom(open: Listing, recalled: Recalled, form: Form | null): readonly Missing[] {
  if (!open.complete) return []
  const openNow = new Set(open.alertRecords.map(({ alertId }) => alertId))
  return [...recalled.alerts.values()].flatMap((alert) => {
    const number = numberOf(alert.alertId)
    // A record that could not be read may be the missing one: nothing closes by its absence then.
    const isLast = open.skipped === 0 && isLastAbsence(alert)
    return openNow.has(number) || (form === 'pair' && !isLast)
      ? []
      : [{ number, isLast, isPatient: isLost(alert) }]
  })
}

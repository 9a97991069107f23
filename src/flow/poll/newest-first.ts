/** How an API orders its list: none is documented, so it is seen by a whole listing. */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import { isBelievable, unknownTimeMs } from '../../domain/alert/believable.ts'

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

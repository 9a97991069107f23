/**
 * Finds out which alert a record belongs to. An API may reopen a record, and reuse a number for another alert: each such episode
 * is an alert of its own here, with its own key. People see the API's number on all of them.
 */
/** Only at the end: everything before it is the API's, whatever it contains. */
const placed = /~(\d+)$/

/** What the API and people call an alert: its key without the suffix that distinguishes episodes of one number. */
export function numberOf(alertId: string): string {
  // Called for every record of long lists; there is usually nothing to remove.
  return alertId.includes('~') ? alertId.replace(placed, '') : alertId
}

/** An alert's place among the episodes of its number, from 1; the first one's key is usually the number itself. */
export function placeOf(alertId: string): number {
  return Number(placed.exec(alertId)?.[1] ?? 1)
}

/** The key of the episode at this place. A number that itself ends like a key always gets its place appended. */
export function keyOf(number: string, place: number): string {
  return place === 1 && !placed.test(number) ? number : `${number}~${place}`
}

/** Nobody types more digits than this; of a longer number its ending is said. */
const typedDigitsMax = 12
const endingMin = 4

/** Is it too long for people to type? */
export function isLongNumber(number: string): boolean {
  return number.length > typedDigitsMax && /^\d+$/.test(number)
}

/** The endings of a long number, the shortest first: people use one that no other alert has. */
export function endingsOf(number: string): string[] {
  const lengths = Array.from({ length: number.length - endingMin + 1 }, (_, more) => endingMin + more)
  return lengths.map((length) => number.slice(-length))
}

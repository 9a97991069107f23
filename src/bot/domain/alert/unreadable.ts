/** What one reading could not see: how much of the lists it covers, and how many records cannot be assigned to an alert. */

/** What could not be read in the lists of one poll. */
export type Unreadable = {
  /** In the list of open alerts; a record that is on two overlapping pages counts twice. */
  readonly open: number
  /** Records in that list, including the readable ones. */
  readonly listed: number
  /** In the list of everything, without those. */
  readonly past: number
}

/** Unreadable records for as long as they last. */
export type StillUnreadable = Unreadable & {
  /** The last poll before it, when there were none (or not many, once there are many); epoch milliseconds. */
  readonly sinceMs: number
  /** How many polls in a row had many of them; 0 if the last one did not. */
  readonly manyTimes: number
}

/** How much of the two lists one reading covers. Where it is not `complete`, absence from it says nothing. */
export type Coverage = {
  /** `partial`: the list of what is open was not read to its end; some of it may be shown nowhere. */
  readonly open: 'complete' | 'partial'
  /**
   * `partial`: the list of everything was not read as far down as it may contain anything new, or it showed ends of which only the
   * next poll shows what they closed, so that they count nowhere yet. `unread`: it could not be read.
   */
  readonly past: 'complete' | 'partial' | 'unread'
}

/** What one poll saw of the two lists, and what it could not see. */
export type Seen = {
  readonly coverage: Coverage
  readonly unreadable: Unreadable
  /** How many optional fields of what is listed as open, or parts of them, could not be used; absent for none. */
  readonly leftOut?: number
  /** Why the service itself says that what it lists as open may not be all; absent if it does not. */
  readonly doubt?: string
}

/** This many alerts that cannot be announced are as bad as none that can be read, however many others can. */
const manyRecords = 10

/** The reason given for unusable API answers; people see it. */
export const unusableWords = 'their records have no usable id'

/** Are so many unreadable (half of the open alerts, or ten) that the rest no longer shows how things are? */
export function isMany({ open, listed }: Unreadable): boolean {
  return open >= manyRecords || (open > 0 && open * 2 >= listed)
}

/** The state after this poll. `before` is the state before it, `lastMs` when the previous poll was; null if there was none. */
export function stillUnreadable(
  before: StillUnreadable | null,
  now: Unreadable,
  { lastMs, nowMs }: { readonly lastMs: number | null; readonly nowMs: number },
): StillUnreadable | null {
  if (now.open + now.past === 0) return null
  const manyTimes = isMany(now) ? (before?.manyTimes ?? 0) + 1 : 0
  const goesOn = before !== null && before.manyTimes > 0 === manyTimes > 0
  return { ...now, manyTimes, sinceMs: goesOn ? before.sinceMs : (lastMs ?? nowMs) }
}

/** `4 of 5 open alerts cannot be read: …`: may be shown to people. */
export function unreadableWords({ open, listed }: Unreadable): string {
  return `${open} of ${listed} open alerts cannot be read: ${unusableWords}`
}

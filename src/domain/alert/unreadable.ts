/** Records of which nobody can tell which alert they are: how many there were, and whether they are so many that the bot is blind. */

/** What the lists of one poll held that could not be read. */
export type Unreadable = {
  /** Of the list of what is open; one that two pages overlap in counts twice. */
  readonly open: number
  /** Records of that list, those that could be read among them. */
  readonly listed: number
  /** Of the list of everything, beyond those. */
  readonly past: number
}

/** The same while it lasts. */
export type StillUnreadable = Unreadable & {
  /** The last poll before that, at which there were none (or not many, once there are many); epoch milliseconds. */
  readonly sinceMs: number
  /** Polls in a row at which they were many; 0 while they are not. */
  readonly manyTimes: number
}

/** What one poll saw of the two lists, and what of them it could not see. */
export type Seen = {
  /** Was the list of what is open read to its end? If not, some of it may be told of nowhere. */
  readonly isWhole: boolean
  /** Was the other list read as far down as it may hold anything new? */
  readonly isPastWhole: boolean
  readonly unreadable: Unreadable
}

/** So many alerts that nobody can be told of are as bad as none that can be read, however many others can. */
const manyRecords = 10

/** What the API's answers are blamed for; people are told it. */
export const unusableWords = 'their records have no usable id'

/** Half of what is open, or ten of them, are so much that what is left is no picture of how things are. */
export function isMany({ open, listed }: Unreadable): boolean {
  return open >= manyRecords || (open > 0 && open * 2 >= listed)
}

/** `before` is how it was until this poll, `lastMs` when the poll before it was, null where there was none. */
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

/** `4 of 5 open alerts cannot be read: …`: fit to be shown. */
export function unreadableWords({ open, listed }: Unreadable): string {
  return `${open} of ${listed} open alerts cannot be read: ${unusableWords}`
}

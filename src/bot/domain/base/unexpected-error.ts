/** Unexpected errors, by the kind of job they ended: shown to people while they are fresh. */

/** Each kind of work that runs by itself. */
export const jobKinds = [
  'poll',
  'card',
  'delivery',
  'picture',
  'marker',
  'mute',
  'reminder',
  'home',
  'board',
  'outages',
  'retention',
  'schedule',
  'heartbeat',
  'reading',
  'page',
  'oncall',
  'file',
  'report',
] as const
export type JobKind = (typeof jobKinds)[number]

/** `errorId` is in the log, and equal for equal errors; `lastMs` is when the last one came, epoch milliseconds. */
export type UnexpectedError = {
  readonly job: JobKind
  readonly errorId: string
  readonly times: number
  readonly lastMs: number
}

/** People see it for this long after the last one. */
const freshMs = 60 * 60_000

/** The list after one more error, one entry per kind of job: different errors count together and show the last one. */
export function afterUnexpectedError(
  known: readonly UnexpectedError[],
  { job, errorId, atMs }: { readonly job: JobKind; readonly errorId: string; readonly atMs: number },
): readonly UnexpectedError[] {
  const before = freshUnexpectedErrors(known, atMs).find((one) => one.job === job)
  const others = known.filter((one) => one.job !== job)
  return [...others, { job, errorId, times: (before?.times ?? 0) + 1, lastMs: atMs }]
}

/** Those that are still worth showing; after the clock was set back nothing is kept for longer. */
export function freshUnexpectedErrors(
  known: readonly UnexpectedError[],
  nowMs: number,
): readonly UnexpectedError[] {
  return known.filter(({ lastMs }) => Math.abs(nowMs - lastMs) < freshMs)
}

/** A job that failed by itself this often is set aside. */
export const brokenTriesMax = 4

/** Why a card, a picture or a marker is missing, if monbot itself failed. */
export function internalErrorText(errorId: string): string {
  return `monbot broke at it: ${errorId}`
}

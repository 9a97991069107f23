/** What nobody foresaw, by the kind of job that it ended: told to people for as long as it is fresh. */

const jobs = {
  poll: true,
  card: true,
  delivery: true,
  picture: true,
  marker: true,
  mute: true,
  reminder: true,
  home: true,
  board: true,
  blindness: true,
  retention: true,
  schedule: true,
} as const

/** A kind of work that goes on by itself. */
export type JobKind = keyof typeof jobs
export const jobKinds = Object.keys(jobs) as readonly JobKind[]

/** `errorId` is in the log, and the same for the same error; `lastMs` is when it last came, epoch milliseconds. */
export type Mishap = {
  readonly job: JobKind
  readonly errorId: string
  readonly times: number
  readonly lastMs: number
}

/** For so long after the last one people are told. */
const freshMs = 60 * 60_000

/** After one more, one a kind of job: errors that differ are told by the last one, and counted together. */
export function afterMishap(
  known: readonly Mishap[],
  { job, errorId, atMs }: { readonly job: JobKind; readonly errorId: string; readonly atMs: number },
): readonly Mishap[] {
  const before = freshMishaps(known, atMs).find((one) => one.job === job)
  const others = known.filter((one) => one.job !== job)
  return [...others, { job, errorId, times: (before?.times ?? 0) + 1, lastMs: atMs }]
}

/** Those that are worth telling; of a clock that was set back nothing is kept for longer. */
export function freshMishaps(known: readonly Mishap[], nowMs: number): readonly Mishap[] {
  return known.filter(({ lastMs }) => Math.abs(nowMs - lastMs) < freshMs)
}

/** A job that broke so often by itself is set aside. */
export const brokenTriesMax = 4

/** Why a card, a picture or a marker is not there, where monbot itself broke at it. */
export function brokeAt(errorId: string): string {
  return `monbot broke at it: ${errorId}`
}

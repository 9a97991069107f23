/** Unforeseen errors, by the kind of job they ended: shown to people while they are fresh. */

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
  outages: true,
  retention: true,
  schedule: true,
  heartbeat: true,
  reading: true,
} as const

/** A kind of work that runs by itself. */
export type JobKind = keyof typeof jobs
export const jobKinds = Object.keys(jobs) as readonly JobKind[]

/** `errorId` is in the log, and equal for equal errors; `lastMs` is when the last one came, epoch milliseconds. */
export type Mishap = {
  readonly job: JobKind
  readonly errorId: string
  readonly times: number
  readonly lastMs: number
}

/** People see it for this long after the last one. */
const freshMs = 60 * 60_000

/** The list after one more error, one entry per kind of job: different errors count together and show the last one. */
export function afterMishap(
  known: readonly Mishap[],
  { job, errorId, atMs }: { readonly job: JobKind; readonly errorId: string; readonly atMs: number },
): readonly Mishap[] {
  const before = freshMishaps(known, atMs).find((one) => one.job === job)
  const others = known.filter((one) => one.job !== job)
  return [...others, { job, errorId, times: (before?.times ?? 0) + 1, lastMs: atMs }]
}

/** Those that are still worth showing; after the clock was set back nothing is kept for longer. */
export function freshMishaps(known: readonly Mishap[], nowMs: number): readonly Mishap[] {
  return known.filter(({ lastMs }) => Math.abs(nowMs - lastMs) < freshMs)
}

/** A job that failed by itself this often is set aside. */
export const brokenTriesMax = 4

/** Why a card, a picture or a marker is missing, if monbot itself failed. */
export function brokeAt(errorId: string): string {
  return `monbot broke at it: ${errorId}`
}

/** Long work in steps: whoever drives it may see to others between two. The steps themselves wait for nothing. */

/** Each step tells how much was looked at since the one before. */
export type Steps<Result> = Generator<number, Result>

/** All of it at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

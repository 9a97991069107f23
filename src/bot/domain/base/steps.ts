/** Long work in steps: the caller may do other work between two of them. The steps themselves wait for nothing. */

/** Each step yields how many items were looked at since the previous one. */
export type Steps<Result> = Generator<number, Result>

/** Runs all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

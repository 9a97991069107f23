/**
 * Long work in steps: the caller may do other work between two of them. The steps themselves wait for nothing. Each yields how
 * many things were looked at since the one before it. No step takes 250 ms with fifty thousand alerts.
 */
export type Steps<Result> = Generator<number, Result>

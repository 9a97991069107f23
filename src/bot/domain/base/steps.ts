/**
 * Long work in steps, between which the caller may do other work. Each step yields how many things it looked at, and takes less
 * than 250 ms with fifty thousand alerts.
 */
export type Steps<Result> = Generator<number, Result>

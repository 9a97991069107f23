/** What is known of an alert's metric: its unit, the limit that it broke, and its value since. */

/** `high`: an alert opens at this value or above; `low`: at this value or below. */
export type Limit = { readonly value: number; readonly side: 'high' | 'low' }

/** Null where it is not known. */
export type Reading = {
  readonly units: string | null
  readonly limit: Limit | null
  /** The latest value, and the time that it is of (epoch milliseconds). */
  readonly last: { readonly value: number; readonly atMs: number } | null
  /** The worst value since it opened: the highest, or for a low limit the lowest. */
  readonly peak: number | null
  /** When it was read: what it was worst is sure once that is after the close. */
  readonly readMs: number | null
}

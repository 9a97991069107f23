/** An alert's metric as it is known: its unit, the limit that it met, and its later values. */

/** `high`: an alert opens at this value or above; `low`: at this value or below. */
export type Limit = { readonly value: number; readonly side: 'high' | 'low' }

/** A reading; null for what is not known. */
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

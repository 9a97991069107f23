/** A time in which the monitoring API could not be read, told by one card in each channel. */

/** Kept on disk, so that a restart in the middle of it goes on with the same card. Times are epoch milliseconds. */
export type Blind = {
  readonly blindId: string
  /** From the last good poll, or from the first failure where there was none. */
  readonly sinceMs: number
  /** The failure's own sentence, fit to be shown. */
  readonly why: string
  /** When the API was read again; null while it is not. */
  readonly untilMs: number | null
  /** How often it began: an API that comes and goes stays on one card. */
  readonly times: number
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

/** What was found once the API could be read again: alerts first seen since then, those of them still open, and what closed. */
export type Found = { readonly opened: number; readonly stillOpen: number; readonly closed: number }

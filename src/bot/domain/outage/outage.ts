/** A time in which the monitoring API could not be read. Those that follow each other soon share one card in each channel. */

/** Kept on disk, so that a restart in the middle of it goes on with the same card. Times are epoch milliseconds. */
export type Outage = {
  readonly outageId: string
  /** The first one of its card, which may be itself, and since when that one was. */
  readonly cardOf: string
  readonly cardSinceMs: number
  /** From the last good poll, or from the first failure where there was none. */
  readonly sinceMs: number
  /** The failure's own sentence, fit to be shown. */
  readonly why: string
  /** When the API was read again; null while it is not. */
  readonly untilMs: number | null
  /** When a later poll left nothing of that time unknown; null until then: what came and went may still be found. */
  readonly sureMs: number | null
  /** Its card has said in some channel that this one, or one before it, is over; absent while it has not. */
  readonly isTold?: true
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

/** What was found once the API could be read again: alerts first seen since then, those of them still open, and what closed. */
export type Found = { readonly opened: number; readonly stillOpen: number; readonly closed: number }

/** How much of a span of time the API could not be read in. */
export type OutageTimes = {
  readonly times: number
  readonly ms: number
  /** Is all known by now of what happened then? */
  readonly isSure: boolean
}

/** Of these, earliest first and to the present, those between the two times. */
export function outageTimes(outages: readonly Outage[], fromMs: number, toMs: number): OutageTimes {
  const lastSure = outages.findLastIndex(({ sureMs }) => sureMs !== null)
  const spans = outages.flatMap(({ sinceMs, untilMs }, at) => {
    const ms = Math.min(untilMs ?? toMs, toMs) - Math.max(sinceMs, fromMs)
    return ms > 0 ? [{ ms, isSure: at <= lastSure }] : []
  })
  return {
    times: spans.length,
    ms: spans.reduce((sum, { ms }) => sum + ms, 0),
    isSure: spans.every(({ isSure }) => isSure),
  }
}

/** An outage as its card shows it; `found` is null while it lasts. */
export type ToldOutage = { readonly outage: Outage; readonly found: Found | null }

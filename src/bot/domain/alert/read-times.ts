/** Decides when the metric of an open alert is read again. */
import type { Alert } from './alert.ts'
import { factsOfTitle } from './title-facts.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** So long after it was first seen, and then every hour. */
const stepsMs = [1, 5, 15, 30].map((minutes) => minutes * minuteMs)
/** What its card does not say yet is read at once. */
const unknownMs = 2_000
/** Its last minutes can be read then: the API measures about once a minute. */
const afterCloseMs = minuteMs
export const readingWaitMaxMs = hourMs

/**
 * When the metric of an alert is to be read next; missed times count as one. Null if it has no metric, or is not open any more.
 */
export function nextReadMs(alert: Alert, nowMs: number, isNew = false): number | null {
  if (alert.metric === null || alert.metric === '' || isSilence(alert)) return null
  if (alert.state === 'closed')
    return isNew || alert.closedMs === null ? null : Math.max(nowMs, alert.closedMs + afterCloseMs)
  if (alert.state !== 'open') return null
  if (isNew && alert.details?.limit === undefined && factsOfTitle(alert.title) === null)
    return nowMs + unknownMs
  const sinceMs = Math.min(alert.reopenedMs ?? alert.firstSeenMs, nowMs)
  const step = stepsMs.find((ms) => sinceMs + ms > nowMs)
  return step === undefined ? sinceMs + (Math.floor((nowMs - sinceMs) / hourMs) + 1) * hourMs : sinceMs + step
}

/** Is it a heartbeat? Its value is the seconds since the server last reported, which its card shows as a time. */
export function isSilence({ metric }: Pick<Alert, 'metric'>): boolean {
  return metric === 'seconds_since_report'
}

/** Alerts as CSV (RFC 4180), one row an alert; text that a spreadsheet would run begins with an apostrophe. */
import { subjectOf } from '../../view/words.ts'
import type { Alert } from '../../world/types.ts'

/** More are cut, the oldest first. */
const csvRowsMax = 10_000

const header =
  'alert,rule,server,severity,state,title,opened,closed,open_seconds,closed_by,acknowledged,on_it,link'

export function csvOf(alerts: readonly Alert[]): string {
  const rows = alerts
    .toSorted((a, b) => b.startedMs - a.startedMs)
    .slice(0, csvRowsMax)
    .map(rowOf)
  return `${[header, ...rows].join('\r\n')}\r\n`
}

function rowOf(alert: Alert): string {
  const { closedMs, closedAfterMs, heldMs } = alert
  return [
    alert.number,
    subjectOf(alert),
    alert.server,
    alert.severity,
    stateOf(alert),
    alert.title,
    isoTime(alert.startedMs),
    closedMs === null ? '' : isoTime(closedMs),
    closedAfterMs === null ? '' : String(Math.round(closedAfterMs / 1000)),
    alert.closedBy ?? '',
    heldMs === null ? '' : isoTime(heldMs),
    alert.holder ?? '',
    alert.url ?? '',
  ]
    .map(cell)
    .join(',')
}

function stateOf({ isOneoff, closedMs, unlistedMs }: Alert): string {
  if (isOneoff) return 'one-off'
  if (closedMs !== null) return 'closed'
  return unlistedMs === null ? 'open' : 'unlisted'
}

function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Formulas may hide behind spaces, and begin with a full-width sign. */
function cell(text: string): string {
  const plain = text.replaceAll('\0', '')
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(plain) ? `'${plain}` : plain
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

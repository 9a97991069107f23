/** Writes alerts as CSV (RFC 4180), one row an alert, for spreadsheets and scripts. */
import { type RuleFacts, ruleOf } from '../alert/rule.ts'
import { hourMs, minuteMs } from '../base/duration.ts'
import { wallClock } from '../base/wall-clock.ts'

/** What a row says of an alert; as `CountedAlert`. */
export type ListedAlert = RuleFacts & {
  readonly number: string
  readonly server: string
  readonly severity: string
  readonly state: string
  readonly title: string
  readonly url: string
  readonly startedMs: number
  readonly closedMs: number | null
  readonly closedAfterMs: number | null
  readonly ackedMs: number | null
  /** A user's id in Slack, of who had it last. */
  readonly ackedBy: string | null
  readonly isHidden: boolean
  readonly useful: number
  readonly noise: number
}

/** More rows are cut, the oldest first: a spreadsheet of more is read by nobody. */
export const csvRowsMax = 10_000

const columns = [
  'alert',
  'rule',
  'server',
  'severity',
  'state',
  'title',
  'opened',
  'closed',
  'open_seconds',
  'acknowledged',
  'acknowledged_by',
  'hidden_by_mute',
  'useful',
  'noise',
  'link',
] as const

/** Yields each line with its end, the header first. Times are ISO 8601 with the offset of the zone (IANA). */
export function* csvLines(alerts: Iterable<ListedAlert>, zone: string): Generator<string> {
  const timeOf = isoIn(zone)
  yield `${columns.join(',')}\r\n`
  for (const alert of alerts) {
    const { startedMs, closedMs, closedAfterMs, ackedMs } = alert
    const isKnown = closedMs !== null && closedAfterMs === null
    const cells = [
      cell(alert.number),
      cell(ruleOf(alert)),
      cell(alert.server),
      cell(alert.severity),
      cell(alert.state),
      cell(alert.title),
      timeOf(startedMs),
      closedMs === null ? '' : timeOf(closedMs),
      // Empty where nobody saw when it closed.
      isKnown ? String(Math.max(0, Math.round((closedMs - startedMs) / 1000))) : '',
      ackedMs === null ? '' : timeOf(ackedMs),
      cell(alert.ackedBy ?? ''),
      alert.isHidden ? 'yes' : 'no',
      String(alert.useful),
      String(alert.noise),
      cell(alert.url),
    ]
    yield `${cells.join(',')}\r\n`
  }
}

/**
 * Text from outside as one cell. A spreadsheet takes what begins with one of these for a formula, also behind spaces: an
 * apostrophe makes it text.
 */
function cell(text: string): string {
  const plain = text.replaceAll('\0', '')
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(plain) ? `'${plain}` : plain
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Offsets are looked up once a quarter of an hour, as no zone changes in between, and a lookup takes a hundred times as long. */
export function isoIn(zone: string): (ms: number) => string {
  const wallOf = wallClock(zone)
  const quarterMs = hourMs / 4
  const offsets = new Map<number, number>()
  return (ms) => {
    const quarter = Math.floor(ms / quarterMs)
    const known = offsets.get(quarter)
    const offsetMs = known ?? wallOf(quarter * quarterMs) - quarter * quarterMs
    if (known === undefined) offsets.set(quarter, offsetMs)
    const local = new Date(Math.floor(ms / 1000) * 1000 + offsetMs).toISOString().slice(0, 19)
    const minutes = Math.round(Math.abs(offsetMs) / minuteMs)
    const two = (n: number) => String(n).padStart(2, '0')
    return `${local}${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  }
}

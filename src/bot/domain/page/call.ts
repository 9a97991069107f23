/** What the pager is told of a page, in plain words. Pure. */
import type { Alert } from '../alert/alert.ts'
import { type Severity, worstFirst } from '../alert/severity.ts'
import { subjectWords } from '../alert/subject-words.ts'
import { countsOf } from '../base/counts.ts'
import type { Page, PageEvent } from './page.ts'

/** One event for the pager. Times are epoch milliseconds. */
export type PageCall = PageEvent & {
  readonly key: string
  /** What is wrong, and where, in one line. */
  readonly headline: string
  readonly severity: Severity
  /** Null: several. */
  readonly server: string | null
  /** Those that all of its alerts have. */
  readonly labels: Readonly<Record<string, string>>
  /** How many alerts it is about. */
  readonly alerts: number
  /** When the first of them opened. */
  readonly openedMs: number
  /** To the card in Slack; null where Slack does not say it (yet). */
  readonly link: string | null
}

/** `alerts`: those of the page that are still stored; none of a page that is long over. */
export function callOf(
  page: Page,
  event: PageEvent,
  alerts: readonly Alert[],
  link: string | null,
): PageCall {
  const worst = worstFirst(alerts)
  const [first] = worst
  const servers = new Set(alerts.map(({ hostname }) => hostname))
  return {
    ...event,
    key: page.key,
    headline: first === undefined ? 'An alert that is over' : headlineOf(page, worst),
    severity: first?.severity ?? 'warning',
    server: servers.size === 1 && first !== undefined ? first.hostname : null,
    labels: sharedLabels(alerts),
    alerts: page.alertIds.length,
    openedMs: alerts.reduce((ms, { startedMs }) => Math.min(ms, startedMs), event.atMs),
    link,
  }
}

const reasonsShown = 2
const nameCharsMax = 200

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, nameCharsMax).toWellFormed()
}

function headlineOf({ isOfList, alertIds }: Page, worst: readonly Alert[]): string {
  const [first] = worst
  if (first === undefined || (isOfList && alertIds.length > 1)) {
    const { most, names } = countsOf(worst.map(subjectWords), reasonsShown)
    const what = most.map(({ name }) => oneLine(name)).join(', ')
    const servers = new Set(worst.map(({ hostname }) => hostname)).size
    const on = servers === 1 ? `on ${oneLine(first?.serverName ?? '')}` : `on ${servers} servers`
    return `${alertIds.length} alerts ${on}: ${what}${names > reasonsShown ? ', …' : ''}`
  }
  const critical = first.severity === 'critical' ? 'Critical: ' : ''
  return `${critical}${oneLine(subjectWords(first))} on ${oneLine(first.serverName)}`
}

function sharedLabels(alerts: readonly Alert[]): Readonly<Record<string, string>> {
  const [first, ...others] = alerts
  const entries = Object.entries(first?.details?.labels ?? {})
  return Object.fromEntries(
    entries.filter(([name, value]) =>
      others.every(
        ({ details }) =>
          details !== undefined && Object.hasOwn(details.labels, name) && details.labels[name] === value,
      ),
    ),
  )
}

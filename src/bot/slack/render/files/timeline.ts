/** Renders a timeline as a Markdown file, for whoever writes the post-mortem. Text of others is escaped, and cut to a line. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { NoticeTopic } from '../../../domain/card/kinds.ts'
import type { PageDelivery, PageEventType } from '../../../domain/page/page.ts'
import { isoIn } from '../../../domain/request/alert-csv.ts'
import type { TextFile } from '../../../domain/request/answer.ts'
import { type Timeline, timelineRowsMax } from '../../../domain/request/timeline.ts'
import { plainWords, printable, webAddress } from '../../mrkdwn.ts'
import { toldLine } from '../actions/words.ts'
import { plainSubject } from '../text/headline.ts'
import { counted, serverOf } from '../text/phrases.ts'

const titleCharsMax = 300
const lineCharsMax = 1_000
const labelsShown = 40

type Row = { readonly atMs: number; readonly words: string }

export function renderTimeline(timeline: Timeline): TextFile {
  const { alert, alerts, count, isList, atMs, zone } = timeline
  const when = clockIn(zone)
  const about = isList ? `${counted(count, 'alert')}: ${plainSubject(alert)} and others` : plainSubject(alert)
  const cut = [
    ...(count > alerts.length ? [`- Only the latest ${alerts.length} of ${count} alerts are in it.`] : []),
    ...(timeline.isCut
      ? [`- It ends early: only the first ${timelineRowsMax} entries of each kind are in it.`]
      : []),
  ]
  const lines = [
    `# Timeline: ${md(about, titleCharsMax)}`,
    '',
    `Made ${when(atMs)}. Times are of ${zone}; what nobody told monbot is not in it.`,
    '',
    ...(isList ? [] : factsOf(alert, when)),
    ...cut,
    ...(timeline.link === null ? [] : [`- Card: <${timeline.link}>`]),
    '',
    '## What happened',
    '',
    ...rowsOf(timeline, when)
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs: at, words }) => `- ${when(at)} · ${words}`),
    '',
  ]
  const name = `timeline-${fileWord(alert)}.md`
  return { name, bytes: Buffer.from(lines.join('\n'), 'utf8') }
}

function factsOf(alert: Alert, when: (ms: number) => string): string[] {
  const { details, severity, hostname, startedMs, closedMs } = alert
  const labels = Object.entries(details?.labels ?? {}).slice(0, labelsShown)
  const url = webAddress(alert.url)
  return [
    `- Title: ${md(alert.title, lineCharsMax)}`,
    `- Server: ${md(serverOf(alert), titleCharsMax)}${serverOf(alert) === hostname ? '' : ` (${md(hostname, titleCharsMax)})`}`,
    `- Severity: ${severity}`,
    `- Opened: ${when(startedMs)}`,
    `- Closed: ${closedWords(alert, when)}${closedMs === null || alert.closedAfterMs !== null ? '' : `, after ${formatDuration(closedMs - startedMs)}`}`,
    ...(labels.length === 0
      ? []
      : [`- Labels: ${labels.map(([name, value]) => md(`${name}=${value}`, titleCharsMax)).join(', ')}`]),
    ...(url === null ? [] : [`- Monitoring: <${url}>`]),
  ]
}

function closedWords({ state, closedMs, closedAfterMs }: Alert, when: (ms: number) => string): string {
  if (state === 'open') return 'still open'
  if (closedMs === null) return 'not known'
  return closedAfterMs === null ? when(closedMs) : `between ${when(closedAfterMs)} and ${when(closedMs)}`
}

const remindedWords: Partial<Record<NoticeTopic, string>> = {
  unacknowledged: 'Reminder: still unacknowledged',
  flap_reminder: 'Reminder: open again, and nobody is on it',
  stale_ack: 'Asked whoever acknowledged it whether they are still on it',
  became_critical: 'Became critical, and people were called again',
}

function rowsOf(timeline: Timeline, when: (ms: number) => string): Row[] {
  const { alerts, acts, notes, reminded, deliveries, outages, names, isList } = timeline
  const person = (userId: string) => md(names.get(userId) ?? userId, titleCharsMax)
  const of = (alert: Alert) => (isList ? `: ${md(plainSubject(alert), titleCharsMax)}` : '')
  return [
    ...alerts.flatMap((alert) => [
      { atMs: alert.startedMs, words: `**Opened**${of(alert)}` },
      ...(alert.closedMs === null
        ? []
        : [
            {
              atMs: alert.closedMs,
              words: `**Closed**${of(alert)}${alert.closedAfterMs === null ? '' : `, at some time after ${when(alert.closedAfterMs)}`}`,
            },
          ]),
    ]),
    // Before acts: who acknowledges as they are called does so at the same moment.
    ...deliveries.flatMap(deliveryRows),
    ...acts.map((entry) => ({
      atMs: entry.atMs,
      words: named(md(plainWords(toldLine(entry, when, 'audit')), lineCharsMax), names),
    })),
    ...notes.map(({ atMs, userId, text }) => ({
      atMs,
      words: `Note by ${person(userId)}: ${named(md(text.replace(mention, '@$1'), lineCharsMax), names)}`,
    })),
    ...reminded.map(({ atMs, topic }) => ({ atMs, words: remindedWords[topic] ?? 'Reminder' })),
    ...outages.map(({ sinceMs, untilMs }) => ({
      atMs: sinceMs,
      words: `The monitoring could not be read from here${untilMs === null ? '' : ` until ${when(untilMs)}`}: times in it may be wrong`,
    })),
  ]
}

const eventWords: Record<PageEventType, { readonly what: string; readonly told: string }> = {
  triggered: { what: 'the call', told: '**Paged**: the pager has the call' },
  acknowledged: { what: 'the acknowledgement', told: 'The pager was told who acknowledged it' },
  resolved: { what: 'the end', told: 'The pager was told that the call is over' },
}

function deliveryRows({ type, alertIds, askedMs, failures, toldMs }: PageDelivery): Row[] {
  const { what, told } = eventWords[type]
  const about = alertIds.length === 1 ? '' : ` about ${counted(alertIds.length, 'alert')}`
  return [
    ...(type === 'triggered'
      ? [{ atMs: askedMs, words: `The pager was asked to call somebody${about}` }]
      : []),
    ...failures.map(({ atMs, why }) => ({
      atMs,
      words: `The pager did not take ${what}: ${md(why, lineCharsMax)}`,
    })),
    ...(toldMs === null ? [] : [{ atMs: toldMs, words: told }]),
  ]
}

/** A person in what people write. */
const mention = /<@([UW][A-Z0-9]+)[^>]*>/g

/** Slack's names of people, which `plainWords` leaves as `@U1`, in words. */
function named(words: string, names: ReadonlyMap<string, string>): string {
  return words.replace(/@([UW][A-Z0-9]+)/g, (_, id: string) => md(names.get(id) ?? id, titleCharsMax))
}

/** One line of text in which nothing is Markdown. */
function md(text: string, charsMax: number): string {
  return printable(text, charsMax).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&')
}

/** `2026-11-21 04:12:30+01:00`. */
function clockIn(zone: string): (ms: number) => string {
  const timeOf = isoIn(zone)
  return (ms) => timeOf(ms).replace('T', ' ')
}

function fileWord({ alertId, hostname }: Alert): string {
  const word = `${hostname}-${alertId}`.toLowerCase().replace(/[^a-z0-9.]+/g, '-')
  return word.slice(0, 80).replace(/^[-.]+|[-.]+$/g, '') || 'alert'
}

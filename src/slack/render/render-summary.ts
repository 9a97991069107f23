/** Many alerts that were found open at once: one message that counts them, and the replies that list them. */
import type { KnownBlock } from '@slack/types'
import type { Alert } from '../../domain/alert.ts'
import type { CardView } from '../../domain/card.ts'
import { escaped, escapedWithin, link, localTime, utcTime } from '../mrkdwn.ts'
import { context, type Rendered, section, sectionCharsMax, sectionsOf } from './message-parts.ts'
import { serverOf } from './phrases.ts'
import { headline, marks } from './render-alert.ts'

const namesShown = 5
const nameCharsMax = 60
/** Slack refuses a message whose blocks hold more text than about this. */
const pageCharsMax = 9_000
/** `chat.update` refuses a text above 4,000 characters. */
const listCharsMax = 3_700

export function renderSummary(view: Extract<CardView, { kind: 'summary' }>): Rendered {
  const { alerts, mention } = view
  const open = alerts.filter((alert) => alert.state === 'open')
  const isUnclear = alerts.some((alert) => alert.state === 'unreported')
  const title = titleOf(alerts.length, open.length, isUnclear)
  const overMark = isUnclear ? marks.unreported : marks.closed
  const mark = open.length > 0 ? marks.open : overMark
  if (open.length === 0) return { text: `${mark} ${title}`, blocks: [section(`${mark} *${title}*`)] }
  const oldest = open.reduce((least, alert) => Math.min(least, alert.startedMs), Number.POSITIVE_INFINITY)
  const counts = [
    `By plugin: ${counted(open.map((alert) => alert.plugin))}`,
    `By server: ${counted(open.map(serverOf))}`,
  ]
  const rest = ['all of them are listed in the thread', ...(mention === null ? [] : [mention])]
  const line = [`Oldest since ${localTime(oldest)}`, ...rest].join(' · ')
  const blocks: KnownBlock[] = [section(`${mark} *${title}*`), section(counts.join('\n')), context(line)]
  const text = [`${mark} ${title}`, ...counts, `oldest since ${utcTime(oldest)}`, ...rest].join(' · ')
  return { text, blocks }
}

function titleOf(all: number, open: number, isUnclear: boolean): string {
  // Nobody said of an alert that is no longer reported that it closed.
  if (open === 0 && isUnclear) return `None of the ${all} alerts is listed as open any more`
  if (open === 0) return `All ${all} alerts that were open have closed`
  return open === all ? `${all} alerts are open` : `${open} of ${all} alerts are still open`
}

/** `CPU ×5, Disk ×3 and 2 more`: the most frequent names first. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].sort(([a, most], [b, more]) => more - most || a.localeCompare(b))
  const shown = sorted.slice(0, namesShown).map(([name, count]) => `${escaped(name, nameCharsMax)} ×${count}`)
  const hidden = sorted.length - shown.length
  return shown.join(', ') + (hidden > 0 ? ` and ${hidden} more` : '')
}

export function renderPage(view: Extract<CardView, { kind: 'page' }>): Rendered {
  const { alerts } = view
  const lineCharsMax = Math.min(sectionCharsMax, Math.floor(pageCharsMax / Math.max(1, alerts.length)) - 1)
  const lines = alerts.map((alert) => lineOf(alert, lineCharsMax))
  const open = alerts.filter((alert) => alert.state === 'open').length
  const text = `Page ${view.page} of the list, ${open} of ${alerts.length} open: ${listed(alerts)}`
  return { text, blocks: sectionsOf(lines) }
}

/** As many as a text may hold, and how many it leaves out. */
function listed(alerts: readonly Alert[]): string {
  const lines: string[] = []
  let chars = 0
  for (const alert of alerts) {
    const line = headline(alert, (label) => label)
    chars += line.length + 1
    if (chars > listCharsMax) return [...lines, `and ${alerts.length - lines.length} more`].join('\n')
    lines.push(line)
  }
  return lines.join('\n')
}

/** The fullest line that fits: with its link and time, without them, or cut. */
function lineOf(alert: Alert, charsMax: number): string {
  const since = alert.state === 'open' ? ` · since ${localTime(alert.startedMs)}` : ''
  const plain = headline(alert, (label) => label)
  const candidates = [
    `${headline(alert, (label) => link(alert.url, label))}${since}`,
    `${plain}${since}`,
    plain,
  ]
  const fitting = candidates.find((line) => line.length <= charsMax)
  if (fitting !== undefined) return fitting
  const partMax = Math.floor((charsMax - marks.open.length - ' '.length - ' on '.length - ' — '.length) / 3)
  const [plugin, server, title] = [alert.plugin, serverOf(alert), alert.title].map((part) =>
    escapedWithin(part, partMax),
  )
  return `${marks[alert.state]} ${plugin} on ${server} — ${title}`
}

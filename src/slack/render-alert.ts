/** One alert as a Slack message: at a glance what, where, how bad and since when. */
import type { ImageBlock, KnownBlock } from '@slack/types'
import type { Alert } from '../domain/alert.ts'
import type { CardPicture, CardView } from '../domain/card.ts'
import { formatDuration, ordinal } from '../domain/duration.ts'
import { escaped, link, localTime, printable, utcTime } from './mrkdwn.ts'

/** What Slack is told to show. `text` is the notification and all that a screen reader reads, so it says everything. */
export type Rendered = { readonly text: string; readonly blocks: KnownBlock[] }

// An escaped character is up to five long: with these the bold line stays below a section's 3,000 characters.
const nameCharsMax = 80
const titleCharsMax = 300
const sectionCharsMax = 3_000

export const marks = { open: '🔴', closed: '🟢', unreported: '⚪', oneoff: '🔵' } as const

export function renderAlert(view: Extract<CardView, { kind: 'alert' }>): Rendered {
  const { alert } = view
  const over = alert.state === 'closed' || alert.state === 'unreported'
  // Who is called is called once, when it opens; an edit calls nobody, and a closed card has no reason to.
  const mention = over ? null : view.mention
  const context = contextOf(alert, view.timesThisWeek)
  const text = [
    headline(alert, (label) => label),
    ...(over ? [] : [startedText(alert), ...context]),
    ...(mention === null ? [] : [mention]),
  ].join(' · ')
  const linked = headline(alert, (label) => `*${link(alert.url, label)}*`)
  const blocks: KnownBlock[] = [
    section(linked.length <= sectionCharsMax ? linked : headline(alert, (label) => `*${label}*`)),
  ]
  if (!over) {
    const line = [startedLine(alert), ...context, ...(mention === null ? [] : [mention])].join(' · ')
    blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text: line, verbatim: true }] })
    if (view.picture !== null) blocks.push(imageBlock(alert, view.picture))
    // Here follow the state line (muted, acknowledged) and the buttons.
  }
  return { text, blocks }
}

/** The one line that must be enough: `🔴 Load Average on web-1 · 3.5 — Last minute met or exceeded 3.00`. */
export function headline(alert: Alert, format: (label: string) => string): string {
  const label = `${escaped(alert.plugin, nameCharsMax)} on ${escaped(serverOf(alert), nameCharsMax)}`
  const title = escaped(alert.title, titleCharsMax)
  const subject = `${marks[alert.state]} ${format(label)}`
  switch (alert.state) {
    case 'open':
    case 'oneoff': {
      const value = alert.value === null ? '' : ` · ${formatValue(alert.value)}`
      return `${subject}${value}${title === '' ? '' : ` — ${title}`}`
    }
    case 'closed':
      return `${subject} ${closedWords(alert)}${title === '' ? '' : ` · ${title}`}`
    case 'unreported':
      return `${subject} is no longer reported after 30 days; nobody said that it closed${title === '' ? '' : ` · ${title}`}`
  }
}

function closedWords(alert: Alert): string {
  if (alert.closedMs === null) return 'closed'
  const duration = formatDuration(alert.closedMs - alert.startedMs)
  // It was never seen open: all that is known of its end is that it came before we looked.
  if (alert.firstSeenMs >= alert.closedMs && alert.closedBy === 'record')
    return `opened and closed within ${duration}`
  return alert.closedBy === 'absence' ? `closed after about ${duration}` : `closed after ${duration}`
}

function contextOf(alert: Alert, timesThisWeek: number): string[] {
  const roles = alert.roles.map((role) => escaped(role, nameCharsMax))
  const shown = roles.slice(0, 5).join(', ') + (roles.length > 5 ? ` and ${roles.length - 5} more` : '')
  return [
    ...(roles.length === 0 ? [] : [`role${roles.length > 1 ? 's' : ''} ${shown}`]),
    ...(timesThisWeek > 1 ? [`${ordinal(timesThisWeek)} this week`] : []),
  ]
}

function startedLine(alert: Alert): string {
  return `${alert.state === 'oneoff' ? 'Happened' : 'Started'} ${localTime(alert.startedMs)}`
}

function startedText(alert: Alert): string {
  return `${alert.state === 'oneoff' ? 'happened' : 'started'} ${utcTime(alert.startedMs)}`
}

export function serverOf(alert: Alert): string {
  return alert.serverName === '' ? alert.hostname : alert.serverName
}

/** At most two decimals, thousands apart: `3.5`, `12,400`. Very small and very large values keep their size. */
export function formatValue(value: number): string {
  const size = Math.abs(value)
  const isPlain = size === 0 || (size >= 0.01 && size < 1e12)
  return isPlain
    ? new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(value)
    : value.toExponential(2)
}

export function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }
}

function imageBlock(alert: Alert, picture: CardPicture): ImageBlock {
  const subject = printable(`${alert.plugin} on ${serverOf(alert)}`, 2 * nameCharsMax)
  const alt_text = `${subject}: the metric around the time of the alert`
  return picture.kind === 'url'
    ? { type: 'image', image_url: picture.url, alt_text }
    : { type: 'image', slack_file: { id: picture.fileId }, alt_text }
}

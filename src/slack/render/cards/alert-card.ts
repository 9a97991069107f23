/** One alert as one message: while it is open a card that says everything and can be acted on, once closed a green line. */
import type { KnownBlock } from '@slack/types'
import { type Alert, isLost } from '../../../domain/alert/alert.ts'
import { numberOf } from '../../../domain/alert/episode.ts'
import { formatDuration, ordinal } from '../../../domain/base/duration.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { Mute } from '../../../domain/mute/mute.ts'
import { escaped, link } from '../../mrkdwn.ts'
import {
  context,
  imageBlock,
  joinedWithin,
  type Rendered,
  section,
  sectionCharsMax,
} from '../text/message-parts.ts'
import {
  capital,
  counted,
  endWords,
  inBlocks,
  inText,
  name,
  person,
  reasonWords,
  serverOf,
  type When,
} from '../text/phrases.ts'
import { timelineLine } from '../text/timeline.ts'
import { alertActions, linkButtonsMax } from './alert-actions.ts'

// An escaped character is up to five long: with these the bold line stays below a section's 3,000 characters.
const nameCharsMax = 80
const titleCharsMax = 300
const rolesShown = 5
const linksCharsMax = 2_000

export const marks = { open: '🔴', closed: '🟢', unreported: '⚪', oneoff: '🔵' } as const

/** Another emoji and a word besides, as not everybody sees colours; a warning is what most alerts are. */
export const openMarks = { critical: '🚨 CRITICAL', warning: marks.open, info: '🟡' } as const

/** What a line about an alert begins with. */
export function markOf({ state, severity }: Pick<Alert, 'state' | 'severity'>): string {
  if (state === 'open') return openMarks[severity]
  return state === 'oneoff' && severity === 'critical' ? `${marks.oneoff} CRITICAL` : marks[state]
}

type AlertView = CardView<'alert'>

export function renderAlert(view: AlertView): Rendered {
  const { state } = view.alert
  return state === 'open' || state === 'oneoff' ? renderOpen(view) : renderOver(view)
}

function renderOpen(view: AlertView): Rendered {
  const { alert, mention, picture } = view
  const called = mention === null ? [] : [mention]
  const facts = (when: When) => [startedWords(alert, when), ...contextOf(view)]
  const state = (when: When) => [...ackedLine(alert, when), ...mutedLine(view.mute, when)]
  const line = capital([...facts(inBlocks), ...called].join(' · '))
  const blocks: KnownBlock[] = [boldLine(alert), context(line)]
  if (picture !== null)
    blocks.push(imageBlock(picture, `${subjectOf(alert)}: the metric around the time of the alert`))
  const stateLines = state(inBlocks)
  if (stateLines.length > 0) blocks.push(section(stateLines.join('\n')))
  blocks.push(alertActions(view), ...moreLinks(view))
  // What matters most comes first: the last parts may be left out for length.
  const words = [headline(alert, (label) => label), ...state(inText), ...called, ...facts(inText)]
  return { text: joinedWithin(words, ' · '), blocks }
}

/** Those that are no buttons. */
function moreLinks({ links }: AlertView): KnownBlock[] {
  const rest = links.slice(linkButtonsMax).map(({ text, url }) => link(url, escaped(text, nameCharsMax)))
  return rest.length === 0 ? [] : [context(joinedWithin(rest, ' · ', linksCharsMax))]
}

/** Who is called is called once, when it opens; an edit calls nobody, and a closed card has no reason to. */
function renderOver(view: AlertView): Rendered {
  const { alert, picture } = view
  const blocks: KnownBlock[] = [boldLine(alert)]
  if (alert.state === 'closed' && picture !== null) {
    blocks.push(imageBlock(picture, `${subjectOf(alert)}: the metric while the alert was open`))
  }
  const flaps = flapsWords(view)
  const did = [...(flaps === null ? [] : [flaps]), ...timelineLine(view)]
  const facts = (when: When) => [...lostWords(alert, when), ...did]
  if (facts(inBlocks).length > 0) blocks.push(context(capital([...facts(inBlocks), idOf(alert)].join(' · '))))
  const text = joinedWithin([headline(alert, (label) => label), ...facts(inText), idOf(alert)], ' · ')
  return { text, blocks }
}

function boldLine(alert: Alert): KnownBlock {
  const linked = headline(alert, (label) => `*${link(alert.url, label)}*`)
  return section(linked.length <= sectionCharsMax ? linked : headline(alert, (label) => `*${label}*`))
}

/** The one line that must be enough: `🔴 Load Average on web-1 · 3.5 — Last minute met or exceeded 3.00`. */
export function headline(alert: Alert, format: (label: string) => string): string {
  const label = `${escaped(alert.plugin, nameCharsMax)} on ${escaped(serverOf(alert), nameCharsMax)}`
  const title = escaped(alert.title, titleCharsMax)
  const subject = `${markOf(alert)} ${format(label)}`
  switch (alert.state) {
    case 'open':
    case 'oneoff': {
      const value = alert.value === null ? '' : ` · ${formatValue(alert.value)}`
      return `${subject}${value}${title === '' ? '' : ` — ${title}`}`
    }
    case 'closed':
      return `${subject} ${closedWords(alert)}${title === '' ? '' : ` · ${title}`}`
    case 'unreported':
      if (isLost(alert))
        return `${subject} is not listed as open any more, and no end was seen${title === '' ? '' : ` · ${title}`}`
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

/** Nothing where something else is known of it. */
export function lostWords(alert: Alert, when: When): string[] {
  return isLost(alert) && alert.missingMs !== null ? [`not listed since ${when(alert.missingMs)}`] : []
}

/** What the API gave no time for began, as far as is known, when it was first seen. */
function startedWords(alert: Alert, when: When): string {
  const began = alert.state === 'oneoff' ? 'happened' : 'started'
  return `${alert.startedMs === alert.firstSeenMs ? 'first seen' : began} ${when(alert.startedMs)}`
}

function contextOf(view: AlertView): string[] {
  const { alert, timesThisWeek, notes } = view
  const roles = alert.roles.slice(0, rolesShown).map(name).join(', ')
  const more = alert.roles.length - rolesShown
  const flaps = flapsWords(view)
  return [
    ...(alert.roles.length === 0
      ? []
      : [`role${alert.roles.length > 1 ? 's' : ''} ${roles}${more > 0 ? ` and ${more} more` : ''}`]),
    ...hostWords(alert),
    ...(timesThisWeek > 1 ? [`${ordinal(timesThisWeek)} this week`] : []),
    ...(flaps === null ? [] : [flaps]),
    ...earlierWords(view),
    ...(notes > 0 ? [`${counted(notes, 'note')} in the thread`] : []),
    idOf(alert),
  ]
}

/** The name that commands and the monitoring take, where people see another one. */
export function hostWords({ hostname, serverName }: Alert): string[] {
  return serverName === '' || serverName === hostname ? [] : [`host ${escaped(hostname, nameCharsMax)}`]
}

/** What commands know it by. */
export function idOf(alert: Alert): string {
  return `#${name(numberOf(alert.alertId))}`
}

/** `flapped 6 times in 40 min`: up to the newest time that it opened or closed. */
function flapsWords({ alert, flaps }: AlertView): string | null {
  if (flaps === null || flaps.times < 2) return null
  const lastMs = alert.closedMs ?? alert.startedMs
  return `flapped ${flaps.times} times in ${formatDuration(lastMs - flaps.sinceMs)}`
}

/** Whose it was: they may know more of it, and they do not have it now. */
function earlierWords({ alert, ackedBefore }: AlertView): string[] {
  if (ackedBefore === null || ackedBefore === alert.ackedBy) return []
  return [`earlier acknowledged by ${person(ackedBefore)}`]
}

function ackedLine(alert: Alert, when: When): string[] {
  if (alert.ackedBy === null) return []
  const since = alert.ackedMs === null ? '' : ` since ${when(alert.ackedMs)}`
  return [`👀 Acknowledged by ${person(alert.ackedBy)}${since}`]
}

function mutedLine(mute: Mute | null, when: When): string[] {
  if (mute === null) return []
  const what = mute.hostname === null ? 'Whole account muted' : 'Muted'
  const by = `🔕 ${what} by ${person(mute.userId)}`
  if (mute.state === 'ending') return [`${by} · ending: notifications are being switched on again`]
  return [`${by} ${endWords(mute, when)}${reasonWords(mute.reason)}`]
}

/** At most two decimals, thousands apart: `3.5`, `12,400`. Very small and very large values keep their size. */
export function formatValue(value: number): string {
  const size = Math.abs(value)
  const isPlain = size === 0 || (size >= 0.01 && size < 1e12)
  if (!isPlain) return value.toExponential(2)
  plainNumber ??= new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  return plainNumber.format(value)
}

/** Made once, and not before it is needed: to make one takes longer than to write the line that it stands in. */
let plainNumber: Intl.NumberFormat | null = null

function subjectOf(alert: Alert): string {
  const critical = alert.state === 'open' && alert.severity === 'critical' ? 'Critical: ' : ''
  return `${critical}${alert.plugin} on ${serverOf(alert)}`
}

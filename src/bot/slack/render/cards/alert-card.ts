/** Renders the card of one alert: while it is open everything about it with buttons, once closed a green line. */
import type { KnownBlock } from '@slack/types'
import { type Alert, isLive, lastedMs } from '../../../domain/alert/alert.ts'
import { formatRoughly, ordinal, timesWords } from '../../../domain/base/duration.ts'
import { descriptionOn } from '../../../domain/card/details-shown.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { elsewhereOf } from '../../../domain/mute/hiding.ts'
import { type Mute, standingOf } from '../../../domain/mute/mute.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import { agoTime, escaped, escapedWithin, link, plainWords } from '../../mrkdwn.ts'
import { entryWords } from '../actions/words.ts'
import { elsewhereLine } from '../text/elsewhere-words.ts'
import { headline, plainSubject, shortSubject } from '../text/headline.ts'
import { hostWords, idOf, lostWords } from '../text/list-lines.ts'
import {
  context,
  imageBlock,
  joinedWithin,
  type Rendered,
  section,
  sectionCharsMax,
} from '../text/message-parts.ts'
import { calledWords } from '../text/on-call-words.ts'
import {
  capital,
  counted,
  endWords,
  inBlocks,
  inText,
  listed,
  name,
  pageWords,
  person,
  reasonWords,
  serverOf,
  slackOnly,
  unconfirmedWords,
  type When,
} from '../text/phrases.ts'
import { aboutOf, alertActions, linkButtonsMax, openable } from './alert-actions.ts'
import { overActions, verdictWords } from './verdicts.ts'

const nameCharsMax = 80
const rolesShown = 5
const labelsShown = 5
const alsoShown = 3
const noteLengthMax = 160
const linksCharsMax = 2_900
const wordsLengthMax = 1_000

type AlertView = CardView<'alert'>

export function renderAlert(view: AlertView): Rendered {
  return isLive(view.alert) ? renderOpen(view) : renderOver(view)
}

function renderOpen(view: AlertView): Rendered {
  const { alert, mention, picture } = view
  const called = calledWords(mention)
  const around = (when: When, labels: string): string[] => [
    ...ackedWords(alert, when),
    ...pageWords(view.page, when),
    ...contextOf(view, labels === '' ? [] : [labels]),
  ]
  const state = (when: When) => [
    ...mutedLine(view.mute, when),
    ...elsewhereLine(elsewhereOf(alert, view.mute), when),
  ]
  // The headline's text already has the time when it started.
  const lineOf = (labels: string) =>
    [startedWords(alert, inBlocks), ...around(inBlocks, labels), ...called].join(' · ')
  const labels = joinedWithin(labelWords(view), ' · ', sectionCharsMax - lineOf('').length - ' · '.length)
  const blocks: KnownBlock[] = [section(headline(alert, inBlocks)), context(capital(lineOf(labels)))]
  const described = descriptionLine(alert)
  for (const more of [...described, ...aroundLines(view, inBlocks)]) blocks.push(context(more))
  if (picture !== null) blocks.push(imageBlock(picture, pictureWords(alert)))
  const stateLines = state(inBlocks)
  if (stateLines.length > 0) blocks.push(section(stateLines.join('\n')))
  blocks.push(alertActions(view), ...moreLinks(view))
  // What matters most comes first: the last parts may be left out for length.
  const words = [
    headline(alert, inText),
    ...state(inText),
    ...called,
    ...around(inText, labels),
    ...described,
    ...aroundLines(view, inText),
  ]
  return { text: joinedWithin(words, ' · '), blocks }
}

/** The picture's alternative text. */
function pictureWords(alert: Alert): string {
  const when = alert.state === 'closed' ? 'while the alert was open' : 'around the time of the alert'
  return `${plainSubject(alert)}: the metric ${when}`
}

/** A picture in the card's thread, because it was ready after the card. */
export function renderPicture({ alert, fileId }: CardView<'picture'>): Rendered {
  const words = pictureWords(alert)
  return { text: escapedWithin(words, wordsLengthMax), blocks: [imageBlock({ fileId }, words)] }
}

/** The links that are not buttons. */
function moreLinks({ links }: AlertView): KnownBlock[] {
  // A label that looks like an address could name another one than it opens.
  const label = (text: string) => escaped(text.replaceAll('://', ' '), nameCharsMax)
  const rest = openable(links).slice(linkButtonsMax)
  const words = listedLinks(rest.map(({ text, url }) => link(url, label(text))))
  return rest.length === 0 ? [] : [context(words)]
}

/** As many as fit; the others are counted. */
function listedLinks(all: readonly string[]): string {
  const fitting = all.filter((one) => one.length <= linksCharsMax)
  const shown = joinedWithin(fitting, ' · ', linksCharsMax)
  const left = all.filter((one) => !shown.includes(one)).length
  return [...(shown === '' ? [] : [shown]), ...(left === 0 ? [] : [counted(left, 'more link')])].join(' · ')
}

/** Renders an alert that is over. It mentions nobody: people are mentioned once, when an alert opens. */
function renderOver(view: AlertView): Rendered {
  const { alert, picture } = view
  const blocks: KnownBlock[] = [section(headline(alert, inBlocks))]
  if (alert.state === 'closed' && picture !== null) {
    blocks.push(imageBlock(picture, pictureWords(alert)))
  }
  const flaps = flapsWords(view)
  const did = [...(flaps === null ? [] : [flaps]), ...timelineLine(view)]
  const { verdicts } = view
  const facts = (when: When) => [
    ...lostWords(alert, when),
    ...did,
    ...noteWords(view.lastNote, 'last note'),
    ...verdictWords(verdicts),
  ]
  if (facts(inBlocks).length > 0) blocks.push(context(capital([...facts(inBlocks), idOf(alert)].join(' · '))))
  if (alert.state === 'closed') {
    blocks.push(overActions({ ...view.stamp, alertId: alert.alertId }, verdicts, aboutOf(alert)))
  }
  const text = joinedWithin([headline(alert, inText), ...facts(inText), idOf(alert)], ' · ')
  return { text, blocks }
}

/** When it started; without a time from the API, when it was first seen. */
function startedWords(alert: Alert, when: When): string {
  const began = alert.state === 'oneoff' ? 'happened' : 'started'
  return `${alert.startedMs === alert.firstSeenMs ? 'first seen' : began} ${when(alert.startedMs)}`
}

function contextOf(view: AlertView, labels: readonly string[]): string[] {
  const { alert, timesThisWeek, notes } = view
  const roles = alert.roles.slice(0, rolesShown).map(name).join(', ')
  const more = alert.roles.length - rolesShown
  const flaps = flapsWords(view)
  return [
    ...(alert.roles.length === 0
      ? []
      : [`role${alert.roles.length > 1 ? 's' : ''} ${roles}${more > 0 ? ` and ${more} more` : ''}`]),
    ...hostWords(alert),
    ...labels,
    ...(timesThisWeek > 1 ? [`${ordinal(timesThisWeek)} this week`] : []),
    ...(flaps === null ? [] : [flaps]),
    ...earlierWords(view),
    ...(notes > 0 ? [`${counted(notes, 'note')} in the thread`] : []),
    idOf(alert),
  ]
}

/** `namespace pay`, `pod web-7f`: the labels that the headline does not say. */
function labelWords({ alert, labels }: AlertView): string[] {
  const told = plainWords(headline(alert, inText)).toLowerCase()
  const fresh = labels.filter(({ value }) => !isSaid(value, told))
  return fresh
    .slice(0, labelsShown)
    .map(({ name: label, value }) => `${escaped(label, nameCharsMax)} ${escaped(value, nameCharsMax)}`)
}

/** Does it stand there as a word of its own? `pay` does in `pay/web-1`, and `web` does not. */
function isSaid(value: string, told: string): boolean {
  const wanted = value.toLowerCase()
  for (let at = told.indexOf(wanted); at !== -1; at = told.indexOf(wanted, at + 1)) {
    const [before, after] = [told.slice(0, at), told.slice(at + wanted.length)]
    if (!/[\p{L}\p{N}_.-]$/u.test(before) && !/^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u.test(after)) return true
  }
  return false
}

/** What the alert's author wrote, as far as it has room; the whole stands in the thread. */
function descriptionLine(alert: Alert): string[] {
  const { words } = descriptionOn(alert)
  return words === '' ? [] : [escaped(words, wordsLengthMax)]
}

/** What else is open on the server, and when the same problem occurred last: a line each. */
function aroundLines({ alert, alsoOpen, lastTime }: AlertView, when: When): string[] {
  return [...alsoLine(alert, alsoOpen), ...lastTimeLine(lastTime, when)]
}

function alsoLine(alert: Alert, others: readonly Alert[]): string[] {
  if (others.length === 0) return []
  const words = others.map((other, at) => (at < alsoShown ? shortSubject(other) : ''))
  return [`Also open on ${escaped(serverOf(alert), nameCharsMax)}: ${listed(words, alsoShown)}`]
}

function lastTimeLine(last: AlertView['lastTime'], when: When): string[] {
  if (last === null) return []
  const { startedMs, closedMs } = last.alert
  // Counted from its end: an alert that closed a minute ago occurred a minute ago, however long it lasted.
  const lastMs = closedMs ?? startedMs
  const ago = when === inText ? when(lastMs) : agoTime(lastMs, inText(lastMs))
  const ms = lastedMs(last.alert)
  const lasted = ms === null ? [] : [`lasted ${formatRoughly(ms)}`]
  return [[`Previous: ${ago}`, ...lasted, ...noteWords(last.note)].join(', ')]
}

function noteWords(note: string | null, label = ''): string[] {
  const text = escapedWithin(note ?? '', noteLengthMax)
  return text === '' ? [] : [`${label === '' ? '' : `${label}: `}"${text}"`]
}

/** `reopened 5 times in 40 min`: up to the newest time that it opened or closed. */
export function flapsWords({ alert, flaps }: Pick<AlertView, 'alert' | 'flaps'>): string | null {
  if (flaps === null || flaps.times < 2) return null
  // An API that lists the same record again repeats its old time.
  const beganMs = alert.startedMs > flaps.sinceMs ? alert.startedMs : alert.firstSeenMs
  const lastMs = alert.closedMs ?? beganMs
  return `reopened ${timesWords(flaps.times - 1)} in ${formatRoughly(lastMs - flaps.sinceMs)}`
}

/** Who had it before, because they may know more about it. */
function earlierWords({ alert, ackedBefore }: AlertView): string[] {
  if (ackedBefore === null || ackedBefore === alert.ackedBy) return []
  return [`previously ${person(ackedBefore)}`]
}

/** When it was acknowledged; the headline says by whom. */
function ackedWords({ ackedBy, ackedMs }: Alert, when: When): string[] {
  return ackedBy === null || ackedMs === null ? [] : [`acknowledged ${when(ackedMs)}`]
}

function mutedLine(mute: Mute | null, when: When): string[] {
  if (mute === null) return []
  const what =
    mute.subject === null ? 'Whole account muted' : mute.alert === null ? 'Muted' : 'This alert muted'
  const by = `🔕 ${what} by ${person(mute.userId)}`
  const standing = standingOf(mute)
  if (standing === 'ending') return [`${by} · ending: notifications are being switched on again`]
  const doubt = standing === 'asked' ? ` · ${unconfirmedWords}` : ''
  const only = slackOnly(mute).map((words) => ` · ${words}`)
  return [`${by} ${endWords(mute, when)}${reasonWords(mute.reason)}${only.join('')}${doubt}`]
}

/** Who did what about it, in a few words each: `acknowledged by <@U1> after 2 min`, `muted 1 h by <@U2>`, `2 notes in the thread`. */
function timelineLine({ alert, timeline, notes }: AlertView): string[] {
  const isTold = timeline.some((entry) => isTaking(entry) && entry.alertId === alert.alertId)
  const acknowledged =
    alert.ackedBy === null || isTold
      ? []
      : [
          `acknowledged by ${person(alert.ackedBy)}${after(alert.startedMs, alert.ackedMs ?? alert.startedMs)}`,
        ]
  return [
    ...acknowledged,
    ...timeline.flatMap((entry) => {
      const words = entryWords[entry.act].timeline?.(entry)
      if (words === undefined) return []
      const isAck = isTaking(entry) && entry.alertId === alert.alertId
      return [`${words} by ${person(entry.userId)}${isAck ? after(alert.startedMs, entry.atMs) : ''}`]
    }),
    ...(notes > 0 ? [`${counted(notes, 'note')} in the thread`] : []),
  ]
}

function isTaking({ act }: AuditEntry): boolean {
  return act === 'acknowledge' || act === 'take_over'
}

function after(fromMs: number, toMs: number): string {
  return toMs > fromMs ? ` after ${formatRoughly(toMs - fromMs)}` : ''
}

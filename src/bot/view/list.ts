/** The card of a storm, its lines in the thread, and mixed lists. A storm of one that is left is told as that alert. */
import type { KnownBlock } from '@slack/types'
import type { Alert, Post } from '../world/types.ts'
import { alertsOn, cardBlocks, linkWords, pageChoice, unmuteButtons } from './alert.ts'
import {
  actions,
  button,
  context,
  type Element,
  groupedSelect,
  menuBlock,
  section,
  sections,
} from './blocks.ts'
import { allClosedWords, groupHeadline, kindsWords, type Tally, tallyOf, whoseWords } from './group.ts'
import { briefTrouble, closedWords, holderWords, markOf, numberWords, serverLink } from './headline.ts'
import { muteSentence } from './mutes.ts'
import type { Scene } from './scene.ts'
import { listValue } from './values.ts'
import { count, duration, escaped, number } from './words.ts'

/** Alerts in one reply of the thread; the page's own ones stand on it. */
const linesOnPage = 80
const mutesNamed = 3
/** Of all lines of a page; Slack refuses a message near 13,200 characters. */
const linesCharsMax = 10_500

export function listBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alerts = alertsOn(post, scene.world)
  const tally = tallyOf(alerts, scene)
  const [first] = tally.open.length > 0 ? tally.open : alerts
  if (first === undefined) return [section('⚪ These alerts are too old to be shown')]
  if (tally.open.length === 1 && alerts.length > 1)
    return cardBlocks(first, post, scene, [`The last of ${number(alerts.length)}; the others closed`])
  if (alerts.length === 1) return cardBlocks(first, post, scene)
  if (tally.open.length === 0) return closedBlocks(alerts, tally)
  const calls = post.mention === null ? '' : ` · ${post.mention}`
  const isQuiet = post.data.isFirst === true
  return [
    section(
      [
        groupHeadline(tally.open),
        kindsWords(tally.open),
        `${whoseWords(tally)}${calls}`,
        isQuiet ? 'Open already when monbot started: nobody is called about them' : '',
        ...mutedLines(tally, scene),
      ]
        .filter((line) => line !== '')
        .join('\n'),
    ),
    ...context([...sharedLinks(tally.open, scene), 'They are listed in the thread']),
    ...actions(menuBlock('list', post), listElements(post, tally, scene)),
  ]
}

function closedBlocks(alerts: readonly Alert[], { closed }: Tally): KnownBlock[] {
  const kinds = kindsWords(alerts)
  const lines = [
    groupHeadline(alerts, '🟢'),
    ...(kinds === '' ? [] : [kinds]),
    allClosedWords(closed, duration),
  ]
  return [section(lines.join('\n'))]
}

function mutedLines({ mutes }: Tally, scene: Scene): string[] {
  const named = mutes.slice(0, mutesNamed).map((mute) => muteSentence([mute], scene))
  const rest = mutes.length - named.length
  return rest <= 0 ? named : [...named, `and ${count(rest, 'more mute')}`]
}

function listElements(
  post: Post,
  { nobody, held, hidden, open, mutes }: Tally,
  scene: Scene,
): (Element | null)[] {
  const value = listValue(post)
  const label = `Acknowledge ${number(nobody.length)}`
  const isAllMuted = hidden.length === open.length && mutes.length > 0
  return [
    nobody.length === 0 ? null : button({ id: 'acknowledge_all', label, style: 'primary', value }),
    held.length === 0 ? null : button({ id: 'take_over_all', label: 'Take over', value }),
    ...(isAllMuted
      ? unmuteButtons(mutes, value)
      : [button({ id: 'mute_all', label: 'Mute servers…', value })]),
    groupedSelect(
      'more',
      'More…',
      [
        ['These alerts', [['Add note…', 'note'], ...(scene.pager === null ? [] : [pageChoice])]],
        ['Monitoring', [['Drop marker…', 'marker']]],
      ],
      value,
    ),
  ]
}

/** Links that all of them have stand once on the card; others stand on the lines. */
function sharedLinks(alerts: readonly Alert[], scene: Scene): string[] {
  const [first, ...others] = alerts
  if (first === undefined) return []
  return linkWords(first, scene).filter((words) =>
    others.every((alert) => linkWords(alert, scene).includes(words)),
  )
}

/** One page of a list, in its thread. */
export function linesBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alerts = alertsOn(post, scene.world).slice(0, linesOnPage)
  if (alerts.length === 0) return [section('⚪ These alerts are too old to be shown')]
  const kinds = new Set(alerts.map(({ plugin, metric }) => `${plugin}\n${metric}`))
  // Links give way before names do.
  const forms: readonly ((alert: Alert) => string)[] = [
    (alert) => [alertLine(alert, true, kinds.size > 1), ...linkWords(alert, scene).slice(0, 2)].join(' · '),
    (alert) => [alertLine(alert, false, kinds.size > 1), ...linkWords(alert, scene).slice(0, 1)].join(' · '),
    (alert) => alertLine(alert, false, kinds.size > 1),
  ]
  const lines = forms.map((form) => () => alerts.map(form)).find((make) => charsOf(make()) <= linesCharsMax)
  return sections(
    lines?.() ?? alerts.map((alert) => `${markOf(alert)} ${escaped(alert.server, 15)} ${numberWords(alert)}`),
  )
}

function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** `🔴 web-2 CPU busy 97% · 👀 @ben · #8398`. */
function alertLine(alert: Alert, isLinked: boolean, isMixed: boolean): string {
  const name = isLinked ? serverLink(alert) : escaped(alert.server || alert.host, 40)
  const trouble = briefTrouble(alert)
  const value = /\*[^*]*\*$/.exec(trouble)?.[0] ?? ''
  const what = isMixed ? ` ${trouble}` : ` ${value}`
  const state = alert.closedMs === null ? holderWords(alert) : [closedBriefly(alert)]
  return [`${markOf(alert)} ${name}${what.trimEnd()}`, ...state, numberWords(alert)].join(' · ')
}

function closedBriefly(alert: Alert): string {
  return alert.closedAfterMs === null ? closedWords(alert) : `closed after ${duration(alert.closedAfterMs)}`
}

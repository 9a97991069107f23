/**
 * Several alerts in one message: how many of what, on which servers, who is on them. The card of a storm, its lines in the thread, and mixed
 * lists. A storm of one that is left is told as that alert.
 */
import type { KnownBlock } from '@slack/types'
import { hidingMutes, othersSilences } from '../decide/hidden.ts'
import { kindOf } from '../decide/matching.ts'
import { isLeftOut } from '../decide/standing.ts'
import type { Alert, Mute, Post } from '../world/types.ts'
import { alertsOn, cardBlocks, linkWords, markerWords, moreSelect, unmuteButtons } from './alert.ts'
import { actions, button, context, type Element, listValue, menuBlock, section, sections } from './blocks.ts'
import { briefTrouble, closedWords, holderWords, markOf, numberWords, serverLink } from './headline.ts'
import { muteSentence } from './mutes.ts'
import type { Scene } from './view.ts'
import {
  count,
  date,
  duration,
  escaped,
  isSilence,
  kindName,
  listed,
  number,
  people,
  person,
} from './words.ts'

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
  if (tally.open.length === 1 || alerts.length === 1) return cardBlocks(first, post, scene)
  if (tally.open.length === 0) return closedBlocks(alerts, tally)
  const calls = post.mention === null ? '' : ` · ${post.mention}`
  const isQuiet = post.data.isFirst === true
  return [
    ...sections([
      groupHeadline(tally.open),
      kindsWords(tally.open),
      `${whoseWords(tally)}${calls}`,
      isQuiet ? 'Open already when monbot started: nobody is called about them' : '',
      ...mutedLines(tally, scene),
    ]),
    ...context([
      ...markerWords(Math.min(...alerts.map(({ startedMs }) => startedMs)), scene.world),
      'They are listed in the thread',
    ]),
    ...actions(menuBlock('list', post), listElements(post, tally, scene)),
  ]
}

function closedBlocks(alerts: readonly Alert[], { closed }: Tally): KnownBlock[] {
  return sections([groupHeadline(alerts, '🟢'), kindsWords(alerts), allClosedWords(closed, duration)])
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
    moreSelect(true, value, scene),
  ]
}

export function linesBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alerts = alertsOn(post, scene.world).slice(0, linesOnPage)
  if (alerts.length === 0) return [section('⚪ These alerts are too old to be shown')]
  const kinds = new Set(alerts.map(({ plugin, metric }) => `${plugin}\n${metric}`))
  // Links give way before names do.
  for (const links of [2, 1, 0]) {
    const lines = alerts.map((alert) =>
      [alertLine(alert, links > 1, kinds.size > 1), ...linkWords(alert, scene).slice(0, links)].join(' · '),
    )
    if (lines.join('\n').length <= linesCharsMax) return sections(lines)
  }
  return sections(alerts.map((one) => `${markOf(one)} ${escaped(one.server, 15)} ${numberWords(one)}`))
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

const serversNamed = 4
const familiesNamed = 4
const criticalNamed = 3

type Tally = {
  readonly open: readonly Alert[]
  readonly closed: readonly Alert[]
  /** Of the open ones: nobody is told of them, nobody is on them, somebody is, nobody knows whether they are over. */
  readonly hidden: readonly Alert[]
  readonly nobody: readonly Alert[]
  readonly held: readonly Alert[]
  readonly unlisted: readonly Alert[]
  /** The mutes that hide them, the widest first. */
  readonly mutes: readonly Mute[]
}

export function tallyOf(alerts: readonly Alert[], scene: Scene): Tally {
  const { world, nowMs } = scene
  const open = alerts.filter(({ closedMs, isOneoff }) => closedMs === null && !isOneoff)
  const mutes = new Map<string, Mute>()
  const hidden: Alert[] = []
  const audible: Alert[] = []
  for (const alert of open) {
    const hiding = world.activeMutes.size === 0 ? [] : hidingMutes(world, alert, nowMs)
    for (const mute of hiding) mutes.set(mute.id, mute)
    const isHidden = hiding.length > 0 || othersSilences(alert).length > 0
    if (isHidden) hidden.push(alert)
    else if (!isLeftOut(scene, alert)) audible.push(alert)
  }
  return {
    open,
    closed: alerts.filter(({ closedMs }) => closedMs !== null),
    hidden,
    nobody: audible.filter(({ holder, unlistedMs }) => holder === null && unlistedMs === null),
    held: open.filter(({ holder }) => holder !== null),
    unlisted: open.filter(({ unlistedMs }) => unlistedMs !== null),
    mutes: [...mutes.values()],
  }
}

/** `🚨 *CRITICAL · 41 × CPU busy* on 38 servers: web 30, cache 8`. `mark` replaces the sign of the worst one. */
export function groupHeadline(alerts: readonly Alert[], mark = worstMark(alerts)): string {
  const what = groupWords(alerts)
  const critical = alerts.filter(({ severity }) => severity === 'critical')
  const isOpen = mark !== '🟢'
  if (!isOpen || critical.length === 0) return `${mark} *${what}* ${onServers(alerts)}`
  if (critical.length === alerts.length) return `${mark} *CRITICAL · ${what}* ${onServers(alerts)}`
  const names = [...new Set(critical.map(({ server, host }) => escaped(server || host, 60)))]
  const named = names.length <= criticalNamed ? `: ${listed(names, criticalNamed)}` : ''
  return `${mark} *${what}, ${number(critical.length)} CRITICAL${named}* ${onServers(alerts)}`
}

/** `41 × CPU busy`; `12 alerts` where they are of several kinds. */
export function groupWords(alerts: readonly Alert[]): string {
  const [first] = alerts
  const kinds = new Set(alerts.map(kindOf))
  if (first === undefined || kinds.size > 1) return count(alerts.length, 'alert')
  return `${number(alerts.length)} × ${isSilence(first) ? 'no data' : escaped(kindName(first), 120)}`
}

/** The kinds of a mixed list, the most frequent first: `CPU busy 5, Disk / used 4`. */
function kindsWords(alerts: readonly Alert[]): string {
  const kinds = [...Map.groupBy(alerts, kindOf).values()].sort((a, b) => b.length - a.length)
  if (kinds.length < 2) return ''
  const named = kinds
    .slice(0, 6)
    .flatMap((some) => some.slice(0, 1).map((one) => `${escaped(kindName(one), 60)} ${some.length}`))
  return `${named.join(', ')}${kinds.length > 6 ? ` and ${count(kinds.length - 6, 'more kind')}` : ''}`
}

export function worstMark(alerts: readonly Alert[]): string {
  const marks = new Set(alerts.map(markOf))
  return ['🚨', '🔴', '🔵', '⚪', 'ℹ️'].find((mark) => marks.has(mark)) ?? '🟢'
}

/** `on web-1 and web-2`; `on 38 servers: web 30, cache 8`, by the beginning of their names. */
export function onServers(alerts: readonly Alert[]): string {
  const names = [...new Set(alerts.map(({ server, host }) => server || host))]
  const shown = (some: readonly string[]) => some.map((name) => escaped(name, 60))
  if (names.length <= serversNamed) return `on ${listed(shown(names), serversNamed)}`
  const families = [...Map.groupBy(names, familyOf)].sort(([, a], [, b]) => b.length - a.length)
  const [largest] = families
  const begin = `on ${count(names.length, 'server')}`
  if (largest === undefined || largest[1].length < 2) return `${begin}: ${listed(shown(names), serversNamed)}`
  const named = families
    .slice(0, familiesNamed)
    .map(([family, { length }]) => `${escaped(family, 40)} ${length}`)
  const rest = families.slice(familiesNamed).reduce((sum, [, { length }]) => sum + length, 0)
  return `${begin}: ${named.join(', ')}${rest === 0 ? '' : `, ${number(rest)} more`}`
}

/** `web` of `web-12` and `web3.example.com`. */
function familyOf(name: string): string {
  return /^(.*?)[-_.]?\d/s.exec(name.slice(0, 200))?.[1] || name
}

/** `Since T · *Nobody is on 30* · 👀 @ben is on 8 · 2 muted · 3 closed`. */
export function whoseWords({ open, closed, hidden, nobody, held, unlisted }: Tally): string {
  const sinceMs = open.reduce((least, { startedMs }) => Math.min(least, startedMs), Number.POSITIVE_INFINITY)
  return [
    ...(open.length === 0 ? [] : [`Since ${date(sinceMs)}`]),
    ...(nobody.length === 0 ? [] : [`*Nobody is on ${number(nobody.length)}*`]),
    ...holdersWords(held, open.length),
    ...(hidden.length === 0
      ? []
      : [`${hidden.length === open.length ? 'all' : number(hidden.length)} muted`]),
    ...(unlisted.length === 0 ? [] : [`⚪ ${number(unlisted.length)} no longer listed`]),
    ...(closed.length === 0 ? [] : [`${number(closed.length)} closed`]),
  ].join(' · ')
}

function holdersWords(held: readonly Alert[], all: number): string[] {
  const holders = [...Map.groupBy(held, ({ holder }) => holder ?? '')].sort(
    ([, a], [, b]) => b.length - a.length,
  )
  const named = holders.slice(0, 3).map(([id, { length }]) => {
    const on = length === all ? `all ${number(length)}` : number(length)
    return `👀 ${person(id)} is on ${all === 1 ? 'it' : on}`
  })
  const rest = holders.slice(3).reduce((sum, [, { length }]) => sum + length, 0)
  return rest === 0 ? named : [...named, `others on ${number(rest)}`]
}

/** `All 40 closed, half within 45 s; @ben was on it`. Lengths that nobody measured are not claimed. */
function allClosedWords(closed: readonly Alert[], lengthWords: (ms: number) => string): string {
  const lengths = closed.flatMap(({ closedAfterMs }) => closedAfterMs ?? []).sort((a, b) => a - b)
  const median = lengths[Math.ceil(lengths.length / 2) - 1]
  const half =
    median === undefined || lengths.length < closed.length ? '' : `, half within ${lengthWords(median)}`
  const holders = [...new Set(closed.flatMap(({ holder }) => holder ?? []))]
  const many = holders.length > 1 ? 'were on them' : 'was on it'
  const who = holders.length === 0 ? 'nobody was on them' : `${people(holders)} ${many}`
  return `All ${number(closed.length)} closed${half}; ${who}`
}

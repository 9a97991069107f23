/** Many alerts as one card, those that came at once and those that were found open: how many, since when, what, who is on it. */
import type { KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { countsOf } from '../../../domain/base/counts.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { type Mute, muteOf } from '../../../domain/mute/mute.ts'
import type { Count } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { context, type Rendered, section, sectionsOf, textOf } from '../text/message-parts.ts'
import { openLines } from '../text/open-lines.ts'
import {
  counted,
  endWords,
  inBlocks,
  inText,
  listed,
  person,
  reasonWords,
  serverOf,
  type When,
} from '../text/phrases.ts'
import { marks } from './alert-card.ts'
import { stormActions } from './storm-actions.ts'

const namesShown = 4
/** So few alerts are shown themselves. */
const listedMax = 5
const peopleShown = 4
/** Once they are escaped: with these, four lists of names stay below a section's 3,000 characters. */
const nameLengthMax = 60
const titleLengthMax = 100

type StormView = CardView<'summary' | 'storm'>

export function renderStorm(view: StormView): Rendered {
  const { alerts, mention, mutes } = view
  const open = alerts.filter(({ state }) => state === 'open')
  if (open.length === 0) return renderOver(view)
  const title = `${marks.open} *${openTitle(view, open)}*`
  // Counted once, for both forms: there may be tens of thousands.
  const counts = open.length <= listedMax ? null : countLines(open)
  const oneoffs = oneoffLines(alerts)
  const acked = ackedLine(open)
  const span = extremes(open.map(({ startedMs }) => startedMs))
  const facts = (when: When) => [
    ...(counts ?? openLines(open, { none: '', some: '', when }).slice(1)),
    ...oneoffs,
  ]
  const state = (when: When) => [acked, ...mutedLines(open, mutes, when)]
  const called = mention === null ? [] : [mention]
  const rest = (when: When) => [sinceWords(span, when), 'all are listed in the thread', ...called].join(' · ')
  const blocks: KnownBlock[] = [
    section(title),
    ...sectionsOf(facts(inBlocks)),
    section(state(inBlocks).join('\n')),
    context(rest(inBlocks)),
    stormActions(view, open),
  ]
  // What matters most comes first: the last parts may be left out for length.
  return { text: textOf([title, ...state(inText), rest(inText), ...facts(inText)], '\n'), blocks }
}

/** `30 alerts came at once, 12 still open on 9 servers`. */
function openTitle({ kind, alerts }: StormView, open: readonly Alert[]): string {
  const all = lasting(alerts).length
  const hostnames = new Set(open.map(({ hostname }) => hostname))
  const [first] = open
  const servers =
    hostnames.size === 1 && first !== undefined
      ? escapedWithin(serverOf(first), nameLengthMax)
      : counted(hostnames.size, 'server')
  const what = `${counted(all, 'alert')} ${all === 1 && kind === 'summary' ? 'was found open' : came[kind]}`
  if (open.length < all) return `${what}, ${open.length} still open on ${servers}`
  return kind === 'storm'
    ? `${what}, ${all === 1 ? 'it is' : 'all'} open on ${servers}`
    : `${what} on ${servers}`
}

const came = { storm: 'came at once', summary: 'were found open' } as const

/** Nothing is open any more: one line, with nothing to press. */
function renderOver({ kind, alerts }: StormView): Rendered {
  const all = lasting(alerts)
  const line = `${overLine(kind, alerts, all)}${alsoWords(alerts, all)}`
  return { text: textOf([line], ''), blocks: [section(line)] }
}

function overLine(kind: StormView['kind'], alerts: readonly Alert[], all: readonly Alert[]): string {
  if (all.length === 0) return `${marks.oneoff} *${counted(alerts.length, 'one-off alert')} came at once*`
  // Nobody said of an alert that is no longer reported that it closed.
  const unclear = all.filter(({ state }) => state === 'unreported').length
  const which = `${counted(all.length, 'alert')} that ${all.length === 1 && kind === 'summary' ? 'was found open' : came[kind]}`
  if (unclear > 0) return `${marks.unreported} *None of the ${which} is listed as open any more*`
  const words =
    all.length === 1
      ? `The alert that ${kind === 'storm' ? 'came' : 'was found open'} has closed`
      : `All ${which} have closed`
  return `${marks.closed} *${words}*${lastedWords(all)}`
}

/** What only happened never closes, so nobody would else hear of it once the rest has. */
function alsoWords(alerts: readonly Alert[], all: readonly Alert[]): string {
  const count = alerts.length - all.length
  return count === 0 || all.length === 0 ? '' : ` · ${counted(count, 'one-off alert')} came as well`
}

/** From the first that started to the last that closed. */
function lastedWords(alerts: readonly Alert[]): string {
  const firstMs = Math.min(...extremes(alerts.map(({ startedMs }) => startedMs)))
  const closed = alerts.flatMap(({ closedMs }) => closedMs ?? [])
  if (closed.length === 0) return ''
  return ` after ${formatDuration(Math.max(...extremes(closed)) - firstMs)}`
}

/** What only happened has no end to wait for. */
function lasting(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state }) => state !== 'oneoff')
}

function oneoffLines(alerts: readonly Alert[]): string[] {
  const count = alerts.length - lasting(alerts).length
  return count === 0 ? [] : [`${marks.oneoff} And ${counted(count, 'one-off alert')}`]
}

/** What, why and where by the most frequent names. */
function countLines(open: readonly Alert[]): string[] {
  const plugins = open.map(({ plugin }) => plugin)
  const titles = open.map(({ title }) => title)
  const roles = open.flatMap((alert) => alert.roles)
  return [
    `*What* ${countWords(plugins, nameLengthMax)}`,
    `*Why* ${countWords(titles, titleLengthMax)}`,
    ...(roles.length === 0 ? [] : [`*Roles* ${countWords(roles, nameLengthMax)}`]),
    worstLine(open),
  ]
}

/** `Worst servers web-1 ×3, db-1 ×2 and 38 with one`. */
function worstLine(open: readonly Alert[]): string {
  const { most, names, repeated } = countsOf(open.map(serverOf), namesShown)
  if (repeated === 0) return '*Servers* one alert each'
  const worst = most.filter(({ count }) => count > 1)
  const left = repeated > namesShown ? `and ${repeated - namesShown} more` : ''
  const single = names > repeated ? `and ${names - repeated} with one` : ''
  return `*Worst servers* ${[frequent(worst, nameLengthMax), left || single].filter(Boolean).join(' ')}`
}

/** `CPU ×5, Disk ×3 and 2 more`: the most frequent names first. */
function countWords(names: readonly string[], lengthMax: number): string {
  const { most, names: all } = countsOf(names, namesShown)
  const rest = all - most.length
  return `${frequent(most, lengthMax)}${rest > 0 ? ` and ${rest} more` : ''}`
}

function frequent(counts: readonly Count[], lengthMax: number): string {
  const words = counts.map(({ name, count }) => {
    const shown = escapedWithin(name, lengthMax)
    return `${shown === '' ? '(no name)' : shown} ×${count}`
  })
  return words.join(', ')
}

/** Who is on it. */
function ackedLine(open: readonly Alert[]): string {
  const owners = open.flatMap(({ ackedBy }) => ackedBy ?? [])
  if (owners.length === 0) return '👀 Nobody has acknowledged any of them yet'
  const { most, names } = countsOf(owners, Number.POSITIVE_INFINITY)
  const which = owners.length === open.length ? `All ${open.length}` : `${owners.length} of ${open.length}`
  const who = most.map(({ name, count }) => `${person(name)}${names === 1 ? '' : ` ${count}`}`)
  return `👀 ${which} acknowledged by ${listed(who, peopleShown)}`
}

/** `12 of 340 servers are muted until 15:00 by <@U1> — deploying`; nothing where none is. */
function mutedLines(open: readonly Alert[], mutes: readonly Mute[], when: When): string[] {
  if (mutes.length === 0) return []
  const hostnames = [...new Set(open.map(({ hostname }) => hostname))]
  const found = hostnames.flatMap((hostname) => muteOf(hostname, mutes) ?? [])
  const [first, ...others] = found
  if (first === undefined) return []
  const account = found.find(({ hostname }) => hostname === null)
  if (account !== undefined) {
    return [
      `🔕 The whole account is muted ${endWords(account, when)} by ${person(account.userId)}${reasonWords(account.reason)}`,
    ]
  }
  const which =
    found.length < hostnames.length
      ? `${found.length} of ${counted(hostnames.length, 'server')}`
      : hostnames.length === 1
        ? 'The server'
        : `All ${counted(hostnames.length, 'server')}`
  const are = `🔕 ${which} ${found.length === 1 ? 'is' : 'are'} muted`
  if (others.every((mute) => isSame(mute, first))) {
    return [`${are} ${endWords(first, when)} by ${person(first.userId)}${reasonWords(first.reason)}`]
  }
  const ends = found.flatMap(({ untilMs }) => untilMs ?? [])
  return [
    `${are}${ends.length === 0 ? '' : `, the first of them until ${when(Math.min(...extremes(ends)))}`}`,
  ]
}

function isSame(a: Mute, b: Mute): boolean {
  return a.mode === b.mode && a.untilMs === b.untilMs && a.userId === b.userId && a.reason === b.reason
}

function sinceWords([firstMs, newestMs]: readonly [number, number], when: When): string {
  const first = when(firstMs)
  // Within one minute there is nothing to tell apart.
  if (when(newestMs) === first || newestMs - firstMs < 60_000) return `Since ${first}`
  return `Oldest since ${first}, newest since ${when(newestMs)}`
}

/** The least and the greatest; there may be too many to be arguments. */
function extremes(times: readonly number[]): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    least = Math.min(least, time)
    most = Math.max(most, time)
  }
  return [least, most]
}

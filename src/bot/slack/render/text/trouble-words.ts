/** Puts problems with channels into words: what happened, how many cards wait, and what a person can do. */

import type { ChannelTrouble } from '../../../domain/delivery/channel-trouble.ts'
import type { LateCards } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { counted, inBlocks } from './phrases.ts'

const whyCharsMax = 60
/** At most this many channels are named; the others are counted. */
const channelsShown = 5
const passesWithinMs = 5 * 60_000

type WaitingIn = ReadonlyMap<string, number>

/** Problems that last until somebody acts; a refused token is named once, as it affects every channel. */
export function closedWords(troubles: readonly ChannelTrouble[], waitingIn: WaitingIn): string[] {
  const token = troubles.find(({ kind }) => kind === 'no_token')
  const doors = troubles.filter(({ kind }) => kind === 'channel_unavailable')
  const rest = doors.length - channelsShown
  return [
    ...(token === undefined ? [] : [tokenWords(token, total(waitingIn))]),
    ...doors.slice(0, channelsShown).map((door) => doorWords(door, waitingIn.get(door.channel) ?? 0)),
    ...(rest > 0 ? [`${counted(rest, 'more channel')} of monbot cannot be posted in`] : []),
    ...troubles
      .filter(({ kind }) => kind === 'unlisted')
      .slice(0, channelsShown)
      .map(waitWords),
  ]
}

/** Cards that have waited for minutes, without those of channels whose problem is named anyway. */
export function lateWords(late: readonly LateCards[], troubles: readonly ChannelTrouble[]): string[] {
  const told = troubles.filter(({ kind }) => !isPassing(kind))
  if (told.some(({ kind }) => kind === 'no_token')) return []
  const others = late.filter((one) => !told.some(({ channel }) => channel === one.channel))
  const [first] = others
  if (first === undefined) return []
  const sinceMs = others.reduce((least, one) => Math.min(least, one.sinceMs), first.sinceMs)
  const count = others.reduce((sum, one) => sum + one.count, 0)
  const where = others.slice(0, channelsShown).map((one) => place(one.channel))
  const cards = count === 1 ? '1 card has' : `${count} cards have`
  const more =
    others.length > where.length ? ` and ${counted(others.length - where.length, 'more channel')}` : ''
  return [`${cards} not reached ${where.join(', ')}${more} since ${inBlocks(sinceMs)}; retrying`]
}

/** Problems that pass by themselves, named only if cards wait; not those that have lasted too long for that. */
export function passingWords(
  troubles: readonly ChannelTrouble[],
  waitingIn: WaitingIn,
  nowMs: number,
): { readonly lasting: string[]; readonly passing: string[] } {
  const waited = troubles.filter(({ kind, channel }) => isPassing(kind) && waitingIn.has(channel))
  const isLasting = ({ sinceMs }: ChannelTrouble) => nowMs - sinceMs >= passesWithinMs
  const words = (some: readonly ChannelTrouble[]) => some.slice(0, channelsShown).map(waitWords)
  return { lasting: words(waited.filter(isLasting)), passing: words(waited.filter((one) => !isLasting(one))) }
}

const waitsFor = {
  later: 'Slack is unavailable',
  unknown: 'Slack gives no clear answer',
  unlisted: 'Slack refuses cards for an unknown reason',
  channel_unavailable: 'Slack takes no cards',
  no_token: 'Slack refuses the bot token',
} as const satisfies Record<ChannelTrouble['kind'], string>

function waitWords({ channel, kind, why, sinceMs }: ChannelTrouble): string {
  const isLimit = kind === 'later' && why === 'ratelimited'
  const what = isLimit ? 'Slack rate limit' : waitsFor[kind]
  return `${what} in ${place(channel)} since ${inBlocks(sinceMs)}${isLimit ? '' : ` (${code(why)})`}; retrying`
}

function isPassing(kind: ChannelTrouble['kind']): boolean {
  return kind === 'later' || kind === 'unknown'
}

const channelSteps = new Map([
  ['is_archived', 'it is archived. Unarchive it, or route its alerts to another channel'],
  ['is_inactive', 'it is archived. Unarchive it, or route its alerts to another channel'],
  ['not_in_channel', 'monbot is not in it. Say `/invite @monbot` there'],
  ['no_permission', 'monbot may not post there. Say `/invite @monbot` there'],
  [
    'channel_not_found',
    'it was deleted, or it is private and monbot is not in it. Say `/invite @monbot` there',
  ],
  ['message_limit_exceeded', 'the workspace has used up its messages. Ask an admin of the workspace'],
])

function doorWords({ channel, why, sinceMs }: ChannelTrouble, waiting: number): string {
  const steps =
    channelSteps.get(why) ?? `Slack says ${code(why)}. Ask an admin of the workspace to let monbot post there`
  return `${place(channel)} takes no cards since ${inBlocks(sinceMs)}: ${steps}${waitingWords(waiting)}`
}

function tokenWords({ why, sinceMs }: ChannelTrouble, waiting: number): string {
  const steps =
    why === 'missing_scope'
      ? 'reinstall the app with the scopes of manifest.yml'
      : 'reinstall the app, give monbot its SLACK_BOT_TOKEN, and start it again'
  return `Slack refuses the bot token since ${inBlocks(sinceMs)} (${code(why)}): ${steps}${waitingWords(waiting)}`
}

function waitingWords(waiting: number): string {
  if (waiting === 0) return ''
  return `; ${waiting === 1 ? '1 card waits' : `${waiting} cards wait`} and will follow then`
}

function total(waitingIn: WaitingIn): number {
  return [...waitingIn.values()].reduce((sum, count) => sum + count, 0)
}

/** A channel by Slack's own id; anything else is only text. */
function place(channel: string): string {
  return /^[CGD][A-Z0-9]{1,30}$/.test(channel) ? `<#${channel}>` : escapedWithin(channel, whyCharsMax)
}

function code(why: string): string {
  return escapedWithin(why, whyCharsMax)
}

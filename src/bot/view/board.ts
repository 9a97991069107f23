/**
 * The board of a channel, and Home: the worst truth first, then what is open, what is muted and planned, and when it was last read. On
 * Home whoever reads it has their own alerts first.
 */
import type { KnownBlock, View as SlackView } from '@slack/types'
import { day, minute } from '../clock.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { outageAfter } from '../decide/notices.ts'
import { channelsOf, hasBoard, isUnseen, onCallAt, openIn, shiftsIn, targetOf } from '../decide/standing.ts'
import type { Alert, Mute, Post } from '../world/types.ts'
import { context, section, sections, withBlockIds } from './blocks.ts'
import { tallyOf, worstMark } from './list.ts'
import { muteGroups, muteRow, muteSentence } from './mutes.ts'
import { onCallSentence } from './notices.ts'
import { type Row, rowBlock, rowLine, rowsOf, someLines } from './rows.ts'
import type { Scene } from './view.ts'
import { count, date, escaped, number, person } from './words.ts'

const rowsMax = 15
const mutesMax = 8
const plansMax = 3

export function boardBlocks(post: Post, scene: Scene): KnownBlock[] {
  if (!hasBoard(scene, post.channel)) return [section('There is no board here any more, by the policy file')]
  const open = openIn(scene)
  const here = open.filter((alert) => targetOf(scene, alert).channel === post.channel)
  const elsewhere = open.length - here.length
  const troubles = troublesOf(scene)
  const where = elsewhere > 0 ? ' here' : ''
  const isWell = troubles.length === 0 && elsewhere === 0
  return [
    section([...troubles, openWords(here, scene, isWell, where)].join('\n')),
    ...sections(someLines(rowsOf(here, scene), rowLine, rowsMax, 'alerts', scene)),
    ...sections([...mutesWords(scene), onCallWords(scene) ?? '']),
    ...context([lastPollWords(scene), elsewhere > 0 ? `${number(elsewhere)} open in other channels` : '']),
  ]
}

/** What is muted and planned; the account's mute is the first line of all. */
export function mutesWords(scene: Scene): string[] {
  const isNarrow = (mute: Mute) => isInForce(mute, scene.nowMs) && mute.subject !== 'account'
  const running = muteGroups(scene, isNarrow)
  const planned = muteGroups(scene, (mute) => isPlanned(mute, scene.nowMs))
  return [
    ...someLines(running, muteSentence, mutesMax, 'mutes', scene),
    ...someLines(planned, muteSentence, plansMax, 'mutes', scene),
  ]
}

export function homeView(userId: string, scene: Scene): SlackView {
  const open = openIn(scene)
  const yours = open.filter(({ holder }) => holder === userId)
  const others = open.filter(({ holder }) => holder !== userId)
  const troubles = troublesOf(scene)
  const rowOf = (row: Row, at: number) => [rowBlock(row, at, scene)]
  const groups = [isInForce, isPlanned].flatMap((is) => muteGroups(scene, (mute) => is(mute, scene.nowMs)))
  const blocks: KnownBlock[] = [
    section([...troubles, openWords(open, scene, troubles.length === 0)].join('\n')),
    ...context([onCallWords(scene) ?? '']),
    ...few('Your open alerts', rowsOf(yours, scene), rowOf, rowsMax, 'alerts'),
    ...few(
      yours.length === 0 ? 'Open alerts' : 'Other open alerts',
      rowsOf(others, scene),
      rowOf,
      rowsMax,
      'alerts',
    ),
    ...few('Mutes', groups, (group, at) => muteRow(group, at, scene), mutesMax, 'mutes'),
    ...context([lastPollWords(scene), escaped(scene.replicaName, 60)]),
  ]
  return { type: 'home', blocks: [...withBlockIds(blocks)] }
}

function few<T>(
  title: string,
  items: readonly T[],
  blocksOf: (item: T, at: number) => readonly KnownBlock[],
  max: number,
  command: string,
): KnownBlock[] {
  if (items.length === 0) return []
  const more = items.length - max
  const rest = more > 0 ? context([`and ${number(more)} more: \`/mon ${command}\``]) : []
  return [section(`*${title}*`), ...items.slice(0, max).flatMap(blocksOf), ...rest]
}

const shutToldForMs = day

export function troublesOf(scene: Scene): string[] {
  const { world, strangers = 0 } = scene
  const refused = world.fact('tokenRefused') ?? null
  const pager = world.fact('pagerFailing') ?? null
  const account = accountMute(scene)
  const unreadable = world.fact('polled')?.unreadable ?? 0
  const dead = [...world.posts.values()].filter((post) => isUnseen(world, post)).length
  return [
    account === null ? '' : muteSentence([account], scene),
    doubtOf(scene) ?? '',
    refused === null
      ? ''
      : `⚠️ Slack refuses the bot: ${escaped(refused)}. Reinstall the app and check its token`,
    ...shutWords(scene),
    pager === null ? '' : `⚠️ The pager has failed since ${date(pager.sinceMs)}: ${escaped(pager.why)}`,
    dead === 0 ? '' : `⚠️ ${count(dead, 'message')} couldn't be shown in Slack; the log says why`,
    strangers === 0 ? '' : '⚠️ A second bot uses this Slack app. Stop one of them',
    onCallDoubt(scene) ?? '',
    unreadable === 0 ? '' : `⚠️ ${count(unreadable, 'record')} of the monitoring couldn't be read`,
  ].filter((line) => line !== '')
}

/** Why what is known of alerts may be wrong; null while it is fresh. */
export function doubtOf({ world }: Scene): string | null {
  const failing = world.fact('failing') ?? null
  if (failing !== null) {
    // One poll that failed is no outage yet.
    const words = failing.count < outageAfter ? "hasn't answered" : 'has been down'
    return `⚠️ *Monitoring ${words} since ${date(failing.sinceMs)}*: ${escaped(failing.why)}`
  }
  return world.fact('polled') === undefined ? "⚪ *The monitoring hasn't been read yet*" : null
}

export function accountMute({ world, nowMs }: Scene): Mute | null {
  const mutes = [...world.activeMutes.values()]
  return mutes.find((mute) => mute.subject === 'account' && isInForce(mute, nowMs)) ?? null
}

/** `🚨 *5 open alerts, 2 critical* · nobody is on 3 · 1 muted`. `isWell`: nothing else is wrong, so no alert is good news. */
export function openWords(alerts: readonly Alert[], scene: Scene, isWell: boolean, where = ''): string {
  const { open, hidden, nobody, held, unlisted } = tallyOf(alerts, scene)
  if (open.length === 0) return `${isWell ? '🟢 ' : ''}*No open alerts${where}*`
  const critical = open.filter(
    ({ severity, unlistedMs }) => severity === 'critical' && unlistedMs === null,
  ).length
  const bad = critical === 0 ? '' : `, ${number(critical)} critical`
  const isAllMuted = hidden.length === open.length
  return [
    `${isAllMuted ? '🔕' : worstMark(open)} *${count(open.length, 'open alert')}${bad}${where}*`,
    ...(nobody.length > 0 ? [`nobody is on ${open.length === 1 ? 'it' : number(nobody.length)}`] : []),
    ...(held.length === open.length ? ['somebody is on each'] : []),
    ...(hidden.length > 0 ? [isAllMuted ? 'all muted' : `${number(hidden.length)} muted`] : []),
    ...(unlisted.length > 0 ? [`⚪ ${number(unlisted.length)} no longer listed`] : []),
  ].join(' · ')
}

/** To the minute, so that a poll every few seconds edits nothing. */
export function lastPollWords({ world }: Scene): string {
  const polled = world.fact('polled')
  return polled === undefined
    ? 'Last good poll: none yet'
    : `Last good poll ${date(polled.atMs - (polled.atMs % minute))}`
}

/** `📟 @ana is on call until T, then @ben`; null where no calendar is set up. */
export function onCallWords({ world, policy, nowMs }: Scene): string | null {
  const known = world.fact('oncall') ?? null
  const now = onCallAt(world, nowMs)
  const [next] = shiftsIn(world)
    .filter(({ fromMs }) => fromMs > nowMs)
    .sort((a, b) => a.fromMs - b.fromMs)
  if (now.length > 0)
    return `${onCallSentence(now)}${next === undefined ? '' : `, then ${person(next.person)}`}`
  if (known === null) return policy.onCall === null ? null : "⚠️ The on-call calendar hasn't been read yet"
  const begins = next === undefined ? '' : `; ${person(next.person)} begins ${date(next.fromMs)}`
  return known.unread > 0 ? "⚠️ Who's on call now isn't known" : `Nobody is on call now${begins}`
}

export function onCallDoubt({ world }: Scene): string | null {
  const { why = null, unread = 0, atMs = 0 } = world.fact('oncall') ?? {}
  if (why !== null)
    return `⚠️ Couldn't read the on-call calendar: ${escaped(why)}. Last known from ${date(atMs)}`
  return unread === 0
    ? null
    : `⚠️ ${count(unread, 'entry', 'entries')} of the on-call calendar couldn't be read`
}

/** Channels of routes that refuse; what waits there is told in the default one. After a day of that it is no trouble any more. */
function shutWords({ world, policy, defaultChannel, nowMs }: Scene): string[] {
  const used = channelsOf(policy, defaultChannel)
  return Object.entries(world.fact('shut') ?? {}).flatMap(([channel, { sinceMs, why }]) => {
    const isDefault = channel === defaultChannel
    if (!isDefault && (!used.includes(channel) || nowMs - sinceMs >= shutToldForMs)) return []
    const next = isDefault ? '' : `. Its alerts go to <#${defaultChannel}>`
    return [`⚠️ <#${channel}> has refused messages since ${date(sinceMs)}: ${escaped(why)}${next}`]
  })
}

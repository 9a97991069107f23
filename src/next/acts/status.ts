/** `/mon status`: is all well? The worst truth first; nothing is green that is muted or unknown. */
import type { KnownBlock } from '@slack/types'
import { minute } from '../clock.ts'
import { isHidden, isInForce, isPlanned } from '../decide/hidden.ts'
import { actions, context, section, viewOfBlocks } from '../view/blocks.ts'
import type { Scene } from '../view/scene.ts'
import { count, date, escape, listed } from '../view/words.ts'
import type { Post } from '../world/types.ts'
import type { Act } from './act.ts'
import { onCallDoubt, onCallWords } from './oncall.ts'
import { commandButton } from './queries/answers.ts'
import { accountWords, doubtOf } from './queries/truth.ts'

const mutesNamed = 6
/** Slack takes most messages within a second; what waits longer is behind. */
const behindAfterMs = minute

export const status: Act = {
  names: ['status'],
  usage: 'status',
  example: 'status',
  does: 'Shows whether all is well: alerts, mutes, Slack, monitoring',
  isCommon: true,
  permission: null,
  command: () => ({ kind: 'say', render: (scene) => viewOfBlocks(statusBlocks(scene)) }),
}

export function statusBlocks(scene: Scene): KnownBlock[] {
  const lines = [
    ...truths(scene).map((line, at) => (at === 0 && !line.includes('*') ? `*${line}*` : line)),
    ...unlistedWords(scene),
    ...mutedWords(scene),
    ...(scene.policy.onCall === null && !scene.world.fact('oncall') ? [] : [onCallWords(scene)]),
  ]
  return [
    section(lines.join('\n')),
    ...context([...cardsWords(scene), ...lastParts(scene)]),
    ...actions('status', [
      commandButton('offer_1', 'Open alerts', 'alerts'),
      commandButton('offer_2', 'Mutes', 'mutes'),
      commandButton('offer_3', 'Handoff', 'handoff'),
    ]),
  ]
}

/** All that is wrong, the worst first, and then how many alerts are open. */
function truths(scene: Scene): string[] {
  const { world } = scene
  const refused = world.fact('tokenRefused') ?? null
  const pager = world.fact('pagerFailing') ?? null
  const strangers = scene.strangers ?? 0
  const lines = [
    refused === null
      ? null
      : `⚠️ Slack refuses the bot: ${escape(refused)}. Reinstall the app and check its token`,
    doubtOf(scene),
    accountWords(scene),
    ...shutWords(scene),
    pager === null ? null : `⚠️ The pager has failed since ${date(pager.sinceMs)}: ${escape(pager.why)}`,
    deadWords(scene),
    strangers > 0
      ? `⚠️ A second bot uses this Slack app: ${count(strangers, 'connection')} more than ours. Stop one of them`
      : null,
    onCallDoubt(scene),
    unreadWords(scene),
  ].filter((line) => line !== null)
  return [...lines, openWords(scene, lines.length === 0)]
}

function openWords(scene: Scene, isWell: boolean): string {
  const { world, nowMs } = scene
  const open = [...world.open.values()]
  if (open.length === 0) return `${isWell ? '🟢 ' : ''}No open alerts`
  const critical = open.filter(({ severity }) => severity === 'critical').length
  const audible = open.filter((alert) => !isHidden(world, alert, nowMs))
  const nobody = audible.filter(({ holder }) => holder === null).length
  const mark = critical > 0 ? '🚨' : '🔴'
  const bad = critical === 0 ? '' : `, ${critical} critical`
  const hidden = open.length === audible.length ? '' : `, ${open.length - audible.length} muted`
  const whose = audible.length > 0 && nobody === 0 ? 'Somebody is on each' : `Nobody is on ${nobody}`
  return `${mark} ${count(open.length, 'open alert')}${bad}${hidden}. ${audible.length === 0 ? 'All are muted' : whose}`
}

function unlistedWords({ world }: Scene): string[] {
  const unlisted = [...world.open.values()].filter((alert) => alert.unlistedMs !== null).length
  return unlisted === 0 ? [] : [`⚪ ${count(unlisted, 'alert')} no longer listed; probably closed`]
}

function mutedWords({ world, nowMs, canMuteAlerts }: Scene): string[] {
  const mutes = [...world.activeMutes.values()].filter(({ subject }) => subject !== 'account')
  const now = mutes.filter((mute) => isInForce(mute, nowMs))
  const planned = [...world.activeMutes.values()].filter((mute) => isPlanned(mute, nowMs))
  const elsewhere = canMuteAlerts ? '' : " (mutes made elsewhere can't be seen here)"
  const names = listed(
    now.map(({ name }) => escape(name)),
    mutesNamed,
  )
  const plans = planned.length === 0 ? '' : ` · ${planned.length} planned`
  return [
    now.length === 0 ? `No servers are muted${plans}${elsewhere}` : `🔕 Muted: ${names}${plans}${elsewhere}`,
  ]
}

/** Channels that refuse, with what to do. What waits there is told in the default one. */
function shutWords({ world, defaultChannel }: Scene): string[] {
  return Object.entries(world.fact('shut') ?? {}).map(([channel, { sinceMs, why }]) => {
    const next = channel === defaultChannel ? '' : ` Its alerts go to <#${defaultChannel}>.`
    return `⚠️ <#${channel}> has refused messages since ${date(sinceMs)}: ${escape(why)}. ${remedyOf(why)}${next}`
  })
}

function remedyOf(why: string): string {
  if (/archived/.test(why)) return 'Unarchive it, or change its route.'
  if (/not_in_channel|not a member|not in/.test(why)) return 'Invite me: `/invite @monbot`.'
  if (/channel_not_found|not found/.test(why))
    return 'Check its id in the policy file; a private one must invite me.'
  return 'Check who may post there.'
}

function deadWords({ world }: Scene): string | null {
  const dead = [...world.posts.values()].filter((post) => post.state === 'dead' && isMissed(world.open, post))
  return dead.length === 0
    ? null
    : `⚠️ ${count(dead.length, 'message')} couldn't be shown in Slack; the log says why`
}

/** A dead post counts while something on it is open: old refusals must not make today look bad. */
function isMissed(open: ReadonlyMap<string, unknown>, { shows }: Post): boolean {
  return shows.some(({ alert }) => open.has(alert))
}

function unreadWords({ world }: Scene): string | null {
  const unreadable = world.fact('polled')?.unreadable ?? 0
  return unreadable === 0 ? null : `⚠️ ${count(unreadable, 'record')} of the monitoring couldn't be read`
}

function cardsWords({ world, nowMs }: Scene): string[] {
  const behind = [...world.posts.values()].filter(
    ({ state, createdMs }) =>
      ['new', 'sending', 'unsure'].includes(state) && nowMs - createdMs > behindAfterMs,
  ).length
  return behind === 0 ? [] : [`${count(behind, 'message')} waiting for Slack`]
}

function lastParts({ world, replicaName, policy }: Scene): string[] {
  const polled = world.fact('polled')
  const ignored = policy.ignore.length === 0 ? 0 : (polled?.ignored ?? 0)
  return [
    `${escape(replicaName)} leads`,
    ignored === 0 ? '' : `${count(ignored, 'open alert')} ignored by the policy`,
    polled === undefined ? 'No good poll yet' : `Last good poll ${date(polled.atMs)}`,
  ]
}

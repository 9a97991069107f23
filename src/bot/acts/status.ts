/** `/mon status`: is all well? The worst truth first, as the board and Home say it; nothing is green that is muted or unknown. */
import type { KnownBlock } from '@slack/types'
import { minute } from '../clock.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { isBehind, openIn } from '../decide/standing.ts'
import { context, sections, viewOfBlocks } from '../view/blocks.ts'
import { lastPollWords, onCallWords, openWords, troublesOf } from '../view/board.ts'
import { muteGroups } from '../view/mutes.ts'
import type { Scene } from '../view/view.ts'
import { count, escaped, listed } from '../view/words.ts'
import type { Post } from '../world/types.ts'
import type { Action } from './action.ts'

const mutesNamed = 6
/** Slack takes most messages within a second; what waits longer is behind. */
const behindAfterMs = minute

export const status: Action = {
  names: ['status'],
  usage: 'status',
  example: 'status',
  does: 'Shows whether all is well: alerts, mutes, Slack, monitoring',
  isCommon: true,
  permission: null,
  command: () => ({ kind: 'say', render: (scene) => viewOfBlocks(statusBlocks(scene)) }),
}

function statusBlocks(scene: Scene): KnownBlock[] {
  const troubles = troublesOf(scene)
  return [
    ...sections([
      ...troubles,
      openWords(openIn(scene), scene, troubles.length === 0),
      mutedWords(scene),
      onCallWords(scene) ?? '',
    ]),
    ...context([
      behindWords(scene),
      scene.replicaName === '' ? '' : `${escaped(scene.replicaName, 60)} leads`,
      ignoredWords(scene),
      lastPollWords(scene),
    ]),
  ]
}

/** What it says of the account stands among the troubles already. */
function mutedWords(scene: Scene): string {
  const { world, nowMs, canMuteAlerts } = scene
  const active = [...world.activeMutes.values()]
  const now = active.filter((mute) => isInForce(mute, nowMs) && mute.subject !== 'account')
  const planned = muteGroups(scene, (mute) => isPlanned(mute, nowMs)).length
  const names = now.map(({ name }) => escaped(name, 80))
  return [
    now.length === 0 ? 'No servers are muted' : `🔕 Muted: ${listed(names, mutesNamed)}`,
    ...(planned === 0 ? [] : [`${planned} planned`]),
    ...(canMuteAlerts ? [] : ["mutes made elsewhere can't be seen here"]),
  ].join(' · ')
}

function behindWords({ world, nowMs }: Scene): string {
  const isLate = (post: Post) => post.state !== 'live' && nowMs - post.createdMs > behindAfterMs
  const behind = [...world.posts.values()].filter((post) => isLate(post) && isBehind(world, post)).length
  return behind === 0 ? '' : `${count(behind, 'message')} waiting for Slack`
}

function ignoredWords(scene: Scene): string {
  const ignored = scene.world.open.size - openIn(scene).length
  return ignored === 0 ? '' : `${count(ignored, 'open alert')} ignored by the policy`
}

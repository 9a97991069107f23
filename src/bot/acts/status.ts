/** `/mon status`: is all well? The worst truth first, as the board and Home say it; nothing is green that is muted or unknown. */
import type { KnownBlock } from '@slack/types'
import { minute } from '../clock.ts'
import { isBehind, openIn } from '../decide/standing.ts'
import { context, sections, viewOfBlocks } from '../view/blocks.ts'
import { lastPollWords, mutesWords, onCallWords, openWords, troublesOf } from '../view/board.ts'
import type { Scene } from '../view/view.ts'
import { count, escaped } from '../view/words.ts'
import type { Post } from '../world/types.ts'
import type { Action } from './action.ts'

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
      ...mutesWords(scene),
      onCallWords(scene) ?? '',
    ]),
    ...context([
      behindWords(scene),
      scene.replicaName === '' ? '' : `${escaped(scene.replicaName, 60)} leads`,
      ignoredWords(scene),
      scene.canMuteAlerts ? '' : "Mutes made elsewhere can't be seen here",
      lastPollWords(scene),
    ]),
  ]
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

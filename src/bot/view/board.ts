/** The board of a channel: the worst truth first, then what is open there, what is muted and planned, and when it was last read. */
import type { KnownBlock } from '@slack/types'
import { hasBoard, openIn, targetOf } from '../decide/channels.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import type { Mute, Post } from '../world/types.ts'
import { context, section, sections } from './blocks.ts'
import { muteSentence } from './mutes.ts'
import { rowLine, rowsOf, someLines } from './rows.ts'
import type { Scene } from './scene.ts'
import { lastPollWords, onCallWords, openWords, troublesOf } from './truths.ts'
import { number } from './words.ts'

const rowsMax = 15
const mutesMax = 8
const plansMax = 3

export function boardBlocks(post: Post, scene: Scene): KnownBlock[] {
  if (!hasBoard(scene, post.channel)) return [section('The policy file has turned this board off')]
  const open = openIn(scene)
  const here = open.filter((alert) => targetOf(scene, alert).channel === post.channel)
  const elsewhere = open.length - here.length
  const troubles = troublesOf(scene)
  const where = elsewhere > 0 ? ' here' : ''
  const isWell = troubles.length === 0 && elsewhere === 0
  // The account's is the first line.
  const isNarrow = (mute: Mute) => isInForce(mute, scene.nowMs) && mute.subject !== 'account'
  const running = muteGroups(scene, isNarrow)
  const planned = muteGroups(scene, (mute) => isPlanned(mute, scene.nowMs))
  return [
    section([...troubles, openWords(here, scene, isWell, where)].join('\n')),
    ...sections(someLines(rowsOf(here, scene), rowLine, { max: rowsMax, command: 'alerts', scene })),
    ...sections(
      [
        ...someLines(running, muteSentence, { max: mutesMax, command: 'mutes', scene }),
        ...someLines(planned, muteSentence, { max: plansMax, command: 'mutes', scene }),
        onCallWords(scene) ?? '',
      ].filter((line) => line !== ''),
    ),
    ...context([lastPollWords(scene), elsewhere > 0 ? `${number(elsewhere)} open in other channels` : '']),
  ]
}

/** Those of one command are one row, the earliest first. */
export function muteGroups({ world }: Scene, isMeant: (mute: Mute) => boolean): Mute[][] {
  const meant = [...world.activeMutes.values()].filter(isMeant).sort((a, b) => a.fromMs - b.fromMs)
  return [...Map.groupBy(meant, ({ act, fromMs, untilMs }) => `${act} ${fromMs} ${untilMs}`).values()]
}

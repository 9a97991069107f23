/** The board of a channel: the worst truth first, then what is open there, what is muted and planned, and when it was last read. */
import type { KnownBlock } from '@slack/types'
import { hasBoard, isLeftOut, targetOf } from '../decide/channels.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import type { Alert, Mute, Post } from '../world/types.ts'
import { context, section, sections } from './blocks.ts'
import { muteSentence } from './mutes.ts'
import { rowLine, rowsOf } from './rows.ts'
import type { Scene } from './scene.ts'
import { lastPollWords, onCallWords, openWords, troublesOf } from './truths.ts'
import { cut, number } from './words.ts'

const rowsMax = 15
const mutesMax = 8
const plansMax = 3
/** Fifteen of them stay well below what a message may hold. */
const lineCharsMax = 450

export function boardBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world } = scene
  if (!hasBoard(scene, post.channel)) return [section('The policy file has turned this board off')]
  const open = [...world.open.values()].filter((alert) => !isLeftOut(scene, alert))
  const here = open.filter((alert) => targetOf(scene, alert).channel === post.channel)
  const elsewhere = open.length - here.length
  const troubles = troublesOf(scene)
  const where = elsewhere > 0 ? ' here' : ''
  const isWell = troubles.length === 0 && elsewhere === 0
  return [
    section([...troubles, openWords(here, scene, isWell, where)].join('\n')),
    ...sections(rowLines(here, scene, rowsMax)),
    ...sections(
      [...muteRows(scene), ...planRows(scene), onCallWords(scene) ?? ''].filter((line) => line !== ''),
    ),
    ...context([lastPollWords(scene), elsewhere > 0 ? `${number(elsewhere)} open in other channels` : '']),
  ]
}

/** Rows as lines; what does not fit is counted. */
function rowLines(alerts: readonly Alert[], scene: Scene, max: number): string[] {
  const rows = rowsOf(alerts, scene)
  const lines = rows.slice(0, max).map((row) => cut(rowLine(row, scene), lineCharsMax))
  return rows.length > max ? [...lines, `and ${number(rows.length - max)} more: \`/mon alerts\``] : lines
}

/** Mutes in force, the account's aside: it is the first line. */
function muteRows(scene: Scene): string[] {
  const groups = muteGroups(scene, (mute) => isInForce(mute, scene.nowMs) && mute.subject !== 'account')
  return muteLinesOf(groups, scene, mutesMax)
}

function planRows(scene: Scene): string[] {
  return muteLinesOf(
    muteGroups(scene, (mute) => isPlanned(mute, scene.nowMs)),
    scene,
    plansMax,
  )
}

function muteLinesOf(groups: readonly Mute[][], scene: Scene, max: number): string[] {
  const lines = groups.slice(0, max).map((group) => cut(muteSentence(group, scene), lineCharsMax))
  return groups.length > max ? [...lines, `and ${number(groups.length - max)} more: \`/mon mutes\``] : lines
}

/** Those of one command are one row, the earliest first. */
export function muteGroups({ world }: Scene, isMeant: (mute: Mute) => boolean): Mute[][] {
  const meant = [...world.activeMutes.values()].filter(isMeant).sort((a, b) => a.fromMs - b.fromMs)
  return [...Map.groupBy(meant, ({ act, fromMs, untilMs }) => `${act} ${fromMs} ${untilMs}`).values()]
}

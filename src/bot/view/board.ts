/**
 * The board of a channel, and Home: the worst truth first, then what is open, what is muted and planned, and when it was last read. On
 * Home whoever reads it has their own alerts first, with buttons.
 */
import type { Button, KnownBlock, View as SlackView } from '@slack/types'
import { hasBoard, openIn, targetOf } from '../decide/channels.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import type { Alert, Mute, Post } from '../world/types.ts'
import { button, context, section, sections, withBlockIds } from './blocks.ts'
import { muteGroups, muteRow, muteSentence } from './mutes.ts'
import { rowBlock, rowLine, rowsOf, someLines } from './rows.ts'
import type { Scene } from './scene.ts'
import { lastPollWords, onCallWords, openWords, troublesOf } from './truths.ts'
import { valueFor } from './values.ts'
import { escaped, number } from './words.ts'

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

const yoursMax = 10
const othersMax = 15

export function homeView(userId: string, scene: Scene): SlackView {
  const open = openIn(scene)
  const yours = open.filter(({ holder }) => holder === userId)
  const others = open.filter(({ holder }) => holder !== userId)
  const troubles = troublesOf(scene)
  const blocks: KnownBlock[] = [
    section([...troubles, openWords(open, scene, troubles.length === 0)].join('\n')),
    ...context([onCallWords(scene) ?? '']),
    ...rowBlocks('Your open alerts', yours, scene, yoursMax, handBack),
    ...rowBlocks(yours.length === 0 ? 'Open alerts' : 'Other open alerts', others, scene, othersMax, take),
    ...muteBlocks(scene),
    ...context([lastPollWords(scene), escaped(scene.replicaName, 60)]),
  ]
  return { type: 'home', blocks: [...withBlockIds(blocks)] }
}

type Press = (alert: Alert, scene: Scene) => Button

function rowBlocks(
  title: string,
  alerts: readonly Alert[],
  scene: Scene,
  max: number,
  press: Press,
): KnownBlock[] {
  if (alerts.length === 0) return []
  const rows = rowsOf(alerts, scene)
  const more = rows.length - max
  return [
    section(`*${title}*`),
    ...rows.slice(0, max).map((row, at) => rowBlock(row, at, scene, press)),
    ...(more > 0 ? context([`and ${number(more)} more: \`/mon alerts\``]) : []),
  ]
}

function handBack(alert: Alert, scene: Scene): Button {
  return button({ id: 'hand_back', label: 'Hand back', value: valueFor(alert, scene) })
}

function take(alert: Alert, scene: Scene): Button {
  const value = valueFor(alert, scene)
  return alert.holder === null
    ? button({ id: 'acknowledge', label: 'Acknowledge', value })
    : button({ id: 'take_over', label: 'Take over', value })
}

function muteBlocks(scene: Scene): KnownBlock[] {
  const groups = [
    ...muteGroups(scene, (mute) => isInForce(mute, scene.nowMs)),
    ...muteGroups(scene, (mute) => isPlanned(mute, scene.nowMs)),
  ]
  if (groups.length === 0) return []
  const more = groups.length - mutesMax
  return [
    section('*Mutes*'),
    ...groups.slice(0, mutesMax).flatMap((group, at) => muteRow(group, at, scene)),
    ...(more > 0 ? context([`and ${number(more)} more: \`/mon mutes\``]) : []),
  ]
}

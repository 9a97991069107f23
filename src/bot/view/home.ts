/** Home: the board's truths for one person, whose own alerts come first, with buttons. */
import type { Button, KnownBlock, View as SlackView } from '@slack/types'
import { openIn } from '../decide/channels.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import type { Alert } from '../world/types.ts'
import { actions, button, context, section, withBlockIds } from './blocks.ts'
import { muteGroups } from './board.ts'
import { muteButtons, muteSentence } from './mutes.ts'
import { rowBlock, rowsOf } from './rows.ts'
import type { Scene } from './scene.ts'
import { lastPollWords, onCallWords, openWords, troublesOf } from './truths.ts'
import { type ButtonValue, seenOf } from './values.ts'
import { cut, escaped, number } from './words.ts'

const yoursMax = 10
const othersMax = 15
const mutesMax = 8
const lineCharsMax = 600

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

function valueFor(alert: Alert, { world, nowMs }: Scene): ButtonValue {
  return { alert: alert.id, seen: seenOf([alert], world, nowMs) }
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
    ...groups
      .slice(0, mutesMax)
      .flatMap((group, at) => [
        section(cut(muteSentence(group, scene), lineCharsMax)),
        ...actions(`mute:${at}`, muteButtons(group, scene)),
      ]),
    ...(more > 0 ? context([`and ${number(more)} more: \`/mon mutes\``]) : []),
  ]
}

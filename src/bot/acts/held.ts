/** Who is on an alert: shared by acknowledge, take over, hand back and hand. */

import type { KnownBlock } from '@slack/types'
import { kindOf } from '../decide/trouble.ts'
import { alertOf } from '../view/alert.ts'
import { section, sections, viewOfBlocks } from '../view/blocks.ts'
import { askedAbout } from '../view/remind.ts'
import { acknowledgeButton, type Row, rowLine, rowsOf } from '../view/rows.ts'
import type { Scene, View } from '../view/scene.ts'
import { readValue } from '../view/values.ts'
import { cut, headline } from '../view/words.ts'
import type { ActKind, Alert } from '../world/types.ts'
import type { Context, Press, Reply } from './act.ts'
import { cardOf, changed, hurry, isChanged, ofAlert, record, tellInThread, tooOld } from './told.ts'

type Kind = Extract<ActKind, 'acknowledge' | 'take_over' | 'still_on' | 'hand_back'>

/** Puts the asker on these alerts, or nobody. A take-over is a line in the card's thread, an acknowledgement stands on the card. */
export function hold({ scene, ask }: Context, kind: Kind, alerts: readonly Alert[]): Reply {
  const now = scene()
  const { world, nowMs } = now
  const holder = kind === 'hand_back' ? null : ask.person.id
  world.decide(() => {
    for (const alert of alerts) {
      const from = alert.holder === null || alert.holder === holder ? {} : { from: alert.holder }
      world.patch('alerts', alert.id, { holder, heldMs: holder === null ? null : nowMs, round: null })
      const act = record(now, ask, { kind, ...ofAlert(alert), data: from })
      const card = cardOf(now, alert)
      if (card !== null && card.kind === 'alert' && kind !== 'acknowledge' && kind !== 'still_on')
        tellInThread(now, act, card)
    }
    hurry(
      now,
      alerts.map(({ id }) => id),
    )
  })
  return { kind: 'done' }
}

export function sayHeld(kind: Kind, alert: Alert): Reply {
  const thing = headline(alert)
  const words = {
    acknowledge: `👀 You're on ${thing}`,
    take_over: `👀 You took over ${thing}`,
    still_on: `👀 You're on ${thing} already`,
    hand_back: `👐 You handed back ${thing}; nobody is on it`,
  }
  return { kind: 'say', render: () => viewOfBlocks([section(words[kind])]) }
}

/** The alert of a pressed button, or of the card it stands on; what changed since it was shown is not acted on. */
export function onePressed(
  press: Press,
  { scene }: Context,
  act: (alert: Alert) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const value = readValue(press.option ?? press.value)
  const now = scene()
  const card = now.world.posts.get(press.post ?? '')
  const alert =
    now.world.alerts.get(value?.alert ?? '') ?? (card === undefined ? null : alertOf(card, now.world))
  if (alert === null) return tooOld
  return isChanged(now, alert, value?.seen) || alert.closedMs !== null ? changed : act(alert)
}

/** The alerts about which somebody is asked whether they are still on them. */
export function askedPressed(
  press: Press,
  { scene }: Context,
  act: (alerts: readonly Alert[]) => Reply,
): Reply {
  const { world } = scene()
  const question = world.posts.get(readValue(press.value)?.post ?? '')
  if (question === undefined) return tooOld
  const alerts = askedAbout(question, world)
  return alerts.length === 0 ? changed : act(alerts)
}

/** Of the alerts that the message of a pressed button showed, those that are still open. What came since was not meant. */
export function onPost({ post, value }: Pick<Press, 'post' | 'value'>, { world }: Scene): Alert[] {
  const { post: named, seen, kind } = readValue(value) ?? {}
  const shows = world.posts.get(named ?? post ?? '')?.shows ?? []
  const shown = seen === undefined ? shows : shows.slice(0, Number(seen))
  const open = [...new Set(shown.map(({ alert }) => alert))].flatMap((id) => world.open.get(id) ?? [])
  return open.filter((alert) => kind === undefined || kindOf(alert) === kind)
}

const rowsMax = 10
const lineCharsMax = 600

/** What nobody is on, a storm as one row, each with its button. */
export function board(alerts: readonly Alert[], scene: Scene): View {
  const rows = rowsOf(alerts, scene)
  const shown = rows.slice(0, rowsMax).map((row, at) => rowBlock(row, at, scene))
  const rest =
    rows.length > rowsMax ? sections([`and ${rows.length - rowsMax} more: \`/mon alerts unacked\``]) : []
  return viewOfBlocks([section('*Nobody is on these*'), ...shown, ...rest])
}

export function rowBlock(row: Row, at: number, scene: Scene): KnownBlock {
  const line = cut(rowLine(row, scene), lineCharsMax)
  return section(line, acknowledgeButton(row, scene), `row:${at}`)
}

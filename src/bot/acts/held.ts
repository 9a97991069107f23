/** Who is on an alert: shared by acknowledge, take over, snooze, hand back and hand. */
import { heldBy } from '../decide/rounds.ts'
import { kindOf } from '../decide/trouble.ts'
import { alertOf } from '../view/alert.ts'
import { section, sections, viewOfBlocks } from '../view/blocks.ts'
import { askedAbout } from '../view/remind.ts'
import { rowBlock, rowsOf } from '../view/rows.ts'
import type { Scene, View } from '../view/scene.ts'
import { readValue } from '../view/values.ts'
import { headline, person } from '../view/words.ts'
import type { ActKind, Alert } from '../world/types.ts'
import type { Context, Press, Reply } from './act.ts'
import { cardOf, changed, hurry, isChanged, ofAlert, record, tellInThread, tooOld } from './told.ts'

type Kind = Extract<ActKind, 'acknowledge' | 'take_over' | 'still_on' | 'snooze' | 'hand_back'>

/**
 * Puts the asker on these alerts, or nobody. What takes it from somebody is a line in the card's thread, all else stands on the card.
 * `untilMs`: the end of a snooze.
 */
export function hold(
  { scene, ask }: Context,
  kind: Kind,
  alerts: readonly Alert[],
  untilMs: number | null = null,
): Reply {
  const now = scene()
  const { world, nowMs } = now
  const holder = kind === 'hand_back' ? null : ask.person.id
  const snooze = untilMs === null ? null : { by: ask.person.id, untilMs }
  world.decide(() => {
    for (const alert of alerts) {
      const from = alert.holder === null || alert.holder === holder ? {} : { from: alert.holder }
      world.patch('alerts', alert.id, heldBy(holder, nowMs, snooze))
      const act = record(now, ask, { kind, ...ofAlert(alert), data: { ...from, ...(snooze && { untilMs }) } })
      const card = cardOf(now, alert)
      if (card?.kind === 'alert' && (kind === 'take_over' || kind === 'hand_back'))
        tellInThread(now, act, card)
    }
    hurry(
      now,
      alerts.map(({ id }) => id),
    )
  })
  return { kind: 'done' }
}

/** Who is on it already stays on it, and a snooze of theirs is over. */
export function stayOn(context: Context, alert: Alert): Reply {
  if (alert.snooze) hold(context, 'still_on', [alert])
  return sayHeld('still_on', alert)
}

export function sayHeld(kind: Exclude<Kind, 'snooze'>, alert: Alert): Reply {
  const thing = headline(alert)
  const words = {
    acknowledge: `👀 You're on ${thing}`,
    take_over: `👀 You took over ${thing}`,
    still_on: `👀 You're on ${thing} already`,
    hand_back: `👐 You handed back ${thing}; nobody is on it`,
  }
  return { kind: 'say', render: () => viewOfBlocks([section(words[kind])]) }
}

/** Nobody takes an alert away from somebody without saying so. */
export function sayOthers(alert: Alert, holder: string): Reply {
  const command = `take #${alert.number}`
  const text = `${person(holder)} is on ${headline(alert)}.`
  return { kind: 'refuse', text, offers: [{ label: command, command }] }
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

/** What nobody is on, a storm as one row, each with its button. */
export function board(alerts: readonly Alert[], scene: Scene): View {
  const rows = rowsOf(alerts, scene)
  const shown = rows.slice(0, rowsMax).map((row, at) => rowBlock(row, at, scene))
  const rest =
    rows.length > rowsMax ? sections([`and ${rows.length - rowsMax} more: \`/mon alerts unacked\``]) : []
  return viewOfBlocks([section('*Nobody is on these*'), ...shown, ...rest])
}

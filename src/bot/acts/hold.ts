/** Who is on an alert: acknowledge, take over, snooze and hand back, by command, button and pager. Only `hold` puts somebody on it. */
import { day, hour } from '../clock.ts'
import { heldBy } from '../decide/rounds.ts'
import { isAudible, isMember } from '../decide/standing.ts'
import { note } from '../decide/want.ts'
import { readValue } from '../view/blocks.ts'
import { askedAbout } from '../view/said.ts'
import type { Scene } from '../view/view.ts'
import { date, escaped, headline, person } from '../view/words.ts'
import type { Act, ActData, ActKind, Alert } from '../world/types.ts'
import { type Action, type Context, changed, done, type Press, type Reply, refuse, tooOld } from './action.ts'
import { listAlerts } from './alerts.ts'
import { say } from './answers.ts'
import { alertMeant } from './grammar/targets.ts'
import { readTime } from './grammar/time.ts'
import { onePressed, onPost } from './pressed.ts'
import { cardOf, hurry, ofAlert, tellInThread } from './tell.ts'

const snoozeUsualMs = 2 * hour
const lengthMaxMs = 7 * day
/** Times and reasons that only a mute can have. */
const ofMutes = /^(?:from|every|until (?:fine|ended))\b|"/i

/** `holder` null: nobody. `untilMs`: the end of a snooze. */
type Holding = {
  readonly kind: ActKind
  readonly holder: string | null
  readonly by: string
  readonly channel: string | null
  readonly untilMs?: number
  readonly data?: ActData
}

/** What takes it from somebody is a line in the card's thread, whose post `line` is; all else stands on the card. */
export function hold(scene: Scene, alerts: readonly Alert[], { holder, untilMs, channel, ...wish }: Holding) {
  const { world, nowMs } = scene
  const snooze = untilMs === undefined ? null : { by: wish.by, untilMs }
  return world.decide(() =>
    alerts.map((alert): { act: Act; line: string | null } => {
      const from = alert.holder === null || alert.holder === holder ? {} : { from: alert.holder }
      world.patch('alerts', alert.id, heldBy(holder, nowMs, snooze))
      const data = { ...from, ...(snooze && { untilMs }), ...wish.data }
      const act = note(scene, { ...wish, ...(channel !== null && { channel }), ...ofAlert(alert), data })
      hurry(scene, alert)
      const card = cardOf(scene, alert)
      const isTold =
        wish.kind === 'hand' || (card?.kind === 'alert' && /^(?:take_over|hand_back)$/.test(wish.kind))
      return { act, line: card !== null && isTold ? tellInThread(scene, act, card) : null }
    }),
  )
}

function holdSelf({ ask, scene }: Context, kind: ActKind, alerts: readonly Alert[], untilMs?: number): Reply {
  const { person: self, channel } = ask
  const holder = kind === 'hand_back' ? null : self.id
  hold(scene(), alerts, { kind, holder, by: self.id, channel, ...(untilMs !== undefined && { untilMs }) })
  return done
}

const commands = {
  acknowledge: ['ack', "👀 You're on {}"],
  take_over: ['take', '👀 You took over {}'],
  hand_back: ['unack', '👐 You handed back {}; nobody is on it'],
} as const

function typed(kind: keyof typeof commands, words: string, context: Context): Reply {
  const [name, sentence] = commands[kind]
  const { ask, scene } = context
  const { alert } = alertMeant(words, scene(), ask, `${name} {}`)
  const thing = headline(alert)
  if (kind === 'hand_back' && alert.holder === null) refuse(`Nobody is on ${thing}.`)
  if (kind !== 'hand_back' && alert.holder === ask.person.id) {
    // A snooze of theirs is over.
    if (alert.snooze) holdSelf(context, 'still_on', [alert])
    return say(`👀 You're on ${thing} already`)
  }
  if (kind === 'acknowledge') refuseOthers(alert, context)
  holdSelf(context, kind, [alert])
  return say(sentence.replace('{}', () => thing))
}

/** Nobody takes an alert away from somebody without saying so. */
function refuseOthers(alert: Alert, { ask }: Context): void {
  const takeOver = { label: 'Take over', command: `take #${alert.number}` }
  if (alert.holder !== null && alert.holder !== ask.person.id)
    refuse(`${person(alert.holder)} is on ${headline(alert)}.`, [takeOver])
}

const pressed = (kind: ActKind) => (press: Press, context: Context) =>
  holdSelf(context, kind, [onePressed(press, context)])

function askedPressed(press: Press, { scene }: Context): Alert[] {
  const { world } = scene()
  const question = world.posts.get(readValue(press.value)?.post ?? '')
  const alerts = question === undefined ? refuse(tooOld) : askedAbout(question, world)
  return alerts.length === 0 ? refuse(changed) : alerts
}

export const acknowledge: Action = {
  names: ['ack', 'acknowledge'],
  usage: 'ack [<alert>]',
  example: 'ack web-2',
  does: "Shows that you're on an alert; alone, lists what nobody is on",
  isCommon: true,
  permission: 'acknowledge',
  command: (words, context) =>
    /^(?:all)?$/i.test(words) && context.ask.threadPost === null
      ? listAlerts('unacked', context)
      : typed('acknowledge', words, context),
  presses: {
    acknowledge: pressed('acknowledge'),
    acknowledge_all(press, context) {
      const scene = context.scene()
      const isFree = (alert: Alert) => alert.holder === null && isAudible(scene, alert)
      return holdSelf(context, 'acknowledge', onPost(press, scene).filter(isFree))
    },
  },
}

export const take: Action = {
  names: ['take'],
  usage: 'take <alert>',
  example: 'take web-2',
  does: 'Takes an alert over from whoever is on it',
  permission: 'acknowledge',
  command: (words, context) => typed('take_over', words, context),
  presses: {
    take_over: pressed('take_over'),
    take_over_all(press, context) {
      const { id } = context.ask.person
      const isOthers = ({ holder }: Alert) => holder !== null && holder !== id
      return holdSelf(context, 'take_over', onPost(press, context.scene()).filter(isOthers))
    },
    still_on(press, context) {
      const alerts = askedPressed(press, context)
      const isOwn = alerts.every(({ holder }) => holder === context.ask.person.id)
      return holdSelf(context, isOwn ? 'still_on' : 'take_over', alerts)
    },
  },
}

/** If it is still open then, nobody is on it, and people are told (`decide/rounds.ts`). */
export const snooze: Action = {
  names: ['snooze'],
  usage: 'snooze <alert> [duration|until …]',
  example: 'snooze web-2 2h',
  does: 'Acknowledges an alert for a while, 2 h unless you say so; if it is still open then, nobody is on it',
  permission: 'acknowledge',
  command(words, context) {
    const { alert, rest } = alertMeant(words, context.scene(), context.ask, 'snooze {}', { hasText: true })
    const commandOf = (time: string) => `snooze #${alert.number} ${time}`
    return snoozeFor(rest === '' ? snoozeUsualMs : lengthMeant(rest, context, commandOf), alert, context)
  },
}

/** How long it is: `2h`, `until 16:00`. `commandOf` gives the whole command with another time. */
export function lengthMeant(
  words: string,
  { scene, ask }: Context,
  commandOf: (time: string) => string,
): number {
  const { nowMs } = scene()
  const refuseWords = (wrong: string, time: string) =>
    refuse(`I don't understand \`${escaped(wrong, 60)}\`.`, [commandOf(time)])
  const time = readTime(words, { nowMs, zone: ask.person.zone })
  const instead = time?.kind === 'no' ? time.instead.filter((one) => !ofMutes.test(one)) : []
  if (time?.kind === 'no' && instead.length > 0) return refuse(time.text, instead.map(commandOf))
  if (time?.kind !== 'when') return refuseWords(words, '2h')
  const { when, rest } = time
  if (rest !== '') return refuseWords(rest, words.slice(0, -rest.length).trim())
  if (when.kind !== 'length' && when.kind !== 'until') return refuseWords(words, '2h')
  const ms = when.kind === 'length' ? when.ms : when.atMs - nowMs
  return ms <= lengthMaxMs ? ms : refuse('At most 7 days.', [commandOf('7d')])
}

export function snoozeFor(ms: number, alert: Alert, context: Context): Reply {
  refuseOthers(alert, context)
  const untilMs = context.scene().nowMs + ms
  holdSelf(context, 'snooze', [alert], untilMs)
  return say(`👀 You snoozed ${headline(alert)} until ${date(untilMs)}`)
}

export const unack: Action = {
  names: ['unack'],
  usage: 'unack <alert>',
  example: 'unack web-2',
  does: 'Hands an alert back: nobody is on it, and reminders start again',
  permission: 'acknowledge',
  command: (words, context) => typed('hand_back', words, context),
  presses: {
    hand_back(press, context) {
      const isAsked = readValue(press.value)?.post !== undefined
      const alerts = isAsked ? askedPressed(press, context) : [onePressed(press, context)]
      return holdSelf(context, 'hand_back', alerts)
    },
  },
}

/**
 * Somebody acknowledged in the pager: as if they had pressed *Acknowledge*, under their name there. `key`: the call's. `by`: a Slack
 * member id, or a name.
 */
export function heardPage(scene: Scene, key: string, by: string): 'acknowledged' | 'nothing' | 'unknown' {
  const { world } = scene
  const call = [...world.effects.values()].find(({ does, data }) => does === 'page' && data.dedupKey === key)
  if (call === undefined) return 'unknown'
  const holder = isMember(by) ? by : `pager:${by.slice(0, 80)}`
  const asked = world.acts.get(call.act ?? '')
  if (asked?.kind === 'page') {
    if (asked.data.answeredBy !== undefined) return 'nothing'
    world.patch('acts', asked.id, { data: { ...asked.data, answeredBy: holder } })
    return 'acknowledged'
  }
  const post = world.posts.get(call.data.post ?? '')
  const ids = new Set([...(post?.shows.map(({ alert }) => alert) ?? []), ...(call.data.alerts ?? [])])
  const alerts = [...ids].flatMap((id) => world.open.get(id) ?? []).filter((alert) => alert.holder === null)
  hold(scene, alerts, { kind: 'acknowledge', holder, by: holder, channel: null })
  return alerts.length === 0 ? 'nothing' : 'acknowledged'
}

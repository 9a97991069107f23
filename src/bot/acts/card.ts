/** What people do on a card: note something, have the timeline written, say that it closed; and its menu, which opens all that needs a form. */
import { hour } from '../clock.ts'
import { wantEffect } from '../decide/want.ts'
import { alertsOn } from '../view/alert.ts'
import { readValue } from '../view/blocks.ts'
import { markerForm, noteForm, pageForm } from '../view/forms.ts'
import { groupHeadline } from '../view/list.ts'
import { actSentence } from '../view/said.ts'
import { headline } from '../view/words.ts'
import type { Alert, Post } from '../world/types.ts'
import {
  type Action,
  type Context,
  done,
  type Press,
  pressedOnly,
  type Reply,
  refuse,
  tooOld,
} from './action.ts'
import { say } from './answers.ts'
import { rolesFormFor } from './changes.ts'
import { wantFile } from './files.ts'
import { alertMeant } from './grammar/targets.ts'
import { handFormFor } from './hand.ts'
import { snoozeFor } from './hold.ts'
import { demand, onePressed } from './pressed.ts'
import { cardOf, hurry, ofAlert, record, sayAct, tellInThread } from './tell.ts'

const noteCharsMax = 1000

export const note: Action = {
  names: ['note'],
  usage: 'note <alert> <text>',
  example: 'note web-2 rotating logs',
  does: 'Adds a note to the card and the thread of an alert',
  permission: 'add_note',
  command(words, context) {
    const rules = { hasText: true, mayBeClosed: true } as const
    const { alert, rest } = alertMeant(words, context.scene(), context.ask, 'note {}', rules)
    const card = cardOf(context.scene(), alert)
    return rest === '' ? noteFormFor([alert], card) : addNote([alert], card, rest, context)
  },
  forms: {
    note(form, context) {
      const scene = context.scene()
      const value = readValue(form.metadata)
      const post = scene.world.posts.get(value?.post ?? '') ?? null
      const alert = scene.world.alerts.get(value?.alert ?? '')
      const [text = ''] = form.values.get('text') ?? []
      if (text.trim() === '') refuse('Write something.')
      const alerts = alert === undefined ? alertsOn(post, scene.world) : [alert]
      addNote(alerts, post ?? (alert === undefined ? null : cardOf(scene, alert)), text, context)
      return done
    },
  },
}

function noteFormFor(alerts: readonly Alert[], card: Post | null): Reply {
  const [first, ...others] = alerts
  if (first === undefined) return refuse(tooOld)
  if (others.length === 0) return { kind: 'form', view: noteForm(headline(first), { alert: first.id }) }
  return { kind: 'form', view: noteForm(groupHeadline(alerts), { post: card?.id ?? '' }) }
}

function addNote(alerts: readonly Alert[], card: Post | null, text: string, context: Context): Reply {
  const scene = context.scene()
  const [alert] = alerts
  if (alert === undefined) return refuse(tooOld)
  return scene.world.decide(() => {
    const several = alerts.length > 1 ? { alerts: alerts.map(({ id }) => id) } : {}
    const data = { text: text.slice(0, noteCharsMax), ...several }
    const act = record(context, { kind: 'note', ...ofAlert(alert), data })
    const told = card === null ? null : tellInThread(scene, act, card)
    hurry(scene, alert)
    return sayAct(act.id, { context, told }, (noted) => actSentence(noted, headline(alert)))
  })
}

export const timeline: Action = {
  names: ['timeline'],
  usage: 'timeline <alert>',
  example: 'timeline web-2',
  does: "Puts a file with all that happened about an alert into the alert's thread",
  permission: 'add_note',
  command(words, context) {
    const { alert } = alertMeant(words, context.scene(), context.ask, 'timeline {}', { mayBeClosed: true })
    return wantTimeline(alert, context)
  },
}

function wantTimeline(alert: Alert, context: Context): Reply {
  const card = cardOf(context.scene(), alert)
  if (card === null) return refuse('That alert has no card in Slack to put a timeline under.')
  const data = { file: 'timeline', alert: alert.id, post: card.id } as const
  return wantFile(data, "I put the timeline in the alert's thread", context)
}

/** *It closed*: of an alert that is listed nowhere though nothing proves its end, a person says so. */
export const close = pressedOnly('acknowledge', {
  close(press, context) {
    const alert = onePressed(press, context)
    if (alert.unlistedMs === null) refuse('The monitoring lists this alert as open.')
    const scene = context.scene()
    scene.world.decide(() => {
      const end = { closedMs: scene.nowMs, closedBy: context.ask.person.id, unlistedMs: null, round: null }
      scene.world.patch('alerts', alert.id, end)
      const act = record(context, { kind: 'close', ...ofAlert(alert) })
      const card = cardOf(scene, alert)
      if (card !== null) tellInThread(scene, act, card)
      hurry(scene, alert)
    })
    return done
  },
})

/** Who may is asked at the menu, and again where the form is sent. An option that is not here needs `add_note`. */
const permissions = {
  hand: 'acknowledge',
  snooze: 'acknowledge',
  page: 'acknowledge',
  roles: 'add_roles',
  marker: 'add_marker',
} as const

/** Options carry `hand`, `snooze 1`, `note`, `page`, `roles`, `marker`, `timeline`, `investigate`. */
export const more = pressedOnly(null, { more: open })

async function open(press: Press, context: Context): Promise<Reply> {
  const value = readValue(press.option ?? press.value)
  const [what = '', hours = ''] = value?.words?.split(' ') ?? []
  await demand(permissions[what as keyof typeof permissions] ?? 'add_note', what || 'note', context)
  const scene = context.scene()
  if (what === 'marker') return { kind: 'form', view: markerForm({}) }
  const post = scene.world.posts.get(value?.post ?? press.post ?? '') ?? null
  const alert = scene.world.alerts.get(value?.alert ?? '')
  const alerts = alert === undefined ? alertsOn(post, scene.world) : [alert]
  if (what === 'page' && alerts.length > 0) {
    const about = alert === undefined ? {} : { alert: alert.id }
    const card = alert === undefined ? post : cardOf(scene, alert)
    const said = alert === undefined ? groupHeadline(alerts) : headline(alert)
    return { kind: 'form', view: pageForm(said, { ...about, ...(card !== null && { post: card.id }) }) }
  }
  if (what === 'note') return noteFormFor(alerts, alert === undefined ? post : cardOf(scene, alert))
  if (alert === undefined) return refuse(tooOld)
  if (what === 'timeline') return wantTimeline(alert, context)
  if (alert.closedMs !== null) refuse('This alert is closed.')
  if (what === 'hand') return handFormFor(alert, scene)
  if (what === 'investigate') return investigate(alert, context)
  if (what === 'snooze') return snoozeFor(Number(hours) * hour, alert, context)
  return what === 'roles' ? rolesFormFor(alert, context) : refuse(tooOld)
}

/** Two who press it ask once, as long as no answer came. */
function investigate(alert: Alert, { scene, ask }: Context): Reply {
  const now = scene()
  const card = cardOf(now, alert)
  if (card === null) return refuse(tooOld)
  const data = { alert: alert.id, post: card.id, by: ask.person.id }
  const isAsked = [...now.world.effects.values()].some(
    ({ does, state, data }) =>
      does === 'investigate' && data.alert === alert.id && ['new', 'asked'].includes(state),
  )
  if (!isAsked) wantEffect(now, { id: `investigate:${ask.key}`, does: 'investigate', data })
  return say("🔎 I asked; what it finds comes into the alert's thread")
}

/** `note`: something that everybody who looks at an alert should know, in its thread and on its card. */
import { noteForm } from '../view/forms.ts'
import { groupHeadline } from '../view/group.ts'
import { actSentence } from '../view/said.ts'
import { readValue } from '../view/values.ts'
import { headline } from '../view/words.ts'
import type { Alert, Post } from '../world/types.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { cardOf, hurry, ofAlert, record, sayAct, tellInThread } from './told.ts'

const textCharsMax = 1000

export const note: Act = {
  names: ['note'],
  usage: 'note <alert> <text>',
  example: 'note web-2 rotating logs',
  does: 'Adds a note to the card and the thread of an alert',
  permission: 'add_note',
  command(words, context) {
    const meant = alertMeant(words, context.scene(), context.ask, 'note {}', {
      hasText: true,
      mayBeClosed: true,
    })
    if (meant.kind === 'no') return meant.reply
    if (meant.rest === '') return noteFormFor([meant.alert], cardOf(context.scene(), meant.alert))
    return add([meant.alert], cardOf(context.scene(), meant.alert), meant.rest, context)
  },
  forms: {
    note(form, context) {
      const { world } = context.scene()
      const value = readValue(form.metadata)
      const post = world.posts.get(value?.post ?? '') ?? null
      const alert = world.alerts.get(value?.alert ?? '')
      const [text = ''] = form.values.get('text') ?? []
      if (text.trim() === '') return { kind: 'problems', problems: { text: 'Write something.' } }
      const alerts =
        alert === undefined
          ? (post?.shows ?? []).flatMap((one) => world.alerts.get(one.alert) ?? [])
          : [alert]
      if (alerts.length === 0)
        return { kind: 'problems', problems: { text: 'This message is too old to act on.' } }
      add(alerts, post ?? (alert === undefined ? null : cardOf(context.scene(), alert)), text, context)
      return { kind: 'done' }
    },
  },
}

export function noteFormFor(alerts: readonly Alert[], card: Post | null): Reply {
  const [first] = alerts
  const about = alerts.length === 1 && first !== undefined ? headline(first) : groupHeadline(alerts)
  const value = alerts.length === 1 && first !== undefined ? { alert: first.id } : { post: card?.id ?? '' }
  return { kind: 'form', view: noteForm(about, value) }
}

function add(alerts: readonly Alert[], card: Post | null, text: string, context: Context): Reply {
  const scene = context.scene()
  const [alert] = alerts
  if (alert === undefined) return { kind: 'done' }
  return scene.world.decide(() => {
    const data = {
      text: text.slice(0, textCharsMax),
      ...(alerts.length > 1 ? { alerts: alerts.map(({ id }) => id) } : {}),
    }
    const done = record(scene, context.ask, { kind: 'note', ...ofAlert(alert), data })
    const told = card === null ? null : tellInThread(scene, done, card)
    hurry(scene, [alert.id])
    return sayAct(done.id, { context, told }, (act) => actSentence(act, headline(alert)))
  })
}

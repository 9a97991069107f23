/** `hand`: puts somebody else on an alert, who gets a direct message. */
import { want } from '../decide/new-post.ts'
import { handForm } from '../view/forms.ts'
import { actSentence } from '../view/said.ts'
import { readValue } from '../view/values.ts'
import { escaped, headline, person as personWords } from '../view/words.ts'
import type { Alert, Person } from '../world/types.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { nameOf } from './held.ts'
import { cardOf, hurry, record, sayAct, tellInThread, tooOld } from './told.ts'

/** A name has at most so many words. */
const nameWordsMax = 4
const noteCharsMax = 1000

export const hand: Act = {
  names: ['hand'],
  usage: 'hand <alert> [@person|name] [note]',
  example: 'hand web-2 @ben please look',
  does: 'Hands an alert to somebody, who gets a direct message',
  permission: 'acknowledge',
  async command(words, context) {
    const meant = alertMeant(words, context.scene(), context.ask, 'hand {}', { hasText: true })
    if (meant.kind === 'no') return meant.reply
    const { alert, rest } = meant
    if (rest === '') return formFor(alert)
    return toNamed(alert, rest, context)
  },
  forms: {
    hand(form, context) {
      const value = readValue(form.metadata)
      const alert = context.scene().world.open.get(value?.alert ?? '')
      const [id] = form.values.get('person') ?? []
      if (alert === undefined)
        return { kind: 'problems', problems: { person: 'This alert is closed meanwhile.' } }
      if (id === undefined) return { kind: 'problems', problems: { person: 'Choose somebody.' } }
      const reply = give(
        alert,
        { id, isBot: isOwn(id, context) },
        form.values.get('text')?.[0] ?? '',
        context,
      )
      return reply.kind === 'refuse'
        ? { kind: 'problems', problems: { person: reply.text } }
        : { kind: 'done' }
    },
  },
}

export function formFor(alert: Alert): Reply {
  return { kind: 'form', view: handForm(headline(alert), { alert: alert.id }) }
}

/** The longest beginning that is somebody's name; what follows is the note. */
async function toNamed(alert: Alert, rest: string, context: Context): Promise<Reply> {
  const words = rest.split(' ')
  for (let count = Math.min(nameWordsMax, words.length); count > 0; count -= 1) {
    const found = await context.reads.findPeople(words.slice(0, count).join(' ').replace(/[,:]$/, ''))
    const note = words.slice(count).join(' ')
    const [one] = found
    if (found.length === 1 && one !== undefined) return give(alert, one, note, context)
    if (found.length > 1) return whichOf(found, alert, note)
  }
  return {
    kind: 'refuse',
    text: `No person \`${escaped(words.slice(0, 2).join(' ').replaceAll('`', ''), 60)}\`. Try \`@\` and their name.`,
  }
}

function whichOf(found: readonly Person[], alert: Alert, note: string): Reply {
  const offers = found.slice(0, 5).map(({ id, realName, name }) => ({
    label: `${realName} (@${name})`,
    command: `hand #${alert.number} <@${id}> ${note}`.trim(),
  }))
  return { kind: 'refuse', text: 'Several people have that name. Which one?', offers }
}

function give(
  { id: alertId }: Alert,
  to: Pick<Person, 'id' | 'isBot'>,
  note: string,
  context: Context,
): Reply {
  const { ask } = context
  const scene = context.scene()
  const { world, nowMs } = scene
  const alert = world.open.get(alertId)
  if (alert === undefined) return tooOld
  if (to.isBot) return { kind: 'refuse', text: "I'm an app; hand it to a person." }
  const act = world.decide(() => {
    world.patch('alerts', alert.id, { holder: to.id, heldMs: nowMs, round: null })
    const data = { to: to.id, ...(note === '' ? {} : { text: note.slice(0, noteCharsMax) }) }
    const done = record(scene, ask, {
      kind: 'hand',
      subject: nameOf(alert),
      alert: alert.id,
      host: alert.host,
      data,
    })
    const card = cardOf(scene, alert)
    if (card !== null) tellInThread(scene, done, card)
    if (to.id !== ask.person.id) {
      const about = card === null ? {} : { about: card.id }
      want(world, nowMs, {
        id: `dm:${done.id}`,
        kind: 'dm',
        channel: to.id,
        data: { act: done.id, ...about },
        urgency: 0,
      })
    }
    hurry(scene, [alert.id])
    return done
  })
  return sayAct(act.id, (done) =>
    actSentence(done, headline(alert)).replace(personWords(ask.person.id), 'You'),
  )
}

function isOwn(id: string, { scene }: Context): boolean {
  return scene().world.fact('slack')?.botUserId === id
}

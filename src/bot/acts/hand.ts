/** `hand`: puts somebody else on an alert, who gets a direct message. */
import { want } from '../decide/new-post.ts'
import { heldBy } from '../decide/rounds.ts'
import { handForm } from '../view/forms.ts'
import { actSentence } from '../view/said.ts'
import type { Scene } from '../view/scene.ts'
import { readValue, seenOf } from '../view/values.ts'
import { escaped, headline, person as personWords } from '../view/words.ts'
import type { Person } from '../world/facts.ts'
import type { Alert } from '../world/types.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { cardOf, hurry, isChanged, ofAlert, record, sayAct, tellInThread, tooOld } from './told.ts'

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
    if (rest === '') return formFor(alert, context.scene())
    const commandOf = (to: string) => `hand #${alert.number} ${to}`
    const found = await personMeant(rest, context, commandOf)
    return found.kind === 'no' ? found.reply : give(alert, found.person, found.rest, context)
  },
  forms: {
    async hand(form, context) {
      const [id] = form.values.get('person') ?? []
      const [person] = id === undefined ? [] : await context.reads.findPeople(`<@${id}>`)
      const value = readValue(form.metadata)
      const scene = context.scene()
      const alert = scene.world.open.get(value?.alert ?? '')
      if (alert === undefined || isChanged(scene, alert, value?.seen))
        return { kind: 'problems', problems: { person: 'This changed meanwhile. Look at the card again.' } }
      if (person === undefined) return { kind: 'problems', problems: { person: 'Choose somebody.' } }
      const reply = give(alert, person, form.values.get('text')?.[0] ?? '', context)
      return reply.kind === 'refuse'
        ? { kind: 'problems', problems: { person: reply.text } }
        : { kind: 'done' }
    },
  },
}

export function formFor(alert: Alert, { world, nowMs }: Scene): Reply {
  const value = { alert: alert.id, seen: seenOf([alert], world, nowMs) }
  return { kind: 'form', view: handForm(headline(alert), value) }
}

export type PersonMeant =
  | { readonly kind: 'one'; readonly person: Person; readonly rest: string }
  | { readonly kind: 'no'; readonly reply: Reply }

/** The longest beginning that is somebody's name; `rest` follows it. `commandOf`: for one of several, and what follows. */
export async function personMeant(
  said: string,
  { reads }: Context,
  commandOf: (to: string) => string,
): Promise<PersonMeant> {
  const words = said.split(' ')
  for (let count = Math.min(nameWordsMax, words.length); count > 0; count -= 1) {
    const found = await reads.findPeople(words.slice(0, count).join(' ').replace(/[,:]$/, ''))
    const rest = words.slice(count).join(' ')
    const [person] = found
    if (found.length === 1 && person !== undefined) return { kind: 'one', person, rest }
    if (found.length > 1) return no('Several people have that name. Which one?', found, rest, commandOf)
  }
  const name = escaped(words.slice(0, 2).join(' ').replaceAll('`', ''), 60)
  return no(`No person \`${name}\`. Try \`@\` and their name.`, [], '', commandOf)
}

function no(
  text: string,
  found: readonly Person[],
  rest: string,
  commandOf: (to: string) => string,
): PersonMeant {
  const offers = found.slice(0, 5).map(({ id, realName, name }) => ({
    label: `${realName} (@${name})`,
    command: commandOf(`<@${id}> ${rest}`.trim()),
  }))
  return { kind: 'no', reply: { kind: 'refuse', text, offers } }
}

function give({ id: alertId }: Alert, to: Person, note: string, context: Context): Reply {
  const { ask } = context
  const scene = context.scene()
  const { world, nowMs } = scene
  const alert = world.open.get(alertId)
  if (alert === undefined) return tooOld
  if (to.isBot || isOwn(to.id, context))
    return { kind: 'refuse', text: "That's an app; hand it to a person." }
  if (to.isDeleted) return { kind: 'refuse', text: `${personWords(to.id)} has left this workspace.` }
  const { act, told } = world.decide(() => {
    world.patch('alerts', alert.id, heldBy(to.id, nowMs))
    const data = { to: to.id, ...(note === '' ? {} : { text: note.slice(0, noteCharsMax) }) }
    const done = record(scene, ask, { kind: 'hand', ...ofAlert(alert), data })
    const card = cardOf(scene, alert)
    const line = card === null ? null : tellInThread(scene, done, card)
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
    return { act: done, told: line }
  })
  return sayAct(act.id, { context, told }, (done) =>
    actSentence(done, headline(alert)).replace(personWords(ask.person.id), 'You'),
  )
}

function isOwn(id: string, { scene }: Context): boolean {
  return scene().world.fact('slack')?.botUserId === id
}

/** `hand`, `page` and `cover`: puts somebody else on an alert, who gets a direct message; calls somebody; puts somebody on call for a while. */
import { day } from '../clock.ts'
import { tellShift } from '../decide/notices.ts'
import { coverCalled } from '../decide/standing.ts'
import { type ActWish, want, wantEffect } from '../decide/want.ts'
import { readValue, sections, valueFor, viewOfBlocks } from '../view/blocks.ts'
import { onCallWords } from '../view/board.ts'
import { handForm } from '../view/forms.ts'
import { actSentence, pagedWords } from '../view/said.ts'
import type { Scene } from '../view/view.ts'
import { escaped, headline, headlineWords, person as personWords, plain } from '../view/words.ts'
import type { Person, Shift } from '../world/facts.ts'
import type { Alert, Post } from '../world/types.ts'
import { type Action, type Context, changed, done, type Form, type Reply, refuse, tooOld } from './action.ts'
import { alertMeant, openInThread } from './grammar/targets.ts'
import { readTime } from './grammar/time.ts'
import { hold, lengthMeant } from './hold.ts'
import { isChanged, mayDo } from './pressed.ts'
import { cardOf, channelOf, ofAlert, record, sayAct, sayTold, tellAloud, tellInThread } from './tell.ts'

const nameWordsMax = 4
const noteCharsMax = 1000
const pageCharsMax = 500

export const hand: Action = {
  names: ['hand'],
  usage: 'hand <alert> [@person|name] [note]',
  example: 'hand web-2 @ben please look',
  does: 'Hands an alert to somebody, who gets a direct message',
  permission: 'acknowledge',
  async command(words, context) {
    const { alert, rest } = alertMeant(words, context.scene(), context.ask, 'hand {}', { hasText: true })
    if (rest === '') return handFormFor(alert, context.scene())
    const found = await personMeant(rest, context, (to) => `hand #${alert.number} ${to}`)
    await refuseBarred(found.person, context)
    return give(alert, found.person, found.rest, context)
  },
  forms: {
    async hand(form, context) {
      const person = (await personChosen(form, context)) ?? refuse('Choose somebody.')
      await refuseBarred(person, context)
      const value = readValue(form.metadata)
      const scene = context.scene()
      const alert = scene.world.open.get(value?.alert ?? '')
      if (alert === undefined || isChanged(scene, alert, value?.seen)) return refuse(changed)
      give(alert, person, form.values.get('text')?.[0] ?? '', context)
      return done
    },
  },
}

export function handFormFor(alert: Alert, scene: Scene): Reply {
  return { kind: 'form', view: handForm(headline(alert), valueFor(alert, scene)) }
}

async function personChosen({ values }: Form, { reads }: Context): Promise<Person | null> {
  const [id] = values.get('person') ?? []
  const [person = null] = id === undefined ? [] : await reads.findPeople(`<@${id}>`)
  return person
}

/** The longest beginning that is somebody's name; `rest` follows it. `commandOf`: for one of several, and what follows. */
async function personMeant(said: string, { reads }: Context, commandOf: (to: string) => string) {
  const words = said.replace(/^to /i, '').split(' ')
  for (let count = Math.min(nameWordsMax, words.length); count > 0; count -= 1) {
    const found = await reads.findPeople(words.slice(0, count).join(' ').replace(/[,:]$/, ''))
    const rest = words.slice(count).join(' ')
    const offers = found.map(({ id, realName, name }) => ({
      label: `${realName} (@${name})`,
      command: commandOf(`<@${id}> ${rest}`.trim()),
    }))
    const [person] = found
    if (found.length > 1) refuse('Several people have that name. Which one?', offers)
    if (person !== undefined) return { person, rest }
  }
  const name = escaped(words.slice(0, 2).join(' ').replaceAll('`', ''), 60)
  return refuse(`No person \`${name}\`. Try \`@\` and their name.`)
}

function give({ id: alertId }: Alert, to: Person, text: string, context: Context): Reply {
  const { ask, scene } = context
  const now = scene()
  const { world, nowMs } = now
  const alert = world.open.get(alertId)
  if (alert === undefined) return refuse(tooOld)
  refuseAbsent(to, now)
  const { id: by } = ask.person
  return world.decide(() => {
    const data = { to: to.id, ...(text !== '' && { text: text.slice(0, noteCharsMax) }) }
    const [held] = hold(now, [alert], { kind: 'hand', holder: to.id, by, channel: ask.channel, data })
    const { id: act = '' } = held?.act ?? {}
    const card = cardOf(now, alert)
    const about = card === null ? {} : { about: card.id }
    const dm = { id: `dm:${act}`, kind: 'dm', channel: to.id, data: { act, ...about }, urgency: 0 } as const
    if (to.id !== by) want(world, nowMs, dm)
    return sayAct(act, { context, told: held?.line ?? null }, (given) =>
      actSentence(given, headline(alert)).replace(personWords(by), 'You'),
    )
  })
}

/** Whoever may not acknowledge could not hand it back either. */
async function refuseBarred(person: Person, context: Context): Promise<void> {
  const why = await mayDo('acknowledge', { ...context, ask: { ...context.ask, person } })
  if (why !== null) refuse(`${personWords(person.id)} may not acknowledge alerts, by the policy file.`)
}

function refuseAbsent({ id, isBot, isDeleted }: Person, { world }: Scene): void {
  if (isBot || world.fact('slack')?.botUserId === id) refuse("That's an app; choose a person.")
  if (isDeleted) refuse(`${personWords(id)} has left this workspace.`)
}

export const page: Action = {
  names: ['page'],
  usage: 'page <@person|name|oncall> <text>',
  example: 'page oncall the database is down',
  does: 'Calls somebody now, by the pager',
  permission: 'acknowledge',
  async command(words, context) {
    const { pager, world } = context.scene()
    const [alert, other] = openInThread(context.scene(), context.ask)
    const card = world.posts.get(context.ask.threadPost ?? '')
    const about = { alert: other === undefined ? alert : undefined, card }
    const [, text] = /^on ?call\b[,:]?\s*(.*)$/i.exec(words) ?? []
    if (text !== undefined) return call(null, text, about, context)
    if (words === '') refuse(whom)
    const meant = await personMeant(words, context, (to) => `page ${to}`)
    const offer = { label: 'Page oncall', command: `page oncall ${meant.rest}`.trim() }
    if (pager === 'pagerduty') refuse(pagerChooses, [offer])
    return call(meant.person, meant.rest, about, context)
  },
  presses: {
    acknowledge_page(press, context) {
      const { world } = context.scene()
      const act = world.acts.get(readValue(press.value)?.act ?? '')
      if (act?.kind !== 'page') return refuse(tooOld)
      if (act.data.answeredBy !== undefined) refuse(changed)
      world.patch('acts', act.id, { data: { ...act.data, answeredBy: context.ask.person.id } })
      return done
    },
  },
  forms: {
    async page(form, context) {
      const person = await personChosen(form, context)
      const { world, pager } = context.scene()
      if (pager === 'pagerduty' && person !== null) refuse(pagerChooses, [], 'person')
      const { alert = '', post = '' } = readValue(form.metadata) ?? {}
      const about = { alert: world.alerts.get(alert), card: world.posts.get(post) }
      call(person, form.values.get('text')?.[0] ?? '', about, context)
      return done
    },
  },
}

const whom = 'Whom, and about what? For example `/mon page oncall the database is down`'
const pagerChooses = 'PagerDuty decides whom it calls: page `oncall`.'

type About = { readonly alert: Alert | undefined; readonly card: Post | undefined }

/** `to` null: whoever is on call. */
function call(to: Person | null, said: string, { alert, card }: About, context: Context): Reply {
  const text = said.slice(0, pageCharsMax)
  if (context.scene().pager === null) refuse("I can't call anybody: no pager is set up.")
  if (text === '') refuse(whom)
  const { person } = context.ask
  const now = context.scene()
  if (to !== null) refuseAbsent(to, now)
  const name = to === null ? 'whoever is on call' : to.realName || to.name
  const beside = alert === undefined ? '' : ` (${headlineWords(alert)})`
  const whose = to === null ? coverCalled(now) : { to: to.id }
  return now.world.decide(() => {
    const about = alert === undefined ? {} : ofAlert(alert)
    const data = { ...whose, text }
    const act = record(context, { kind: 'page', ...about, subject: name, outcome: 'asked', data })
    const told =
      card === undefined ? tellAloud(now, act, channelOf(now, context.ask)) : tellInThread(now, act, card)
    const key = `asked:${act.id}`
    const id = `page:${key}:00:triggered`
    const words = plain(`${person.realName || person.name} pages ${name}: ${text}${beside}`, pageCharsMax)
    const event = { type: 'triggered', dedupKey: key, text: words, ...whose } as const
    wantEffect(now, { id, does: 'page', data: event, act: act.id })
    return sayTold({ context, told, waitsFor: [id] }, (later) => pagedWords(act.id, later))
  })
}

/** As long as the lines that told them are shown. */
const coversKeptMs = 15 * day
const pagerDutyCalls = 'PagerDuty goes by its own schedule: change it there too.'

export const cover: Action = {
  names: ['cover'],
  usage: 'cover [@person|name] <duration|until …>, or cover end',
  example: 'cover @ana until 18:00',
  does: 'Puts somebody, or you, on call for a while in place of whoever is; at most 7 days',
  permission: 'acknowledge',
  async command(words, context) {
    if (/^(?:end|stop|cancel)$/i.test(words)) return endCover(null, context)
    const { person: self } = context.ask
    const { nowMs } = context.scene()
    const isSelf = words === '' || readTime(words, { nowMs, zone: self.zone }) !== null
    const meant = isSelf ? null : await personMeant(words, context, (to) => `cover ${to}`)
    const { person, rest } = meant ?? { person: self, rest: words }
    const withTime = (length: string) => `cover ${isSelf ? '' : `<@${person.id}> `}${length}`
    if (rest === '') refuse('Until when?', ['2h', '4h', 'until 18:00'].map(withTime))
    const forMs = lengthMeant(rest, context, withTime)
    const now = context.scene()
    refuseAbsent(person, now)
    const { id: to, realName, name } = person
    const untilMs = now.nowMs + forMs
    const shift = { person: to, name: realName || name, fromMs: now.nowMs, untilMs }
    return changeCover(now, [shift], { kind: 'cover', subject: shift.name, data: { to, untilMs } }, context)
  },
  presses: {
    end_cover: (press, context) => endCover(readValue(press.value)?.seen ?? '', context),
  },
}

function endCover(seen: string | null, context: Context): Reply {
  const now = context.scene()
  const running = now.world.fact('covers')?.find(({ untilMs }) => untilMs > now.nowMs)
  if (running === undefined) return refuse('Nobody covers now.')
  if (seen !== null && seen !== String(running.fromMs)) refuse(changed)
  return changeCover(now, [], { kind: 'end_cover', subject: running.name }, context)
}

/** Ends the running one. The channels are told as of a change of shift. */
function changeCover(now: Scene, fresh: readonly Shift[], wish: ActWish, context: Context): Reply {
  const { world, nowMs, pager } = now
  return world.decide(() => {
    const recent = world.fact('covers')?.filter(({ untilMs }) => untilMs > nowMs - coversKeptMs) ?? []
    const ended = recent.map((one) => ({ ...one, untilMs: Math.min(one.untilMs, nowMs) }))
    world.setFact('covers', [...ended, ...fresh])
    record(context, wish)
    tellShift(now)
    const more = pager === 'pagerduty' ? [pagerDutyCalls] : []
    const render = (later: Scene) =>
      viewOfBlocks(sections([onCallWords(later) ?? 'Nobody covers now.', ...more]))
    const told = `shift:${nowMs}:${channelOf(now, context.ask)}`
    return sayTold({ context, told }, render, () => more)
  })
}

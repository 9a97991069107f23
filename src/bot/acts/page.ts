/** `page`: calls somebody now, by the pager, until somebody says that they are on it. */
import { wantEffect } from '../decide/noted.ts'
import { pagedWords } from '../view/said.ts'
import { readValue } from '../view/values.ts'
import { headlineWords, plain } from '../view/words.ts'
import type { Act, Context, Reply } from './act.ts'
import { openInThread } from './grammar/alert-ref.ts'
import { personMeant } from './hand.ts'
import { changed, channelOf, ofAlert, record, sayTold, tellAloud, tellInThread, tooOld } from './told.ts'

const textCharsMax = 500

export const page: Act = {
  names: ['page'],
  usage: 'page <@person|name|oncall> <text>',
  example: 'page oncall the database is down',
  does: 'Calls somebody now, by the pager',
  permission: 'acknowledge',
  async command(words, context) {
    if (context.scene().pager === null)
      return { kind: 'refuse', text: "I can't call anybody: no pager is set up." }
    const [, text] = /^on ?call\b[,:]?\s*(.*)$/i.exec(words) ?? []
    if (text !== undefined) return call(null, 'whoever is on call', text, context)
    if (words === '') return sayWhom
    const meant = await personMeant(words, context, (to) => `page ${to}`)
    if (meant.kind === 'no') return meant.reply
    const { id, realName, name, isBot } = meant.person
    if (context.scene().pager === 'pagerduty')
      return {
        kind: 'refuse',
        text: 'PagerDuty decides whom it calls: page `oncall`.',
        offers: [{ label: 'Page oncall', command: `page oncall ${meant.rest}`.trim() }],
      }
    if (isBot) return { kind: 'refuse', text: "I'm an app; page a person." }
    return call(id, realName || name, meant.rest, context)
  },
  presses: {
    acknowledge_page(press, context) {
      const { world } = context.scene()
      const act = world.acts.get(readValue(press.value)?.act ?? '')
      if (act?.kind !== 'page') return tooOld
      if (act.data.answeredBy !== undefined) return changed
      world.patch('acts', act.id, { data: { ...act.data, answeredBy: context.ask.person.id } })
      return { kind: 'done' }
    },
  },
}

const sayWhom: Reply = {
  kind: 'refuse',
  text: 'Whom, and about what? For example `/mon page oncall the database is down`',
}

/** In a card's thread it is about that alert. `to` null: the pager decides who is on call. */
function call(to: string | null, name: string, said: string, context: Context): Reply {
  if (said === '') return sayWhom
  const { ask } = context
  const now = context.scene()
  const { world } = now
  const text = said.slice(0, textCharsMax)
  const [alert] = openInThread(now, ask)
  const card = world.posts.get(ask.threadPost ?? '')
  const by = ask.person.realName || ask.person.name
  const beside = alert === undefined ? '' : ` (${headlineWords(alert)})`
  return world.decide(() => {
    const data = { ...(to !== null && { to }), text }
    const about = alert === undefined ? {} : ofAlert(alert)
    const act = record(now, ask, { kind: 'page', ...about, subject: name, outcome: 'asked', data })
    const told = card === undefined ? tellAloud(now, act, channelOf(now, ask)) : tellInThread(now, act, card)
    const key = `asked:${act.id}`
    const id = `page:${key}:00:triggered`
    const words = plain(`${by} pages ${name}: ${text}${beside}`, textCharsMax)
    const event = { type: 'triggered', dedupKey: key, text: words, ...(to !== null && { to }) } as const
    wantEffect(now, { id, does: 'page', data: event, act: act.id })
    return sayTold({ context, told, waitsFor: [id] }, (later) => pagedWords(act.id, later))
  })
}

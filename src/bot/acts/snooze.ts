/** `snooze`: acknowledges for a while. If it is still open then, nobody is on it, and people are told (`decide/rounds.ts`). */
import { day, hour, minute } from '../clock.ts'
import { section, viewOfBlocks } from '../view/blocks.ts'
import { date, escaped, headline } from '../view/words.ts'
import type { Act } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { lengthMs } from './grammar/time.ts'
import { refuse } from './grammar/words.ts'
import { hold, sayOthers } from './held.ts'

const usualMs = 2 * hour
const maxMs = 7 * day

export const snooze: Act = {
  names: ['snooze'],
  usage: 'snooze <alert> [duration]',
  example: 'snooze web-2 2h',
  does: 'Acknowledges an alert for a while, 2 h unless you say so; if it is still open then, nobody is on it',
  permission: 'acknowledge',
  command(words, context) {
    const { scene, ask } = context
    const meant = alertMeant(words, scene(), ask, 'snooze {}', { hasText: true })
    if (meant.kind === 'no') return meant.reply
    const { alert, rest } = meant
    const ms = rest === '' ? usualMs : lengthMs(rest.replace(/^for /i, ''))
    if (ms === null) {
      const text = `I don't understand \`${escaped(rest, 60)}\`.`
      return refuse(text, [`snooze #${alert.number} 2h`]).reply
    }
    if (ms < minute || ms > maxMs) return { kind: 'refuse', text: 'A snooze lasts from a minute to 7 days.' }
    if (alert.holder !== null && alert.holder !== ask.person.id) return sayOthers(alert, alert.holder)
    const untilMs = scene().nowMs + ms
    hold(context, 'snooze', [alert], untilMs)
    const text = `👀 You snoozed ${headline(alert)} until ${date(untilMs)}`
    return { kind: 'say', render: () => viewOfBlocks([section(text)]) }
  },
}

/** `unack`: hands an alert back, so that nobody is on it and reminders start again. */
import { readValue } from '../view/values.ts'
import { headline } from '../view/words.ts'
import type { Act } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { askedPressed, hold, onePressed, sayHeld } from './held.ts'

export const unack: Act = {
  names: ['unack'],
  usage: 'unack <alert>',
  example: 'unack web-2',
  does: 'Hands an alert back: nobody is on it, and reminders start again',
  permission: 'acknowledge',
  command(words, context) {
    const meant = alertMeant(words, context.scene(), context.ask, 'unack {}')
    if (meant.kind === 'no') return meant.reply
    if (meant.alert.holder === null) return { kind: 'refuse', text: `Nobody is on ${headline(meant.alert)}.` }
    hold(context, 'hand_back', [meant.alert])
    return sayHeld('hand_back', meant.alert)
  },
  presses: {
    hand_back(press, context) {
      const isAsked = readValue(press.value)?.post !== undefined
      if (isAsked) return askedPressed(press, context, (alerts) => hold(context, 'hand_back', alerts))
      return onePressed(press, context, (alert) => hold(context, 'hand_back', [alert]))
    },
  },
}

/** `take`: takes an alert over from whoever is on it. */
import type { Alert } from '../world/types.ts'
import type { Act } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { askedPressed, hold, onePressed, onPost, sayHeld, stayOn } from './held.ts'

export const take: Act = {
  names: ['take'],
  usage: 'take <alert>',
  example: 'take web-2',
  does: 'Takes an alert over from whoever is on it',
  permission: 'acknowledge',
  command(words, context) {
    const meant = alertMeant(words, context.scene(), context.ask, 'take {}')
    if (meant.kind === 'no') return meant.reply
    if (meant.alert.holder === context.ask.person.id) return stayOn(context, meant.alert)
    hold(context, 'take_over', [meant.alert])
    return sayHeld('take_over', meant.alert)
  },
  presses: {
    take_over: (press, context) => onePressed(press, context, (alert) => hold(context, 'take_over', [alert])),
    take_over_all(press, context) {
      const { id } = context.ask.person
      const isOthers = ({ holder }: Alert) => holder !== null && holder !== id
      return hold(context, 'take_over', onPost(press, context.scene()).filter(isOthers))
    },
    still_on: (press, context) =>
      askedPressed(press, context, (alerts) => {
        const isOwn = alerts.every(({ holder }) => holder === context.ask.person.id)
        return hold(context, isOwn ? 'still_on' : 'take_over', alerts)
      }),
  },
}

/** `ack`: the card shows who is on it, and reminders and calls stop. Alone it lists what nobody has, with buttons. */
import { isAudible } from '../decide/channels.ts'
import { section, viewOfBlocks } from '../view/blocks.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { board, hold, onePressed, onPost, sayHeld, sayOthers, stayOn } from './held.ts'

export const acknowledge: Act = {
  names: ['ack', 'acknowledge'],
  usage: 'ack [<alert>]',
  example: 'ack web-2',
  does: "Shows that you're on an alert; alone, lists what nobody is on",
  isCommon: true,
  permission: 'acknowledge',
  command(words, context) {
    if (words === '' && context.ask.threadPost === null) return unheld(context)
    const meant = alertMeant(words, context.scene(), context.ask, 'ack {}')
    if (meant.kind === 'no') return meant.reply
    const { holder } = meant.alert
    if (holder === context.ask.person.id) return stayOn(context, meant.alert)
    if (holder !== null) return sayOthers(meant.alert, holder)
    hold(context, 'acknowledge', [meant.alert])
    return sayHeld('acknowledge', meant.alert)
  },
  presses: {
    acknowledge: (press, context) =>
      onePressed(press, context, (alert) => hold(context, 'acknowledge', [alert])),
    acknowledge_all(press, context) {
      const scene = context.scene()
      const alerts = onPost(press, scene).filter((alert) => alert.holder === null && isAudible(scene, alert))
      return hold(context, 'acknowledge', alerts)
    },
  },
}

/** Rows with a button each; all of them are listed by `alerts unacked`. */
function unheld({ scene }: Context): Reply {
  const now = scene()
  const alerts = [...now.world.open.values()].filter(
    (alert) => alert.holder === null && isAudible(now, alert),
  )
  if (alerts.length === 0) {
    const words =
      now.world.open.size === 0 ? 'No open alerts.' : 'Somebody is on each open alert, or it is muted.'
    return { kind: 'say', render: () => viewOfBlocks([section(words)]) }
  }
  return { kind: 'say', render: (later) => board(alerts, later) }
}

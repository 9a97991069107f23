/** *It closed*: of an alert that is listed nowhere though nothing proves its end, a person says so. */
import { pressedOnly } from './act.ts'
import { onePressed } from './held.ts'
import { cardOf, hurry, ofAlert, record, tellInThread } from './told.ts'

export const close = pressedOnly('acknowledge', {
  close: (press, context) =>
    onePressed(press, context, (alert) => {
      const scene = context.scene()
      const { world, nowMs } = scene
      if (alert.unlistedMs === null)
        return { kind: 'refuse', text: 'The monitoring lists this alert as open.' }
      world.decide(() => {
        world.patch('alerts', alert.id, {
          closedMs: nowMs,
          closedBy: context.ask.person.id,
          unlistedMs: null,
          round: null,
        })
        const act = record(scene, context.ask, { kind: 'close', ...ofAlert(alert) })
        const card = cardOf(scene, alert)
        if (card !== null) tellInThread(scene, act, card)
        hurry(scene, [alert.id])
      })
      return { kind: 'done' }
    }),
})

/** *Extend 1 h*: on the message of a mute and on cards, up to the longest that it may last. */
import { hour } from '../clock.ts'
import { isInForce, switchOf } from '../decide/hidden.ts'
import { messageOf } from '../decide/standing.ts'
import { section, viewOfBlocks } from '../view/blocks.ts'
import { muteLines } from '../view/mutes.ts'
import { pressedOnly, type Reply } from './act.ts'
import { refusedTo } from './permit.ts'
import { changed, namesOfMutes, record, sayTold } from './told.ts'
import { mutesPressed } from './unmute.ts'

const extendMs = hour

export const extend = pressedOnly('mute_server', {
  async extend(press, context): Promise<Reply> {
    const pressed = mutesPressed(press, context.scene()) ?? []
    if (pressed.some(({ subject }) => subject === 'account')) {
      const refused = await refusedTo('mute_account', 'mute account', context)
      if (refused !== null) return refused
    }
    const scene = context.scene()
    const { world, nowMs } = scene
    const running = pressed.flatMap(({ id }) => world.activeMutes.get(id) ?? [])
    const timed = running.filter((mute) => isInForce(mute, nowMs) && mute.untilMs !== null)
    if (timed.length === 0) return changed
    const longer = timed.filter(({ untilMs, maxUntilMs }) => (untilMs ?? 0) < maxUntilMs)
    if (longer.length === 0) return { kind: 'refuse', text: 'It lasts as long as it may already (maximum).' }
    const ids = longer.map(({ id }) => id)
    // Only the Alertmanager is told an end.
    const switches = longer.flatMap((mute) => switchOf(mute, scene) ?? [])
    const waitsFor = switches.filter((id) => id.startsWith('alertmanager:'))
    return world.decide(() => {
      const ends = longer.map((mute) => Math.min((mute.untilMs ?? nowMs) + extendMs, mute.maxUntilMs))
      longer.forEach(({ id }, at) => {
        world.patch('mutes', id, { untilMs: ends[at] ?? nowMs, isAsked: false })
      })
      const data = { mutes: ids, untilMs: Math.max(...ends) }
      record(scene, context.ask, { kind: 'extend', subject: namesOfMutes(longer), data })
      // The message that told the mute is edited: there is one truth about it.
      const told = messageOf(world, longer[0]?.act ?? '')?.id ?? null
      return sayTold({ context, told, waitsFor }, (now) => {
        const mutes = ids.flatMap((id) => now.world.mutes.get(id) ?? [])
        return viewOfBlocks([section(muteLines(mutes, now).join('\n'))])
      })
    })
  },
})

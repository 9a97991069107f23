/** *Skip once* and *Cancel the plan*, on the message of what is planned and in lists. What runs already goes on to its end. */
import { isPlanned } from '../decide/hidden.ts'
import { actSentence } from '../view/said.ts'
import { readValue } from '../view/values.ts'
import type { Mute } from '../world/types.ts'
import { type Context, type Press, pressedOnly, type Reply } from './act.ts'
import { refusedTo } from './permit.ts'
import { channelOf, namesOfMutes, record, sayAct, tellAloud } from './told.ts'

const gone: Reply = { kind: 'refuse', text: 'That plan has started, ended or been canceled.' }

export const plans = pressedOnly('mute_server', {
  skip: (press, context) =>
    change('skip', press, context, (mute) => (mute.isSkipped === true ? null : { isSkipped: true })),
  cancel_plan: (press, context) =>
    change('cancel_plan', press, context, ({ policyEntry }) =>
      policyEntry === undefined ? { ended: { atMs: context.scene().nowMs, by: 'cancelled' } } : null,
    ),
})

async function change(
  kind: 'skip' | 'cancel_plan',
  press: Press,
  context: Context,
  fieldsOf: (mute: Mute) => Partial<Mute> | null,
): Promise<Reply> {
  const ids = new Set(readValue(press.value)?.mutes)
  const act = readValue(press.value)?.act
  const meant = () => {
    const { world, nowMs } = context.scene()
    const active = [...world.activeMutes.values()].filter((mute) => isPlanned(mute, nowMs))
    return active.filter((mute) => (ids.size > 0 ? ids.has(mute.id) : mute.act === act))
  }
  if (meant().some(({ subject }) => subject === 'account')) {
    const refused = await refusedTo('mute_account', 'change a plan of the account', context)
    if (refused !== null) return refused
  }
  const scene = context.scene()
  const { world } = scene
  const changes = meant().flatMap((mute) => {
    const fields = fieldsOf(mute)
    return fields === null ? [] : [{ mute, fields }]
  })
  if (changes.length === 0) return gone
  return world.decide(() => {
    for (const { mute, fields } of changes) world.patch('mutes', mute.id, fields)
    const data = { mutes: changes.map(({ mute }) => mute.id) }
    const one = record(scene, context.ask, {
      kind,
      subject: namesOfMutes(changes.map(({ mute }) => mute)),
      data,
    })
    const channel = channelOf(scene, context.ask, world.posts.get(press.post ?? '') ?? null)
    return sayAct(one.id, { context, told: tellAloud(scene, one, channel) }, actSentence)
  })
}

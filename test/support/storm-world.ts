/** A world for actions on a storm: one card in a channel, and people who click on it. */
import { expect } from 'vitest'
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import type { Change } from '../../src/bot/domain/request/actions.ts'
import type { Request } from '../../src/bot/domain/request/intent.ts'
import { type ActingOptions, actingWorld, hourMs } from './acting-world.ts'
import { storming } from './storm-rows.ts'

export async function stormWorld(alerts: readonly Alert[], options: ActingOptions = {}) {
  const world = await actingWorld(options)
  const { plan, cardId } = storming(alerts, 'C0DB', world.clock.nowMs())
  await world.store.commit(plan)
  const press = { via: 'button', channel: 'C0DB', card: { cardId, version: 1 } } as const
  /** Presses on the storm's card. */
  const presses = (change: Change, over: Partial<Request> = {}) => world.does(change, { ...press, ...over })
  const acknowledgeAll = { kind: 'acknowledge_all', cardId, shown: alerts.length } as const
  const mute: Change = {
    kind: 'mute_server',
    servers: [{ by: 'card', cardId }],
    end: { kind: 'for', ms: hourMs },
    reason: '',
    shown: null,
  }
  const mutesForAnHour = async () => {
    const asked = await presses(mute, { via: 'select' })
    return { asked, came: await world.confirms(asked) }
  }
  /** What everyone reads: of mutes in the channel, of the rest in the storm's thread; by its rows in the audit. */
  const told = async () => {
    const cards = await world.store.noticesOf('change_notice')
    const rows = await Promise.all(cards.map(({ subjectId }) => world.store.auditById(subjectId ?? '')))
    const places = rows.map((row) => (row?.hostname === null && /mute/.test(row.act) ? null : cardId))
    expect(cards.map(({ parentId }) => parentId)).toEqual(places)
    return rows
  }
  const active = async () => (await world.mutes()).filter(({ state }) => state === 'active')
  return { ...world, cardId, presses, acknowledgeAll, mute, mutesForAnHour, told, active }
}

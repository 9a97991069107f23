/** Handing alerts to somebody: who has them then, what is told, and what a form that was open too long does not change. */
import { expect, test } from 'vitest'
import type { ChangeOf } from '../../../src/bot/domain/request/actions.ts'
import type { Held } from '../../../src/bot/domain/request/alert-actions.ts'
import type { PersonIs } from '../../../src/bot/domain/request/reply.ts'
import { actingWorld, minuteMs } from '../../support/acting-world.ts'
import { anAlert, closing, opening } from '../../support/delivery-world.ts'
import { manualClock } from '../../support/manual-clock.ts'

const one: Held = { by: 'alert', alert: '#1' }
const ben = { userId: 'U0BEN' } as const
const hand = (over: Partial<ChangeOf<'hand_to'>> = {}): ChangeOf<'hand_to'> => ({
  kind: 'hand_to',
  of: one,
  to: 'U0CLEO',
  note: '',
  shownMs: null,
  ...over,
})

async function withAlert(is: PersonIs = 'person') {
  const startedMs = manualClock().nowMs() - 10 * minuteMs
  const world = await actingWorld({
    directory: {
      zoneOf: async () => 'UTC',
      nameOf: async (userId) => userId,
      membersOf: async () => new Set(),
      personIs: async () => is,
    },
  })
  const alert = anAlert('1', { hostname: 'web-1', startedMs, firstSeenMs: startedMs })
  await world.store.commit(opening([alert], 'C0OPS', world.clock.nowMs()))
  const holder = async () => (await world.store.recallByIds(['1']))[0]?.ackedBy
  return { ...world, holder, direct: () => world.store.noticesOf('handed') }
}

test('who is handed an alert has it, and one direct message and one line in the thread say so', async () => {
  const world = await withAlert()
  await world.does({ kind: 'acknowledge', alert: '1' }, ben)
  const handed = await world.does(hand({ note: 'off to bed' }))
  expect(handed).toMatchObject({ kind: 'done', act: 'hand_to', owner: 'U0BEN', to: 'U0CLEO' })
  expect(await world.holder()).toBe('U0CLEO')
  expect(await world.direct()).toMatchObject([
    { channel: 'U0CLEO', parentId: null, subjectId: 'alert:1:C0OPS', alertIds: ['1'] },
  ])
  expect((await world.audit()).at(-1)).toMatchObject({
    act: 'hand_to',
    userId: 'U0ANA',
    detail: { to: 'U0CLEO', owner: 'U0BEN', text: 'off to bed' },
  })
})

test('to oneself it is taken over, and nobody gets a direct message', async () => {
  const world = await withAlert()
  expect(await world.does(hand({ to: 'U0ANA' }))).toMatchObject({ act: 'take_over', owner: null })
  expect(await world.holder()).toBe('U0ANA')
  expect(await world.direct()).toEqual([])
})

test('who has it already is not told again', async () => {
  const world = await withAlert()
  await world.does(hand())
  expect(await world.does(hand())).toMatchObject({ kind: 'done', act: 'hand_to', alerts: [] })
  expect(await world.direct()).toHaveLength(1)
})

test('a form that was open while somebody else took it says so, and changes nothing', async () => {
  const world = await withAlert()
  const shownMs = world.clock.nowMs()
  world.clock.advance(minuteMs)
  await world.does({ kind: 'acknowledge', alert: '1' }, ben)
  const sent = await world.does(hand({ shownMs }))
  expect(sent).toMatchObject({ kind: 'stale', changed: { what: 'acknowledged' } })
  expect(await world.holder()).toBe('U0BEN')
  // Who saw that ben has it decides about that.
  expect(await world.does(hand({ shownMs: world.clock.nowMs() }))).toMatchObject({ kind: 'done' })
})

test('an alert that closed meanwhile is handed to nobody', async () => {
  const world = await withAlert()
  const [alert] = await world.store.recallByIds(['1'])
  if (alert === undefined) throw new Error('the alert was just there')
  await world.store.commit(closing(alert, world.clock.nowMs()))
  expect(await world.does(hand())).toMatchObject({ kind: 'stale', changed: { what: 'closed' } })
  expect(await world.direct()).toEqual([])
})

const refusals: readonly Exclude<PersonIs, 'person'>[] = ['bot', 'deactivated', 'stranger', 'unknown']
test.each(refusals)('nothing is handed to somebody who is: %s', async (is) => {
  const world = await withAlert(is)
  expect(await world.does(hand())).toMatchObject({
    kind: 'refused',
    refusal: { why: 'not_a_person', userId: 'U0CLEO', is },
  })
  expect(await world.holder()).toBeNull()
})

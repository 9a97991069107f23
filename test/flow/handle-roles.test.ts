/** Adding roles: odd names are asked about first, and open cards show the new roles. */
import { expect, test } from 'vitest'
import type { Change } from '../../src/domain/request/actions.ts'
import { oddRoles } from '../../src/domain/request/odd-roles.ts'
import { actingWorld } from '../support/acting-world.ts'
import { anAlert, opening } from '../support/delivery-world.ts'

const adding = (...roles: string[]): Change => ({
  kind: 'add_roles',
  server: { by: 'name', name: 'db-1' },
  roles,
})

test.each([
  ['db-primry', 'db-primary'],
  ['DB-primary', 'db-primary'],
  ['my role', null],
  ['-web', null],
  ['prod;drop', null],
  ['r'.repeat(41), null],
])('%j is an odd name', (role, similar) => {
  expect(oddRoles([role], ['db-primary', 'web-1', 'canary'])).toEqual([{ role, similar }])
})

test.each(['edge', 'web-2', 'db', 'db-primary-eu', '__proto__', 'größe', 'team/db'])('%j is not', (role) => {
  expect(oddRoles([role], ['db-primary', 'web-1', 'canary'])).toEqual([])
})

async function world() {
  const acting = await actingWorld()
  acting.script.roles.set('db-primary', [])
  const alert = anAlert('1', { hostname: 'db-1', roles: ['old'] })
  await acting.store.commit(opening([alert], 'C0OPS', acting.clock.nowMs()))
  return acting
}

test('a slip is asked about before anything is added; one answer adds the role that was meant', async () => {
  const { does, calls, store, audit } = await world()
  const asked = await does(adding('db-primry', 'web'))
  expect(asked).toMatchObject({ kind: 'confirm_roles', odd: [{ role: 'db-primry', similar: 'db-primary' }] })
  expect([calls, await audit()]).toEqual([[], []])
  const pendingId = asked.kind === 'confirm_roles' ? (asked.instead?.pendingId ?? '') : ''
  expect(await does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'done', created: [] })
  expect(calls).toEqual(['roles db-1 web,db-primary'])
  expect(await store.recallByIds(['1'])).toMatchObject([{ roles: ['old', 'web', 'db-primary'] }])
})

test('the other answer makes the role as it was typed, and only who was asked can answer', async () => {
  const { does, calls } = await world()
  const asked = await does(adding('my role'))
  expect(asked).toMatchObject({ kind: 'confirm_roles', odd: [{ role: 'my role', similar: null }] })
  const pendingId = asked.kind === 'confirm_roles' ? asked.pendingId : ''
  expect(asked).not.toHaveProperty('instead')
  expect(await does({ kind: 'confirm', pendingId }, { userId: 'U0BEN' })).toMatchObject({ kind: 'refused' })
  expect(await does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'done', created: ['my role'] })
  expect(calls).toEqual(['roles db-1 my role'])
})

test('an open card shows the roles that were added, and stays in its channel', async () => {
  const { does, store } = await world()
  const cards = await store.cardsOf(['1'])
  const before = cards[0]?.version ?? 0
  await does(adding('edge'))
  const [card, ...others] = await store.cardsOf(['1'])
  expect(others).toEqual([])
  expect(card).toMatchObject({ channel: 'C0OPS' })
  expect(card?.version).toBeGreaterThan(before)
  expect(await store.recallByIds(['1'])).toMatchObject([{ roles: ['old', 'edge'] }])
})

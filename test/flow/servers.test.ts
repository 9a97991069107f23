/** Known servers and roles: from the API and from what is remembered, also while the API is away. */
import { expect, test } from 'vitest'
import type { RolesRead } from '../../src/flow/ports/ports.ts'
import { openServers } from '../../src/flow/servers.ts'
import { scriptedMonitor } from '../support/acting-world.ts'
import { anAlert, letPass, opening } from '../support/delivery-world.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'

async function known() {
  const { monitor, script } = scriptedMonitor()
  const store = await memoryStore()
  const clock = manualClock()
  const logger = keptJournal()
  let reads = 0
  const roles = async () => {
    reads += 1
    return monitor.roles()
  }
  const servers = openServers({ monitor: { roles }, store, clock, logger })
  return { servers, script, store, clock, logger, reads: () => reads }
}

test('servers are those of the roles and those of the alerts, each once', async () => {
  const { servers, store } = await known()
  const alerts = [anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'db-1' })]
  await store.commit(opening(alerts, 'C0OPS', 1))
  expect(await servers.names()).toEqual(['db-1', 'web-1', 'web-2'])
  expect(await servers.similar(['bd-1'])).toEqual([['db-1']])
})

test('roles are read once a minute, or after they were changed, and never twice at once', async () => {
  const { servers, clock, reads } = await known()
  await Promise.all([servers.roles(), servers.names(), servers.roles()])
  clock.advance(59_999)
  await servers.roles()
  expect(reads()).toBe(1)
  clock.advance(1)
  await servers.roles()
  expect(reads()).toBe(2)
  servers.forget()
  await servers.roles()
  expect(reads()).toBe(3)
})

test('while the API is away, what was known stands, and it is left alone for a while', async () => {
  const { servers, script, clock, logger, reads } = await known()
  await servers.roles()
  clock.advance(60_000)
  script.rolesFail = true
  expect(await servers.names()).toEqual(['web-1', 'web-2'])
  await servers.names()
  expect(reads()).toBe(2)
  expect(logger.events()).toEqual(['servers:unread'])
  clock.advance(10_000)
  script.rolesFail = false
  script.roles.set('db', ['db-1'])
  expect(await servers.names()).toContain('db-1')
})

test('nobody waits long for an API that hangs', async () => {
  const { store, clock, logger } = await known()
  let answer: (read: RolesRead) => void = () => undefined
  const roles = () =>
    new Promise<RolesRead>((resolve) => {
      answer = resolve
    })
  const servers = openServers({ monitor: { roles }, store, clock, logger })
  const asked = servers.names()
  await letPass(clock, 1_500)
  expect(await asked).toEqual([])
  // The reading goes on, and the next one who asks has it.
  answer({ roles: new Map([['web', ['web-1']]]), skipped: 0 })
  await letPass(clock, 0)
  expect(await servers.names()).toEqual(['web-1'])
})

test('roles complete from their beginning before their middle', async () => {
  const { servers, script } = await known()
  for (const role of ['db', 'web-db', 'DB-replica', '__proto__']) script.roles.set(role, [])
  expect(await servers.roleNames('db')).toEqual(['DB-replica', 'db', 'web-db'])
  expect(await servers.roleNames('__')).toEqual(['__proto__'])
  expect(await servers.roleNames('')).toHaveLength(5)
})

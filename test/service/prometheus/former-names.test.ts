/** Names that change with the file: what the ledger had of a server goes along, and its old name is known for 30 days. */

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openServers } from '../../../src/service/prometheus/servers.ts'
import type { NamesSettings } from '../../../src/service/prometheus/settings.ts'
import { openRegistry } from '../../../src/service/store/registry.ts'
import { openSqliteLedger } from '../../../src/service/store/sqlite-ledger.ts'
import { settings } from './made.ts'
import { tempFolder } from './programs.ts'

const dayMs = 24 * 60 * 60_000
const startMs = Date.UTC(2026, 10, 23)
const unsaid: NamesSettings = { server: null, reporters: null, isByLabel: false }
const templates: NamesSettings = { ...unsaid, server: [{ jobs: 'none', templates: ['{x}'] }] }

const node = { job: 'node', instance: 'web-1:9100', node: 'n1' }
const pods = ['web-0', 'web-1'].map((pod) => ({
  job: 'ksm',
  instance: '10.1.0.7:8080',
  namespace: 'pay',
  pod,
}))

/** A service on a ledger, with these settings, from its start until it is closed. */
async function openOn(file: string, names: NamesSettings | undefined, atMs = startMs) {
  const ledger = openSqliteLedger(file, { onLost() {}, report() {} })
  const own = openRegistry(ledger)
  const given = names === undefined ? settings : { ...settings, names }
  const servers = openServers({ registry: own, ledger, settings: given, nowMs: () => atMs, report() {} })
  const engine = {
    query: async (expression: string) =>
      expression === 'up'
        ? [node, ...pods].map((metric) => ({ metric, value: [0, '1'] as [number, string] }))
        : [],
    externalLabels: async () => null,
  }
  const { up } = await servers.names.read(engine)
  const moves = servers.see({ up, alerts: [] })
  return { ...servers, ledger, moves }
}

function newFile(): string {
  return join(tempFolder({ onTestFinished }), 'monitor.db')
}

test('a ledger of an earlier version keeps its names until the file says otherwise; then all goes along', async () => {
  const file = newFile()
  const before = await openOn(file, undefined)
  before.ledger.put('upstream', 'history', { atMs: startMs })
  before.ledger.remove('names', 'names')
  for (const hostname of ['web-1', '10.1.0.7']) before.registry.addRole(hostname, 'shop')
  const server = before.registry.server('web-1')
  if (server !== undefined) before.registry.update(server, { notifications: false, noDataGroup: 'ops' })
  before.ledger.close()

  const same = await openOn(file, unsaid)
  expect([same.names.form.kind, same.moves, same.registry.server('n1')]).toEqual(['label', [], undefined])
  same.ledger.close()

  const after = await openOn(file, templates, startMs + dayMs)
  expect(after.moves).toEqual([{ from: 'web-1', to: 'n1' }])
  expect(after.registry.server('n1')).toMatchObject({ notifications: false, noDataGroup: 'ops' })
  expect(after.registry.isIn('n1', 'shop')).toBe(true)
  expect(after.registry.server('web-1')?.hostname).toBe('n1')
  // It stood for two servers: nobody guesses for which.
  expect(after.registry.server('10.1.0.7')?.hostname).toBe('10.1.0.7')
  expect(after.registry.isIn('pay/web-0', 'shop')).toBe(false)
  after.ledger.close()

  const later = await openOn(file, unsaid, startMs + 20 * dayMs)
  expect([later.names.form.kind, later.moves, later.registry.server('web-1')?.hostname]).toEqual([
    'templates',
    [],
    'n1',
  ])
  later.ledger.close()
  const last = await openOn(file, unsaid, startMs + 32 * dayMs)
  expect([last.registry.server('web-1'), last.registry.server('n1')?.notifications]).toEqual([
    undefined,
    false,
  ])
  last.ledger.close()
})

test.each<[string, NamesSettings | undefined, string]>([
  ['without any setting', unsaid, 'templates'],
  ['with server_label', { ...unsaid, isByLabel: true }, 'label'],
  ['with server and server_label', { ...templates, isByLabel: true }, 'templates'],
])('a new ledger %s names servers by %s', async (_, names, kind) => {
  const file = newFile()
  const first = await openOn(file, names)
  expect(first.names.form.kind).toBe(kind)
  first.ledger.put('upstream', 'history', { atMs: startMs })
  first.ledger.close()
  const second = await openOn(file, unsaid)
  expect(second.names.form.kind).toBe(kind)
  second.ledger.close()
})

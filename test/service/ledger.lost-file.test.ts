/** A file that cannot be used any more: a change that is not on disk never took effect, and the process ends with one sentence. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openAlertLog } from '../../src/service/alerts/alert-log.ts'
import { openOverlays } from '../../src/service/metrics/overlays.ts'
import { openService } from '../../src/service/service.ts'
import { openKeys } from '../../src/service/store/keys.ts'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'
import { openRegistry } from '../../src/service/store/registry.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'
import { clockByHand, key, openTown } from './open-service.ts'
import { startService } from './process.ts'

/** A ledger whose disk is full from now on, when it is told so. */
function openFullLedger(): { ledger: Ledger; fill(): void } {
  let isFull = false
  const full = (): void => {
    if (isFull) throw new Error('the disk is full')
  }
  return {
    ledger: { ...memoryLedger(), put: full, remove: full },
    fill() {
      isFull = true
    },
  }
}

test('what cannot be written does not take effect: no id is given out, nothing closes, is muted, added or deleted', () => {
  const { ledger, fill } = openFullLedger()
  const { nowMs } = clockByHand()
  const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs })
  const registry = openRegistry(ledger)
  const overlays = openOverlays(ledger)
  const keys = openKeys(ledger, [])
  const server = registry.addServer({ hostname: 'web-1', environment: 'production', kind: 'fleet' }, ['web'])
  const draft = {
    hostname: 'web-1',
    serverName: 'web-1',
    title: 'CPU',
    plugin: 'CPU',
    metric: null,
    value: 1,
  }
  const alert = log.open({ ...draft, key: null, limit: null, triggerId: null, closesAtMs: null })
  keys.add('first-key')
  registry.addMarker('before', 1)
  const metric = { type: 'cpu', source: '', metric: 'cpu_busy' } as const
  const span = {
    hostname: 'web-1',
    key: metric,
    shape: 'hold',
    level: 1,
    fromMs: 0,
    untilMs: null,
    periodMs: 1,
  } as const
  overlays.add(span)
  const seen = () => ({
    alerts: log.list('all', 0),
    open: log.openAlerts(),
    servers: registry.servers(),
    roles: [...registry.roles()],
    account: registry.account(),
    markers: registry.markers(),
    isDeleted: [registry.isDeleted('web-1'), registry.isCustomMetricDeleted('signups')],
    keys: keys.texts(),
    overlays: [...overlays.during('web-1', 0, 10)],
  })
  const before = structuredClone(seen())
  fill()
  const changes: (() => unknown)[] = [
    () => log.open({ ...draft, key: null, limit: null, triggerId: null, closesAtMs: null }),
    () => log.oneoff(draft),
    () => log.close(alert.id),
    () => registry.addServer({ hostname: 'web-2', environment: 'production', kind: 'fleet' }, ['web']),
    () => registry.update(server, { notifications: false }),
    () => registry.deleteServer('web-1'),
    () => registry.addRole('web-1', 'canary'),
    () => registry.setAccountNotifications(false),
    () => registry.addMarker('after', 2),
    () => registry.deleteCustomMetric('signups'),
    () => keys.add('second-key'),
    () => keys.remove('first-key'),
    () => overlays.add(span),
    () => overlays.end('web-1', metric, 5),
    () => overlays.removeServer('web-1'),
  ]
  for (const change of changes) {
    expect(change).toThrow('the disk is full')
    expect(seen()).toEqual(before)
  }
})

test('the request that met a full disk was cut off without an answer; with one, the process ends with one sentence, and what was answered before is there again', async () => {
  const file = newFile()
  const env = { MONITOR_API_KEY: key, MONITOR_FILE: file, MONITOR_SAMPLE: 'off', MONITOR_FLEET: '3' }
  const service = await startService(env, { fileKibMax: 200 })
  const ids: number[] = []
  const open = async (): Promise<void> => {
    const title = 'x'.repeat(400)
    const answer = await request(`${service.controlUrl}/control/alerts`, {
      method: 'POST',
      body: JSON.stringify({ server: 'web-1', plugin: `Queue ${ids.length}`, title }),
    })
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`)
    ids.push(((await answer.body.json()) as { id: number }).id)
  }
  await expect(
    (async () => {
      for (;;) await open()
    })(),
  ).rejects.toThrow(
    '507: {"message":"the request cannot be carried out: the file of the service cannot be used"}',
  )
  const marked = await request(`${service.url}/api/v2/${key}/markers?notes=after`, { method: 'POST' })
  expect(marked.statusCode).toBe(507)
  const { code, complained } = await service.ended
  expect(complained).toMatch(
    /^the monitoring service ends: The file \S+state\.db cannot be (written|read or written)[^\n]+\n$/,
  )
  expect(code).toBe(1)
  expect(new Set(ids).size).toBe(ids.length)

  const again = await startService(env)
  const answer = await request(`${again.controlUrl}/control/state`)
  const state = (await answer.body.json()) as { open_alerts: { id: number }[] }
  expect(state.open_alerts.map(({ id }) => id)).toEqual(ids)
})

const harms: [what: string, harm: (file: string) => void, sentence: string][] = [
  ['removed', (file) => rmSync(file), 'was moved or removed while the service runs'],
  [
    'moved away',
    (file) => renameSync(file, `${file}-elsewhere`),
    'was moved or removed while the service runs',
  ],
  ['replaced', (file) => replaceFile(file), 'was moved or removed while the service runs'],
  ['written over', (file) => writeFileSync(file, 'x'.repeat(50_000)), 'was written over by another program'],
  ['cut short', (file) => truncateSync(file, 10), 'was written over by another program'],
  ['without its log', (file) => rmSync(`${file}-wal`), '-wal was removed while the service runs'],
  [
    'with more in its log',
    (file) => appendFileSync(`${file}-wal`, 'x'),
    'was written over by another program',
  ],
]

function replaceFile(file: string): void {
  copyFileSync(file, `${file}-new`)
  renameSync(`${file}-new`, file)
}

test.each(harms)(
  'a file that is %s while the service runs is used no more, and that is told once',
  async (_, harm, sentence) => {
    const file = newFile()
    const told: string[] = []
    const service = await openService({
      ...{ key, file, sample: false, sampleMs: null },
      onLost: (line) => told.push(line),
    })
    const mark = async (notes: string): Promise<number> => {
      const address = `${service.url}/api/v2/${key}/markers?notes=${notes}`
      const answer = await request(address, { method: 'POST' })
      await answer.body.dump()
      return answer.statusCode
    }
    expect(await mark('before')).toBe(200)
    harm(file)
    expect([await mark('after'), await mark('again')]).toEqual([507, 507])
    expect(told).toEqual([expect.stringContaining(sentence)])
    expect(told[0]).toContain(file)
    await expect(service.close()).rejects.toThrow(sentence)
  },
)

const wrongFiles: [what: string, make: (file: string) => void, sentence: string][] = [
  ['a folder', (file) => mkdirSync(file), 'is a folder or a device'],
  [
    'no database',
    (file) => writeFileSync(file, 'no database at all, but long enough to be looked at as one'.repeat(20)),
    'is no SQLite database',
  ],
  [
    'the database of another program',
    (file) => void makeDatabase(file, 'CREATE TABLE alerts (id)'),
    'is the database of another program, with a table "alerts"',
  ],
  [
    'one with a table of the same name',
    (file) => void makeDatabase(file, 'CREATE TABLE documents (kind, key, body)'),
    'is the database of another program',
  ],
  [
    'one with other columns in it',
    (file) => void makeDatabase(file, 'CREATE TABLE documents (id); PRAGMA user_version = 1'),
    'is the database of another program',
  ],
  [
    'one with a document that is cut',
    (file) => spoil(file),
    'is damaged, its document role "web" cannot be read',
  ],
]

function makeDatabase(file: string, sql: string): void {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

function spoil(file: string): void {
  openLedgerFile(file).close()
  makeDatabase(file, `INSERT INTO documents VALUES ('role', 'web', '{"hostna')`)
}

test.each(wrongFiles)(
  '%s as the file is refused with a sentence that names it, and left as it is',
  async (_, make, sentence) => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    make(file)
    const before = statSync(file).size
    await expect(openTown({ file, report: () => {} })).rejects.toThrow(`The file ${file} ${sentence}`)
    expect(statSync(file).size).toBe(before)
  },
)

test('a folder that cannot be made is told with the name of the file', async () => {
  const file = newFile()
  mkdirSync(dirname(dirname(file)), { recursive: true })
  writeFileSync(dirname(file), 'a file where the folder should be')
  await expect(openTown({ file, report: () => {} })).rejects.toThrow(`The file ${file} cannot be opened`)
})

/** A service with a file comes back as it was: after a good end, and after a kill. */
import Database from 'better-sqlite3'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { buildWorld, type Works } from '../../src/service/build-world.ts'
import { settle } from '../../src/service/options.ts'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'
import { clockByHand, form, key, openTown } from './open-service.ts'
import { startService } from './process.ts'
import { alertsOf, metricsOf, rolesOf, serverOf, stateOf, triggersOf } from './records.ts'

test('everything is there again: alerts, ids, roles, mutes, markers, keys, links, deletions, charts', async () => {
  const file = newFile()
  const first = await openTown({ file, fleet: true })
  await first.api('/servers/web-1', form({ notifications: 'false', no_data_notification_group: 'night' }))
  await first.api('/servers/web-1/roles/add', form({ roles: 'canary,__proto__' }))
  await first.api('/account', form({ notifications: 'false' }))
  await first.api('/markers', form({ notes: 'deploy' }))
  await first.api('/servers/lb-1', { method: 'DELETE' })
  await first.api('/metrics', form({ metrics: 'signups' }, 'DELETE'))
  const added = first.service.addKey()
  first.service.startScenario('cpu-spike', { server: 'web-2', seconds: 3_600 })
  const byHand = first.service.openAlert({
    server: 'extra-1',
    plugin: 'Queue',
    metric: 'waiting',
    seconds: 120,
  })
  const over = first.service.openAlert({ server: 'web-3', plugin: 'CPU' })
  first.service.closeAlert(over)
  await first.pass(10)
  const before = {
    alerts: await alertsOf(first),
    roles: await rolesOf(first),
    state: await stateOf(first),
    triggers: await triggersOf(first),
    spike: await metricsOf(first, { metric_name: 'cpu_busy', metric_type: 'cpu', server: 'web-2' }),
  }
  expect(before.alerts).toHaveLength(3)
  await first.service.close()

  const second = await openTown({ file, fleet: true, nowMs: first.clock.nowMs, publicUrl: first.service.url })
  expect(await alertsOf(second)).toEqual(before.alerts)
  expect(await rolesOf(second)).toEqual(before.roles)
  expect(await stateOf(second)).toEqual(before.state)
  expect(await triggersOf(second)).toEqual(before.triggers)
  expect(await metricsOf(second, { metric_name: 'cpu_busy', metric_type: 'cpu', server: 'web-2' })).toEqual(
    before.spike,
  )
  expect(await serverOf(second, 'web-1')).toMatchObject({
    notifications: false,
    no_data_notification_group: 'night',
  })
  expect((await second.ask(`/api/v2/${added}/roles.json`)).status).toBe(200)
  const signups = '/metrics.json?metric_name=signups&metric_type=custom_metric&metric_source_name=signups'
  expect((await second.api(signups)).status).toBe(404)
  const page = new URL(before.alerts[0]?.url ?? '')
  expect((await second.ask(page.pathname + page.search)).status).toBe(200)

  // Evaluating neither repeats the open alert of a trigger nor closes it; one by hand closes when it was to.
  await second.service.tick()
  expect(await alertsOf(second)).toEqual(before.alerts)
  first.clock.pass(110_000)
  await second.service.tick()
  expect((await alertsOf(second)).find(({ id }) => id === byHand)?.lifecycle).toBe('end')
  await second.service.tick()
  expect((await alertsOf(second)).map(({ id }) => id)).toEqual(before.alerts.map(({ id }) => id))
  const next = second.service.openAlert({ server: 'web-3', plugin: 'CPU' })
  expect(next).toBeGreaterThan(Math.max(...before.alerts.map(({ id }) => id)))
})

test('a fleet that was switched off is gone, and its open alerts close', async () => {
  const file = newFile()
  const first = await openTown({ file, fleet: true })
  first.service.startScenario('cpu-spike', { server: 'web-2', seconds: 3_600 })
  await first.pass(10)
  await first.service.close()
  const second = await openTown({ file, fleet: false, nowMs: first.clock.nowMs })
  expect((await stateOf(second)).servers).toEqual([])
  await second.service.tick()
  expect(await alertsOf(second)).toMatchObject([{ lifecycle: 'end', server_hostname: 'web-2' }])
})

test('two services never share a file', async () => {
  const file = newFile()
  await openTown({ file })
  await expect(openTown({ file })).rejects.toThrow(`The file ${file} is in use by another process`)
})

test('a killed process comes back with what it had answered', async () => {
  const file = newFile()
  const env = { MONITOR_API_KEY: key, MONITOR_FILE: file, MONITOR_SAMPLE: 'off', MONITOR_FLEET: '12' }
  const first = await startService(env)
  const post = async (path: string, body: object) => {
    const answer = await request((path.startsWith('/control/') ? first.controlUrl : first.url) + path, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { status: answer.statusCode, body: (await answer.body.json()) as { id?: number } }
  }
  const ids: (number | undefined)[] = []
  for (let at = 0; at < 20; at += 1) {
    ids.push(
      (await post('/control/alerts', { server: `web-${(at % 4) + 1}`, plugin: `Queue ${at}` })).body.id,
    )
  }
  expect((await post(`/api/v2/${key}/servers/web-1`, { notifications: false })).status).toBe(200)
  expect((await post(`/api/v2/${key}/servers/web-1/roles/add`, { roles: 'canary' })).status).toBe(200)
  await first.kill()

  const second = await startService(env)
  const get = async (path: string) =>
    (await request((path.startsWith('/control/') ? second.controlUrl : second.url) + path)).body.json()
  const alerts = (await get(`/api/v2/${key}/alerts.json?lifecycle=start`)) as { results: { id: number }[] }
  expect(alerts.results.map(({ id }) => id).toReversed()).toEqual(ids)
  expect(await get(`/api/v2/${key}/roles.json`)).toMatchObject({ result: { canary: ['web-1'] } })
  expect(await get('/control/state')).toMatchObject({
    servers: expect.arrayContaining([expect.objectContaining({ hostname: 'web-1', notifications: false })]),
  })
})

test('what was changed before something failed is kept, on disk as in memory', () => {
  const file = newFile()
  const first = openLedgerFile(file)
  expect(() =>
    first.together(() => {
      first.put('marker', '1', { notes: 'kept' })
      first.together(() => first.put('marker', '2', { notes: 'kept too' }))
      throw new Error('half way')
    }),
  ).toThrow('half way')
  first.close()
  const second = openLedgerFile(file)
  onTestFinished(() => second.close())
  expect(second.load('marker', z.object({})).map(({ key: one }) => one)).toEqual(['1', '2'])
})

test('a file of a newer version is refused, and left as it is', async () => {
  const file = newFile()
  openLedgerFile(file).close()
  const other = new Database(file)
  other.pragma('user_version = 9')
  other.close()
  await expect(openTown({ file })).rejects.toThrow(
    `The file ${file} is of a newer version of the service (9; this one knows 2)`,
  )
})

test('an open alert of this machine outlives a kill and a first sample that fails', () => {
  const file = newFile()
  const clock = clockByHand()
  const settings = settle({
    key,
    hostname: 'this-one',
    nowMs: clock.nowMs,
    triggers: [
      { type: 'cpu', metric: 'cpu_busy', servers: 'machine', maxValue: 85, lowValue: null, durationMs: 0 },
    ],
  })
  const busy = { key: { type: 'cpu', source: '', metric: 'cpu_busy' }, value: 99 } as const
  const open = (ledger: Ledger) => buildWorld(settings, ledger, () => 'http://127.0.0.1')
  const lives = (works: Works) => works.world.log.openAlerts().map(({ id }) => id)

  const firstLedger = openLedgerFile(file)
  const first = open(firstLedger)
  first.evaluate([busy])
  const ids = lives(first)
  expect(ids).toHaveLength(1)
  // Nothing is flushed, as nothing is when a process is killed.
  firstLedger.close()

  const secondLedger = openLedgerFile(file)
  onTestFinished(() => secondLedger.close())
  clock.pass(60_000)
  const second = open(secondLedger)
  second.evaluate([])
  expect(lives(second)).toEqual(ids)
  second.evaluate([busy])
  expect(lives(second)).toEqual(ids)
  clock.pass(1_000)
  second.evaluate([{ ...busy, value: 3 }])
  expect(lives(second)).toEqual([])
})

/** The service's own eyes: triggers, silence, pushes, the demo's fleet; keys; and the control API, which is for this machine alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeys } from '../../src/service/keys.ts'
import { scenarios } from '../../src/service/own/by-hand.ts'
import { sampleMachine } from '../../src/service/own/machine.ts'
import { Samples } from '../../src/service/own/samples.ts'
import { type Standing, step } from '../../src/service/own/triggers.ts'
import { closeStore, openStore } from '../../src/service/store.ts'
import { isOfThisMachine } from '../../src/shared/this-machine.ts'
import { rows } from './worlds/rows.ts'
import { day, key, minute, openTown, startMs, type Town } from './worlds/town.ts'

/** `open` after each value, one a second; `-` is none, `~` a minute of silence. */
function standings(durationMs: number, values: string): string {
  let standing: Standing = { isOpen: false, sinceMs: null, seenMs: 0 }
  let nowMs = startMs
  const seen = values.split(' ').map((said) => {
    nowMs += said === '~' ? minute : 1000
    standing = step(
      { maxValue: 90, durationMs },
      standing,
      /[-~]/.test(said) ? null : Number(said),
      nowMs,
      5000,
    )
    return standing.isOpen ? 'o' : '.'
  })
  return seen.join(' ')
}

describe('a trigger', () => {
  test.each(
    rows(
      ['what', 'values', 'open'],
      `
    opens above, not at           | 90 90 90 90 90 91 91 91 91 91   | . . . . . . . . o o
    closes at, equally long after | 91 91 91 91 90 90 90 90 91 90   | . . . o o o o . . .
    one within begins anew        | 91 91 91 90 91 91 91 91         | . . . . . . . o
    one beyond begins anew        | 91 91 91 91 9 9 91 9 9 9 9      | . . . o o o o o o o .
    silence proves nothing        | 91 91 91 91 - - - - - - 9 9 9 9 | . . . o o o o o o o o o o .
    a short gap does not count    | 91 - 91 - 91 91                 | . . . . o o
    a long gap begins anew        | 91 91 91 ~ 91 91 91 91          | . . . . . . . o`,
    ),
  )('$what', ({ values, open }) => {
    expect(standings(3000, values)).toBe(open)
  })

  test('over random values: open after a change that lasted, closed after one that lasted, as long', () => {
    const values = fc.array(fc.constantFrom(50, 90, 91), { minLength: 1, maxLength: 80 })
    const law = fc.property(values, fc.integer({ min: 0, max: 8 }), (all, seconds) => {
      const open = standings(seconds * 1000, all.join(' ')).split(' ')
      for (const [at, is] of open.entries()) {
        if (at === 0 || is === open[at - 1]) continue
        const held = all.slice(Math.max(0, at - seconds), at + 1)
        expect(held).toHaveLength(seconds + 1)
        expect(held.every((value) => value > 90 === (is === 'o'))).toBe(true)
      }
    })
    fc.assert(law, { numRuns: 300, seed: Number(process.env.SEED ?? Date.now()) })
  })

  test('a problem of a server opens one alert in words, which closes by itself', async () => {
    const town = await openTown({ fleet: true })
    await town.service.control.start('cpu-spike', { server: 'web-1', seconds: 30 })
    await town.pass(20, 2)
    expect(await town.alerts()).toMatchObject([
      {
        server_name: 'web-1',
        title: 'CPU busy exceeded 90.00%, increasing to 97.20%',
        plugin_name: 'CPU',
        metric_value: 97.2,
        units: '%',
        limit: 90,
        limit_side: 'high',
      },
    ])
    await town.pass(30, 2)
    expect(await town.alerts()).toEqual([])
    expect(await town.alerts('end')).toHaveLength(1)
  })

  test('a restart neither closes nor repeats what is open', async () => {
    const file = join(tempFolder(), 'monitor.db')
    const one = await openTown({ fleet: true, file })
    await one.service.control.start('disk-fills', { server: 'db-1', seconds: 600 })
    await one.pass(400, 10)
    const [open] = await one.alerts()
    await one.service.close()
    const { clock } = one
    const two = await openTown({ fleet: true, file, nowMs: clock.nowMs })
    expect((await two.alerts()).map(({ id, time }) => [id, time])).toEqual([[open?.id, open?.time]])
  })
})

test('a server that is silent opens one alert, which ends when it reports', async () => {
  const town = await openTown({ fleet: true })
  await town.service.control.start('no-data', { server: 'db-1', seconds: 60 })
  await town.pass(28, 2)
  expect(await town.alerts()).toEqual([])
  await town.pass(4, 2)
  expect(await town.alerts()).toMatchObject([
    {
      server_name: 'db-1',
      plugin_name: 'Heartbeat',
      metric_name: 'seconds_since_report',
      metric_value: 32,
      units: 's',
    },
  ])
  await town.pass(40, 2)
  expect(await town.alerts()).toEqual([])
})

test.each(Object.entries(scenarios))('the scenario %s: %o', async (name, { count }) => {
  const town = await openTown({ fleet: true })
  await town.service.control.start(name, { seconds: 100 })
  expect(await town.alerts()).toHaveLength(name === 'storm' ? count : 0)
  await town.pass(98, 2)
  expect((await town.alerts('all')).length).toBeGreaterThanOrEqual(name === 'flapping' ? 2 : 1)
})

test('this machine: finite values of each kind, within two seconds', async () => {
  const samples = await sampleMachine()
  const names = samples.map((one) => one.key.metric)
  expect(names).toEqual(
    expect.arrayContaining(['cpu_busy', 'memory_used_percent', 'last_minute', 'process_memory']),
  )
  expect(samples.every(({ value }) => Number.isFinite(value))).toBe(true)
})

test('samples: a row a minute, thinned to hours after 14 days with the same figures, gone after 366', () => {
  const db = openStore(null)
  const samples = new Samples(db)
  const cpu = { type: 'cpu', source: '', metric: 'cpu_busy' } as const
  for (let at = 0; at < 120; at += 1) samples.add([{ host: 'a', key: cpu, value: at }], startMs + at * 30_000)
  const points = (atMs: number) =>
    samples.points('a', cpu, { fromMs: startMs, stepMs: 60 * minute, count: 1 }).concat([[atMs, 0, 0]])[0]
  const count = () => (db.prepare('select count(*) n from samples').get() as { n: number }).n
  samples.tidy(startMs + 60 * minute)
  expect([count(), points(0)]).toEqual([60, [0, 59.5, 119]])
  samples.tidy(startMs + 15 * day)
  expect([count(), points(0)]).toEqual([1, [0, 59.5, 119]])
  samples.tidy(startMs + 367 * day)
  expect(count()).toBe(0)
})

describe('pushes', () => {
  const auth = { authorization: `Bearer ${key}` }
  const push = (town: Town, body: unknown, headers: Record<string, string> = auth) =>
    town.ask('/v1/metrics', {
      method: 'POST',
      headers,
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
    })
  const exported = (host: string | null, metrics: object[]) => ({
    resourceMetrics: [
      {
        resource: { attributes: host === null ? [] : [{ key: 'host.name', value: { stringValue: host } }] },
        scopeMetrics: [{ metrics }],
      },
    ],
  })
  const gauge = (name: string, ...values: number[]) => ({
    name,
    gauge: { dataPoints: values.map((asDouble) => ({ asDouble })) },
  })
  const course = async (town: Town, name: string) =>
    (await town.api(`/metrics.json?metric_name=${name}&metric_type=custom_metric`)).body

  test('gauges and sums become custom metrics of their host, which is known then', async () => {
    const town = await openTown()
    const sum = (asInt: string) => ({
      name: 'orders',
      sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ asInt }] },
    })
    expect(await push(town, exported('shop-1', [gauge('queue', 3, 4), sum('100')]))).toMatchObject({
      status: 200,
      body: {},
    })
    town.clock.pass(minute)
    await push(town, gzipSync(JSON.stringify(exported('shop-1', [gauge('queue', 5), sum('160')]))), {
      ...auth,
      'content-encoding': 'gzip',
    })
    // A counter that began anew tells nothing at first.
    town.clock.pass(minute)
    await push(town, exported('shop-1', [sum('10')]))
    const points = async (name: string) => JSON.stringify((await course(town, name)).metrics[0].points)
    expect([await points('queue'), await points('orders')]).toEqual(['[[7,7,7],[5,5,5]]', '[[1,1,1]]'])
  })

  test('a time stamp as a value comes back to the second, as no float32 would', async () => {
    const town = await openTown()
    await push(town, exported('shop-1', [gauge('last_backup', 1_772_366_401)]))
    const { points } = (await course(town, 'last_backup')).metrics[0]
    expect(points).toEqual([[1_772_366_401, 1_772_366_401, 1_772_366_401]])
  })

  test('a metric that was deleted is there again once it is pushed again; a server too', async () => {
    const town = await openTown()
    await push(town, exported('shop-1', [gauge('queue', 3)]))
    expect((await town.form('DELETE', '/metrics', { metrics: 'queue' })).status).toBe(200)
    expect((await course(town, 'queue')).message).toMatch(/no metric "queue"/)
    await town.form('DELETE', '/servers/shop-1')
    await push(town, exported('shop-1', [gauge('queue', 4)]))
    expect((await course(town, 'queue')).metrics).toMatchObject([{ label: 'shop-1', points: [[4, 4, 4]] }])
  })

  test('a host that pushes no more is silent after three minutes', async () => {
    const town = await openTown()
    await push(town, exported('shop-1', [gauge('queue', 3)]))
    await town.pass(180, 2)
    expect(await town.alerts()).toEqual([])
    await town.pass(2)
    expect(await town.alerts()).toMatchObject([
      { server_name: 'shop-1', metric_name: 'seconds_since_report' },
    ])
  })

  test.each<[string, unknown, Record<string, string>, number]>([
    ['no key', exported('a', []), {}, 401],
    ['another key', exported('a', []), { authorization: 'Bearer x' }, 401],
    ['no export', { a: 1 }, auth, 422],
    ['no JSON', Buffer.from('\x0a\x00'), auth, 422],
    ['no gzip', Buffer.from('{}'), { ...auth, 'content-encoding': 'gzip' }, 422],
    ['another packing', Buffer.from('{}'), { ...auth, 'content-encoding': 'br' }, 422],
  ])('%s is refused', async (_, body, headers, status) => {
    const town = await openTown()
    expect(await push(town, body, headers)).toMatchObject({ status, body: { message: expect.any(String) } })
  })

  test('what has no host, no value or is a histogram is counted as not taken', async () => {
    const town = await openTown()
    const histogram = { name: 'h', histogram: { dataPoints: [{ count: 1 }] } }
    const answers = [
      await push(town, exported(null, [gauge('a', 1)])),
      await push(town, exported('b', [histogram, gauge('c', 2)])),
    ]
    expect(answers.map(({ body }) => body.partialSuccess?.rejectedDataPoints)).toEqual(['1', '1'])
  })
})

describe('keys', () => {
  test('added and withdrawn while it runs, also by another process on its file', async () => {
    const file = join(tempFolder(), 'monitor.db')
    const town = await openTown({ file })
    const works = async (one: string) => (await town.ask(`/api/v2/${one}/roles.json`)).status
    const { key: made } = (await town.ask('/control/keys', { method: 'POST' })).body
    expect(made).toMatch(/^[0-9a-f]{40}$/)
    const beside = openStore(file, false)
    openKeys(beside, []).add(startMs, 'of-another')
    expect([await works(made), await works('of-another'), await works(key)]).toEqual([200, 200, 200])
    openKeys(beside, []).remove(made)
    closeStore(beside)
    expect([await works(made), await works('of-another')]).toEqual([401, 200])
    const { keys } = (await town.ask('/control/keys')).body
    expect(keys).toEqual([
      { id: expect.any(String), addedMs: null },
      { id: expect.any(String), addedMs: startMs },
    ])
    const body = JSON.stringify({ key: keys[1].id })
    expect((await town.ask('/control/keys', { method: 'DELETE', body })).status).toBe(200)
    expect(await works('of-another')).toBe(401)
  })

  test.each([['has/slash'], ['has space'], [''], ['..'], ['ü'], ['a'.repeat(201)], [key]])(
    '%s cannot be added',
    async (one) => {
      const town = await openTown()
      expect(() => town.service.keys.add(startMs, one)).toThrow(/^key: expected/)
    },
  )

  test('one that was given cannot be withdrawn, and a file holds none in clear', async () => {
    const file = join(tempFolder(), 'monitor.db')
    const town = await openTown({ file })
    expect(() => town.service.keys.remove(key)).toThrow(/no such key/)
    const made = town.service.keys.add(startMs)
    const { readFileSync } = await import('node:fs')
    for (const part of ['', '-wal']) expect(readFileSync(file + part, 'latin1')).not.toContain(made)
  })
})

test('a file is used by one service, of this kind', async () => {
  const file = join(tempFolder(), 'monitor.db')
  await openTown({ file })
  await expect(openTown({ file })).rejects.toThrow('MONITOR_FILE: expected a file that no other service uses')
  const other = join(tempFolder(), 'other.db')
  const db = openStore(other)
  db.exec("update meta set value = 'x' where name = 'format'")
  closeStore(db)
  await expect(openTown({ file: other })).rejects.toThrow('MONITOR_FILE: expected a file of this service')
})

describe('the control API', () => {
  const request = (headers: Record<string, string>, remoteAddress = '127.0.0.1', httpVersion = '1.1') =>
    isOfThisMachine({
      headers: { host: '127.0.0.1:9', ...headers },
      httpVersion,
      socket: { remoteAddress },
    } as never)

  test.each(
    rows(
      ['what', 'header', 'value'],
      `
    RFC 7239             | forwarded          | for=1.2.3.4
    RFC 9110             | via                | 1.1 proxy
    nginx                | x-real-ip          | 1.2.3.4
    most                 | x-forwarded-for    | 1.2.3.4
    Traefik              | x-forwarded-host   | a.example
    Envoy                | x-envoy-external-address | 1.2.3.4
    Apache               | x-original-url     | /
    Amazon               | x-amzn-trace-id    | Root=1
    Cloudflare           | cf-connecting-ip   | 1.2.3.4
    Akamai               | true-client-ip     | 1.2.3.4
    another host's name  | host               | evil.example
    another page         | origin             | https://evil.example
    another site         | sec-fetch-site     | cross-site`,
    ),
  )('refuses what comes with $header ($what)', ({ header, value }) => {
    expect([request({}), request({ [header]: value })]).toEqual([true, false])
  })

  test('refuses HTTP 1.0, as nginx speaks it without a header, and other machines', () => {
    expect([
      request({}, '127.0.0.1', '1.0'),
      request({}, '10.0.0.1'),
      request({}, '::ffff:127.0.0.1'),
    ]).toEqual([false, false, true])
  })

  test('is on a port of its own', async () => {
    const town = await openTown({ fleet: true })
    expect((await town.ask('/control/state', { headers: { via: '1.1 x' } })).status).toBe(403)
    const { request: ask } = await import('undici')
    expect((await ask(`${town.service.url}/control/state`)).statusCode).toBe(404)
  })

  test('orders faults of the API, for so many answers and so long', async () => {
    const town = await openTown({ fleet: true })
    const order = (body: object) =>
      town.ask('/control/faults', { method: 'POST', body: JSON.stringify(body) })
    await order({ status: 503, body: 'html', times: 2, seconds: 60 })
    expect(await town.api('/roles.json')).toMatchObject({
      status: 503,
      body: expect.stringContaining('<h1>'),
    })
    expect((await town.ask('/control/faults')).body.faults).toMatchObject([
      { status: 503, times: 1, ends_at_ms: startMs + minute },
    ])
    expect([(await town.api('/x')).status, (await town.api('/roles.json')).status]).toEqual([503, 200])
    await order({ status: 500, times: 10, seconds: 60 })
    town.clock.pass(minute)
    expect((await town.api('/roles.json')).status).toBe(200)
    await order({ delayMs: 1, times: 10 })
    await town.ask('/control/faults', { method: 'DELETE' })
    expect((await town.ask('/control/faults')).body).toEqual({ faults: [] })
  })

  test('opens, shows and ends', async () => {
    const town = await openTown({ fleet: true })
    const post = async (path: string, body: object = {}) =>
      (await town.ask(`/control/${path}`, { method: 'POST', body: JSON.stringify(body) })).body
    const { id } = await post('alerts', {
      server: 'web-1',
      plugin: 'CPU',
      metric: 'cpu_busy',
      value: 99,
      role: 'eu',
    })
    expect(await town.alerts()).toMatchObject([{ id, metric_value: 99 }])
    town.service.control.close(id)
    await post('scenarios/storm', { count: 3, seconds: 100 })
    expect((await town.ask('/control/state')).body).toMatchObject({
      source: { kind: 'own' },
      open_alerts: [{ title: expect.any(String) }, {}, {}],
      running: { scenarios: [{ scenario: 'storm' }], busy_until_ms: null },
    })
    await town.ask('/control/scenarios', { method: 'DELETE' })
    await town.pass(2)
    expect(await town.alerts()).toEqual([])
    for (const [path, said] of [
      ['scenarios/nothing', 404],
      ['alerts', 422],
      ['busy', 422],
    ] as const)
      expect((await town.ask(`/control/${path}`, { method: 'POST', body: '{}' })).status).toBe(said)
  })
})

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

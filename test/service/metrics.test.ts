/** `metrics.json` and the deletion of custom metrics over real HTTP, on the simulated fleet. */
import { describe, expect, test } from 'vitest'
import { openCpuWatch } from '../support/cpu-time.ts'
import { form, openTown } from './open-service.ts'
import { metricsOf, serverOf, stateOf } from './records.ts'

const cpu = { metric_name: 'cpu_busy', metric_type: 'cpu' }

test('an answer has one point per timestamp and one block per server', async () => {
  const town = await openTown({ fleet: true })
  const { timestamps, metrics } = await metricsOf(town, cpu)
  expect(metrics.map(({ label }) => label)).toEqual(
    (await stateOf(town)).servers.map(({ hostname }) => hostname).sort(),
  )
  expect(timestamps).toHaveLength(300)
  expect(timestamps.at(-1)).toBe(town.clock.nowMs())
  for (const { points, units, precision } of metrics) {
    expect([units, precision]).toEqual(['%', 1])
    expect(points).toHaveLength(timestamps.length)
    for (const [min, average, max] of points) {
      expect(min).toBeLessThanOrEqual(average ?? Number.NaN)
      expect(average).toBeLessThanOrEqual(max ?? Number.NaN)
    }
  }
})

const hourMs = 60 * 60_000

test.each([
  ['5 hours', 5 * hourMs],
  ['12 hours', 12 * hourMs],
  ['1 day', 24 * hourMs],
  ['1 week', 7 * 24 * hourMs],
  ['2 weeks', 14 * 24 * hourMs],
  ['1 month', 30 * 24 * hourMs],
  ['3 months', 90 * 24 * hourMs],
  ['6 months', 180 * 24 * hourMs],
  ['1 year', 365 * 24 * hourMs],
])('%s reaches back as far as it says, in a bounded number of even steps', async (duration, lengthMs) => {
  const town = await openTown({ fleet: true })
  const { timestamps } = await metricsOf(town, { ...cpu, server: 'web-1', duration })
  expect(timestamps.length).toBeGreaterThanOrEqual(240)
  expect(timestamps.length).toBeLessThanOrEqual(365)
  const stepMs = lengthMs / timestamps.length
  const [first = 0] = timestamps
  expect(timestamps).toEqual(timestamps.map((_, at) => first + at * stepMs))
  const last = first + lengthMs
  expect(last).toBeGreaterThan(town.clock.nowMs())
  expect(last - town.clock.nowMs()).toBeLessThanOrEqual(stepMs)
})

test('a space in a duration may be a plus, as the specification says', async () => {
  const town = await openTown({ fleet: true })
  const { status } = await town.api('/metrics.json?metric_name=cpu_busy&metric_type=cpu&duration=12+hours')
  expect(status).toBe(200)
})

test('the past does not change: a later question finds the same numbers, another seed other ones', async () => {
  const town = await openTown({ fleet: true })
  const question = { ...cpu, server: 'web-1', duration: '1 day' }
  const early = await metricsOf(town, question)
  town.clock.pass(hourMs)
  const late = await metricsOf(town, question)
  const numbersOf = (answer: typeof early, at: number) =>
    answer.metrics[0]?.points[answer.timestamps.indexOf(at)]
  const shared = early.timestamps.filter((at) => late.timestamps.includes(at)).slice(0, -1)
  expect(shared.length).toBeGreaterThan(200)
  for (const at of shared) expect(numbersOf(late, at)).toEqual(numbersOf(early, at))
  const other = await openTown({ fleet: true, seed: 2 })
  expect((await metricsOf(other, question)).metrics[0]?.points).not.toEqual(early.metrics[0]?.points)
})

test('breakout is one line per server: the mean of each point', async () => {
  const town = await openTown({ fleet: true })
  const range = await metricsOf(town, { ...cpu, server: 'web-1', display: 'range' })
  const breakout = await metricsOf(town, { ...cpu, server: 'web-1', display: 'breakout' })
  expect(breakout.timestamps).toEqual(range.timestamps)
  expect(breakout.metrics[0]?.points).toEqual(
    range.metrics[0]?.points.map(([, average]) => [average, average, average]),
  )
  expect(breakout.metrics[0]?.points).not.toEqual(range.metrics[0]?.points)
})

describe('servers are chosen', () => {
  const labels = async (filter: Readonly<Record<string, string>>) => {
    const town = await openTown({ fleet: true })
    return (await metricsOf(town, { ...cpu, ...filter })).metrics.map(({ label }) => label)
  }
  test.each([
    ['web-1', ['web-1']],
    ['web-*', ['web-1', 'web-2', 'web-3', 'web-4']],
    ['*b-1', ['db-1', 'lb-1', 'web-1']],
    ['?b-1', ['db-1', 'lb-1']],
    ['no-*', []],
    ['/^web-[12]$/', ['web-1', 'web-2']],
    ['/b-1/', ['db-1', 'lb-1', 'web-1']],
    ['/WEB-1/i', ['web-1']],
    ['/WEB-1/', []],
    ['web.1*', []],
  ])('by server=%s', async (server, expected) => {
    expect(await labels({ server })).toEqual(expected)
  })

  test('by role, by environment, and by all of them together', async () => {
    expect(await labels({ role: 'db' })).toEqual(['db-1', 'db-2'])
    const staging = await labels({ environment: 'staging' })
    const production = await labels({ environment: 'production' })
    expect(staging.length).toBeGreaterThan(0)
    expect(production.length).toBeGreaterThan(0)
    expect(staging.filter((label) => production.includes(label))).toEqual([])
    expect([...staging, ...production]).toHaveLength(12)
    expect(await labels({ role: 'db', server: 'web-*' })).toEqual([])
    expect(await labels({ environment: 'nowhere' })).toEqual([])
    expect(await labels({ role: 'web', server: '/1/', environment: 'production' })).toEqual(['web-1'])
  })
})

/** Of the processor: far above what it takes, and below what any of these patterns takes where nothing stops it. */
const atOnceMs = 4_000

test.each([
  `/${'.{0,999}'.repeat(36)}/`,
  `/${'((a{10}){10}){10}'.repeat(17)}/`,
  `/${'(?i:\\p{L}{300})'}/`,
  `/(?:a|b|c){50}{3}/`,
  '*'.repeat(300),
])('a pattern that would be a huge program is refused before it is made: %s', async (server) => {
  const { api } = await openTown({ fleet: true })
  const tookMs = openCpuWatch()
  const { status, body } = await api(`/metrics.json?${new URLSearchParams({ ...cpu, server })}`)
  expect(status).toBe(422)
  expect(body).toEqual({
    message: expect.stringMatching(/^server: expected a pattern of at most 300 steps, .*; came one of \d+$/),
  })
  expect(tookMs()).toBeLessThan(atOnceMs)
})

test.each([
  '/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^web-1$/',
  '/^web-\\d{1,3}(?:\\.[a-z]{2,63}){0,4}$/',
])('a pattern that people write passes: %s', async (server) => {
  const town = await openTown({ fleet: true })
  expect((await metricsOf(town, { ...cpu, server })).metrics.map(({ label }) => label)).toContain('web-1')
})

test('a pattern that blows up a backtracking engine is answered at once', async () => {
  const town = await openTown()
  town.service.openAlert({ server: 'a'.repeat(253), plugin: 'Bomb', metric: 'fuse' })
  const question = { metric_name: 'fuse', metric_type: 'plugin', metric_source_name: 'Bomb' }
  for (const server of ['/^(a+)+$b/', '/(a|aa)+$c/', `${'*a'.repeat(40)}b`, `/${'(a*)*'.repeat(40)}b/`]) {
    const tookMs = openCpuWatch()
    expect((await metricsOf(town, { ...question, server })).metrics).toEqual([])
    expect(tookMs()).toBeLessThan(atOnceMs)
  }
})

test.each<[Record<string, string>, number, RegExp]>([
  [
    {},
    422,
    /^metric_name: expected text.*; came nothing; metric_type: expected cpu, disk, .*; came nothing$/,
  ],
  [{ ...cpu, metric_type: 'gpu' }, 422, /^metric_type: expected cpu, disk, .* or custom_metric; came "gpu"$/],
  [
    { metric_name: 'disk_used_percent', metric_type: 'disk' },
    422,
    /^metric_source_name: expected the volume name for metric_type disk; came nothing$/,
  ],
  [{ ...cpu, duration: '30 minutes' }, 422, /^duration: expected 5 hours, .* or 1 year; came "30 minutes"$/],
  [{ ...cpu, display: 'both' }, 422, /^display: expected range or breakout; came "both"$/],
  [{ ...cpu, server: '/(/' }, 422, /^server: expected a regular expression between slashes; came "\("/],
  [{ ...cpu, server: `/${'a'.repeat(300)}/` }, 422, /^server: expected text of at most 300 characters/],
  [{ ...cpu, server: 'nope' }, 404, /^server: no server is called "nope"$/],
  [{ ...cpu, role: 'nope' }, 404, /^role: no role is called "nope"$/],
  [{ ...cpu, metric_name: 'nope' }, 404, /^metric_name: no metric "nope" of type cpu is known$/],
  [
    { metric_name: 'disk_used_percent', metric_type: 'disk', metric_source_name: '/nope' },
    404,
    /^metric_name: no metric .* with metric_source_name "\/nope" is known$/,
  ],
])('%j is refused', async (query, status, message) => {
  const town = await openTown({ fleet: true })
  const answer = await town.api(`/metrics.json?${new URLSearchParams(query)}`)
  expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } })
})

test.each([
  [{ metric_name: 'disk_used_percent', metric_type: 'disk', metric_source_name: '/' }, 12],
  [{ metric_name: 'network_in', metric_type: 'network', metric_source_name: 'eth0' }, 12],
  [{ metric_name: 'memory_used_percent', metric_type: 'memory' }, 12],
  [{ metric_name: 'last_minute', metric_type: 'plugin', metric_source_name: 'Load Average' }, 12],
  [{ metric_name: 'seconds_since_report', metric_type: 'plugin', metric_source_name: 'Heartbeat' }, 12],
  [{ metric_name: 'process_memory', metric_type: 'process', metric_source_name: 'nginx' }, 4],
  [{ metric_name: 'signups', metric_type: 'custom_metric', metric_source_name: 'signups' }, 4],
])('%j is known to %i servers', async (question, servers) => {
  const town = await openTown({ fleet: true })
  expect((await metricsOf(town, question)).metrics).toHaveLength(servers)
})

test('a server that is silent has three nulls where others have numbers, and a chart of its own skips them', async () => {
  const town = await openTown({ fleet: true })
  town.service.startScenario('no-data', { server: 'web-1', seconds: 600 })
  await town.pass(1)
  town.clock.pass(900_000)
  const { timestamps, metrics } = await metricsOf(town, { ...cpu, server: '/web-[12]/' })
  const silent = metrics[0]?.points.filter(([min]) => min === null).length
  expect(silent).toBe(10)
  expect(metrics[1]?.points.every((point) => point.every((value) => value !== null))).toBe(true)
  const alone = await metricsOf(town, { ...cpu, server: 'web-1' })
  expect(alone.timestamps).toHaveLength(timestamps.length - 10)
})

describe('DELETE /metrics', () => {
  const signups = { metric_name: 'signups', metric_type: 'custom_metric', metric_source_name: 'signups' }

  test.each(['form', 'query', 'json'] as const)('forgets custom metrics, named in a %s', async (way) => {
    const town = await openTown({ fleet: true })
    const names = 'signups, jobs_waiting'
    const answer = await {
      form: () => town.api('/metrics', form({ metrics: names }, 'DELETE')),
      query: () => town.api(`/metrics?metrics=${encodeURIComponent(names)}`, { method: 'DELETE' }),
      json: () =>
        town.api('/metrics', {
          method: 'DELETE',
          body: JSON.stringify({ metrics: ['signups', 'jobs_waiting'] }),
        }),
    }[way]()
    expect(answer).toMatchObject({ status: 200, body: { message: 'deleted signups, jobs_waiting' } })
    expect(await town.api(`/metrics.json?${new URLSearchParams(signups)}`)).toMatchObject({ status: 404 })
    expect(await town.api('/metrics', form({ metrics: 'signups' }, 'DELETE'))).toMatchObject({ status: 404 })
  })

  test('refuses all of them where one is not known, and metrics that are not custom', async () => {
    const town = await openTown({ fleet: true })
    expect(await town.api('/metrics', form({ metrics: 'signups,nope,cpu_busy' }, 'DELETE'))).toMatchObject({
      status: 404,
      body: { message: 'metrics: no custom metric is called "nope", "cpu_busy"; none was deleted' },
    })
    expect((await metricsOf(town, signups)).metrics).toHaveLength(4)
  })

  test('takes 20 names and refuses 21', async () => {
    const town = await openTown({ fleet: true })
    const names = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`).join()
    expect(await town.api('/metrics', form({ metrics: names(21) }, 'DELETE'))).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^metrics: expected 1 to 20 names between commas/) },
    })
    expect(await town.api('/metrics', form({ metrics: names(20) }, 'DELETE'))).toMatchObject({ status: 404 })
    expect(await town.api('/metrics', { method: 'DELETE' })).toMatchObject({ status: 422 })
  })
})

test('the seeded fleet is the same every time', async () => {
  const [one, two] = [await openTown({ fleet: 12, seed: 7 }), await openTown({ fleet: 12, seed: 7 })]
  expect((await stateOf(two)).servers).toEqual((await stateOf(one)).servers)
  expect(await serverOf(one, 'web-1')).toMatchObject({ kind: 'fleet', roles: ['app', 'web'] })
})

test('a question over two hundred servers and a year lets others be answered meanwhile', async () => {
  const { api, ask } = await openTown({ fleet: 200 })
  const done: string[] = []
  const wide = api(`/metrics.json?${new URLSearchParams({ ...cpu, duration: '1 year' })}`).then(
    ({ status }) => done.push(`wide ${status}`),
  )
  for (let nth = 0; nth < 5; nth += 1) {
    await ask('/')
    done.push('another')
  }
  await wide
  // How many are answered before it depends on the machine; if it held up the others, it would be first.
  expect(done.indexOf('wide 200')).toBeGreaterThan(0)
})

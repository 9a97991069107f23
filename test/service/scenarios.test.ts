/** Scenarios on the fleet, with the clock by hand: what opens, what closes, and that nothing happens without one. */
import { describe, expect, test } from 'vitest'
import { openTown, type Town } from './open-service.ts'
import { alertsOf, metricsOf, serverOf, stateOf } from './records.ts'

async function start(town: Town, name: string, ask: object = {}) {
  return town.ask(`/control/scenarios/${name}`, { method: 'POST', body: JSON.stringify(ask) })
}

const told = async (town: Town) =>
  (await alertsOf(town)).map(
    ({ lifecycle, server_hostname: server, plugin_name: plugin }) => `${lifecycle} ${plugin} ${server}`,
  )

test('two quiet days of the fleet open no alert', async () => {
  const town = await openTown({ fleet: 24 })
  for (let at = 0; at < 2 * 24 * 60; at += 1) {
    town.clock.pass(60_000)
    await town.service.tick()
  }
  expect(await alertsOf(town)).toEqual([])
})

test('cpu-spike: one alert that opens, and closes when it is over', async () => {
  const town = await openTown({ fleet: true })
  const { status, body } = await start(town, 'cpu-spike', { server: 'web-2', seconds: 30 })
  expect([status, body]).toMatchObject([200, { scenario: 'cpu-spike', servers: ['web-2'], alertIds: [] }])
  await town.pass(5)
  expect(await told(town)).toEqual([])
  await town.pass(3)
  expect(await alertsOf(town)).toMatchObject([
    {
      lifecycle: 'start',
      title: 'CPU busy met or exceeded 90.00%, increasing to 97.20%',
      plugin_name: 'CPU',
      metric_name: 'cpu_busy',
      metric_value: 97.2,
    },
  ])
  await town.pass(20)
  expect(await told(town)).toEqual(['start CPU web-2'])
  await town.pass(10)
  expect(await told(town)).toEqual(['end CPU web-2'])
})

test('disk-fills: rises, opens, and is cleaned up in the end', async () => {
  const town = await openTown({ fleet: true })
  await start(town, 'disk-fills', { server: 'db-1', seconds: 100 })
  await town.pass(20)
  expect(await told(town)).toEqual([])
  await town.pass(60)
  expect(await told(town)).toEqual(['start Disk / db-1'])
  await town.pass(40)
  expect(await told(town)).toEqual(['end Disk / db-1'])
})

test.each(['flip', 'pair'] as const)(
  'flapping: opens and closes as often as it was told (%s)',
  async (form) => {
    const town = await openTown({ fleet: true, form })
    await start(town, 'flapping', { server: 'web-1', count: 3, seconds: 120 })
    await town.pass(140)
    const lifecycles = (await told(town)).toSorted()
    expect(lifecycles).toEqual(
      form === 'flip'
        ? Array(3).fill('end Load Average web-1')
        : [...Array(3).fill('end Load Average web-1'), ...Array(3).fill('start Load Average web-1')],
    )
    expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
  },
)

test('no-data: a heartbeat alert after 30 seconds of silence, closed by the first report', async () => {
  const town = await openTown({ fleet: true })
  await start(town, 'no-data', { server: 'lb-1', seconds: 60 })
  await town.pass(29)
  expect(await told(town)).toEqual([])
  expect((await serverOf(town, 'lb-1')).last_sample).toBe('2026-03-01T12:00:00.000Z')
  await town.pass(1)
  expect(await alertsOf(town)).toMatchObject([
    { plugin_name: 'Heartbeat', metric_name: 'seconds_since_report', metric_value: 30, lifecycle: 'start' },
  ])
  await town.pass(30)
  expect(await told(town)).toEqual(['end Heartbeat lb-1'])
})

test('plugin-oneoff: events that neither open nor close', async () => {
  const town = await openTown({ fleet: true })
  const { body } = await start(town, 'plugin-oneoff', { count: 3 })
  expect(body).toMatchObject({ alertIds: [expect.any(Number), expect.any(Number), expect.any(Number)] })
  expect((await alertsOf(town)).map(({ lifecycle }) => lifecycle)).toEqual(Array(3).fill('oneoff'))
})

test('storm: as many alerts as were ordered, all different, over the whole fleet; they close together', async () => {
  const town = await openTown({ fleet: true })
  await start(town, 'storm', { count: 500, seconds: 60 })
  const pages = await Promise.all(
    Array.from({ length: 11 }, (_, at) => alertsOf(town, `?lifecycle=start&offset=${at * 50}`)),
  )
  const alerts = pages.flat()
  expect(alerts).toHaveLength(500)
  expect(new Set(alerts.map((one) => `${one.server_hostname} ${one.plugin_name}`)).size).toBe(500)
  expect(new Set(alerts.map((one) => one.server_hostname)).size).toBe(12)
  await town.pass(59)
  expect((await stateOf(town)).open_alerts).toHaveLength(500)
  await town.pass(1)
  expect((await stateOf(town)).open_alerts).toEqual([])
})

test('a scenario shows in the metrics: a spike of a minute is in the chart of a year', async () => {
  const town = await openTown({ fleet: true })
  await start(town, 'cpu-spike', { server: 'web-1', seconds: 60 })
  await town.pass(70)
  town.clock.pass(30 * 24 * 60 * 60_000)
  const question = { metric_name: 'cpu_busy', metric_type: 'cpu', duration: '1 year' }
  const highest = async (server: string) => {
    const { metrics } = await metricsOf(town, { ...question, server })
    return Math.max(...(metrics[0]?.points ?? []).map(([, , max]) => max ?? 0))
  }
  expect(await highest('web-1')).toBe(97.2)
  expect(await highest('web-2')).toBeLessThan(90)
})

describe('orders that cannot be carried out', () => {
  test.each([
    ['cpu-spike', { server: 'nope' }, 404, 'server: no server is called "nope"'],
    ['tornado', {}, 404, expect.stringMatching(/^no such scenario; expected one of cpu-spike, /)],
    ['constructor', {}, 404, expect.stringMatching(/^no such scenario/)],
    ['storm', { count: 0 }, 422, expect.stringMatching(/^count: /)],
    ['storm', { count: 1e9 }, 422, expect.stringMatching(/^count: /)],
    ['storm', { second: 1 }, 422, expect.stringMatching(/second/)],
    ['storm', { seconds: -1 }, 422, expect.stringMatching(/^seconds: /)],
  ])('%s %j', async (name, ask, status, message) => {
    const town = await openTown({ fleet: true })
    expect(await start(town, name, ask)).toMatchObject({ status, body: { message } })
    expect((await stateOf(town)).open_alerts).toEqual([])
  })

  test('without a fleet there is nothing to run it on', async () => {
    const town = await openTown()
    expect(await start(town, 'storm')).toMatchObject({
      status: 422,
      body: { message: 'the fleet is empty: expected a simulated server; came none' },
    })
  })
})

test('alerts by hand over the control API: opened with a role, listed, closed; a bad order names the field', async () => {
  const town = await openTown()
  const opened = await town.ask('/control/alerts', {
    method: 'POST',
    body: JSON.stringify({ server: 'db-7', plugin: 'Load Average', role: 'db', seconds: 60 }),
  })
  const { id } = opened.body as { id: number }
  expect(await alertsOf(town, '?lifecycle=start')).toMatchObject([
    { id, title: 'Last minute met or exceeded 3.00, increasing to 3.50' },
  ])
  expect(await serverOf(town, 'db-7')).toMatchObject({ kind: 'extra', roles: ['db'] })
  const closed = await town.ask(`/control/alerts/${id}/close`, { method: 'POST' })
  expect(closed).toMatchObject({ status: 200, body: { id } })
  expect((await town.ask(`/control/alerts/${id}/close`, { method: 'POST' })).status).toBe(404)
  const timed = town.service.openAlert({ server: 'db-7', plugin: 'CPU', seconds: 10 })
  await town.pass(9)
  expect((await stateOf(town)).open_alerts).toMatchObject([{ id: timed }])
  await town.pass(1)
  expect((await stateOf(town)).open_alerts).toEqual([])
  const oneoff = {
    method: 'POST' as const,
    body: JSON.stringify({ server: 'db-7', plugin: 'Log', title: 'x' }),
  }
  expect((await town.ask('/control/oneoffs', oneoff)).status).toBe(200)
  for (const body of ['{"server": "x"}', '{', '{"server": "..", "plugin": "CPU"}']) {
    expect((await town.ask('/control/alerts', { method: 'POST', body })).status).toBe(422)
  }
})

test('an alert closed by hand while its metric is still high opens again after the duration', async () => {
  const town = await openTown({ fleet: true })
  await start(town, 'cpu-spike', { server: 'web-1', seconds: 60 })
  await town.pass(8)
  const [first] = await alertsOf(town)
  town.service.closeAlert(first?.id ?? 0)
  await town.pass(3)
  expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
  await town.pass(6)
  expect(await told(town)).toEqual(['start CPU web-1', 'end CPU web-1'])
})

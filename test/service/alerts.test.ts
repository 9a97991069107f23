/** `alerts.json` and `triggers.json` over real HTTP: both forms, three orders, pages, and the age limit. */
import { describe, expect, test } from 'vitest'
import { key, openTown } from './open-service.ts'
import { alertsOf, triggersOf } from './records.ts'

const dayMs = 24 * 60 * 60_000

test('an alert opens with everything the specification names', async () => {
  const town = await openTown()
  const id = town.service.openAlert({
    server: 'web-1',
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
  })
  const [alert] = await alertsOf(town)
  expect(alert).toMatchObject({
    id,
    time: '2026-03-01T12:00:00.000Z',
    server_name: 'web-1',
    server_hostname: 'web-1',
    lifecycle: 'start',
    title: 'Last minute met or exceeded 3.00, increasing to 3.50',
    plugin_name: 'Load Average',
    metric_name: 'last_minute',
    metric_value: 3.5,
  })
  expect(alert?.url).toMatch(new RegExp(`^${town.service.url}/a/${id}\\?t=[\\w-]{24}$`))
  expect(alert?.sparkline_url).toMatch(
    new RegExp(`^${town.service.url}/account/alerts/${id}/sparkline.png\\?t=[\\w-]{24}$`),
  )
  expect(JSON.stringify(alert)).not.toContain(key)
})

test('links begin with the public address where one is set', async () => {
  const town = await openTown({ publicUrl: 'https://monitor.example/here/' })
  town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
  const [alert] = await alertsOf(town)
  expect(alert?.url).toMatch(/^https:\/\/monitor\.example\/here\/a\//)
  expect(alert?.sparkline_url).toMatch(/^https:\/\/monitor\.example\/here\/account\/alerts\//)
})

describe('a closing alert', () => {
  test('flip: turns its record, which keeps id, time and title', async () => {
    const town = await openTown({ form: 'flip' })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    const [opened] = await alertsOf(town, '?lifecycle=start')
    town.clock.pass(60_000)
    expect(town.service.closeAlert(id)).toBe(id)
    expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
    expect(await alertsOf(town, '?lifecycle=end')).toEqual([{ ...opened, lifecycle: 'end' }])
    expect(await alertsOf(town)).toEqual([{ ...opened, lifecycle: 'end' }])
  })

  test('pair: leaves its record as it was and adds a second one with the time of closing', async () => {
    const town = await openTown({ form: 'pair' })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU', metric: 'cpu_busy' })
    const [opened] = await alertsOf(town, '?lifecycle=start')
    town.clock.pass(60_000)
    const endId = town.service.closeAlert(id)
    expect(endId).toBeGreaterThan(id)
    expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
    const [end, start] = await alertsOf(town, '?lifecycle=all')
    expect(start).toEqual(opened)
    expect(end).toMatchObject({
      id: endId,
      time: '2026-03-01T12:01:00.000Z',
      lifecycle: 'end',
      server_hostname: 'web-1',
      plugin_name: 'CPU',
      metric_name: 'cpu_busy',
    })
    expect(await alertsOf(town, '?lifecycle=end')).toEqual([end])
  })

  test('closes once: a second time there is no open alert', async () => {
    const town = await openTown()
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    town.service.closeAlert(id)
    expect(() => town.service.closeAlert(id)).toThrow(`no open alert has the id ${id}`)
  })
})

test('a one-off has no metric and stands in `all` alone', async () => {
  const town = await openTown()
  const id = town.service.oneoff({ server: 'web-1', plugin: 'Log Watcher', title: 'Backup took long' })
  expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
  expect(await alertsOf(town, '?lifecycle=end')).toEqual([])
  expect(await alertsOf(town)).toMatchObject([
    { id, lifecycle: 'oneoff', metric_name: null, metric_value: null, title: 'Backup took long' },
  ])
})

describe('pages', () => {
  test('hold 50; offset 50 is the second; past the end there is an empty one', async () => {
    const town = await openTown()
    for (let at = 0; at < 120; at += 1) town.service.openAlert({ server: `web-${at}`, plugin: 'CPU' })
    const pages = await Promise.all(
      ['', '?offset=50', '?offset=100', '?offset=150'].map((query) => alertsOf(town, query)),
    )
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20, 0])
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(120)
    expect((await alertsOf(town, '?offset=1'))[0]).toEqual(pages[0]?.[1])
  })

  test.each([
    ['newest', (ids: number[]) => ids.toReversed()],
    ['oldest', (ids: number[]) => ids],
  ] as const)('%s first', async (order, arrange) => {
    const town = await openTown({ order })
    const ids = Array.from({ length: 60 }, (_, at) => {
      town.clock.pass(1_000)
      return town.service.openAlert({ server: `web-${at}`, plugin: 'CPU' })
    })
    const listed = [...(await alertsOf(town)), ...(await alertsOf(town, '?offset=50'))].map(({ id }) => id)
    expect(listed).toEqual(arrange(ids))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  test('shuffled: everything once, the same on every request, in neither order', async () => {
    const town = await openTown({ order: 'shuffled' })
    const ids = Array.from({ length: 60 }, (_, at) =>
      town.service.openAlert({ server: `web-${at}`, plugin: 'CPU' }),
    )
    const list = async () =>
      [...(await alertsOf(town)), ...(await alertsOf(town, '?offset=50'))].map(({ id }) => id)
    const listed = await list()
    expect(await list()).toEqual(listed)
    expect(listed.toSorted((a, b) => a - b)).toEqual(ids)
    expect(listed).not.toEqual(ids)
    expect(listed).not.toEqual(ids.toReversed())
  })
})

test('an alert older than 30 days is listed no more, open or closed', async () => {
  const town = await openTown()
  const closed = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
  town.service.closeAlert(closed)
  const open = town.service.openAlert({ server: 'web-2', plugin: 'CPU' })
  town.clock.pass(30 * dayMs)
  expect((await alertsOf(town)).map(({ id }) => id)).toEqual([open, closed])
  town.clock.pass(1)
  expect(await alertsOf(town)).toEqual([])
  expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
  // It is not forgotten: it can still close.
  await town.service.tick()
  expect(town.service.closeAlert(open)).toBe(open)
})

test.each([
  ['?lifecycle=closed', 'lifecycle: expected start, end or all; came "closed"'],
  ['?lifecycle=oneoff', 'lifecycle: expected start, end or all; came "oneoff"'],
  ['?offset=-1', 'offset: expected a whole number from 0; came "-1"'],
  ['?offset=1.5', 'offset: expected a whole number from 0; came "1.5"'],
  ['?offset=', 'offset: expected a whole number from 0; came nothing'],
  ['?offset=1&offset=2', 'offset: expected once in the query; came more than once'],
  [
    '?offset=x&lifecycle=y',
    'lifecycle: expected start, end or all; came "y"; offset: expected a whole number from 0; came "x"',
  ],
])('alerts.json%s is refused', async (query, message) => {
  const town = await openTown()
  expect(await town.api(`/alerts.json${query}`)).toMatchObject({ status: 422, body: { message } })
})

test('ids of a service without memory are above those of an earlier run', async () => {
  const first = await openTown()
  const early = first.service.openAlert({ server: 'web-1', plugin: 'CPU' })
  const second = await openTown({ nowMs: () => first.clock.nowMs() + 2_000 })
  expect(second.service.openAlert({ server: 'web-1', plugin: 'CPU' })).toBeGreaterThan(early)
})

test('triggers have large ids that stay the same, and conditions in words', async () => {
  const [one, two] = [await openTown(), await openTown()]
  const triggers = await triggersOf(one)
  expect(await triggersOf(two)).toEqual(triggers)
  expect(new Set(triggers.map(({ id }) => id)).size).toBe(triggers.length)
  for (const { id } of triggers) {
    expect(id).toBeGreaterThan(2 ** 40)
    expect(Number.isSafeInteger(id)).toBe(true)
  }
  expect(triggers).toContainEqual(
    expect.objectContaining({
      metric: 'cpu_busy',
      condition: 'CPU busy meets or exceeds 85.00% for 4 seconds',
      max_value: 85,
      low_value: null,
      duration_in_seconds: 4,
    }),
  )
  expect(triggers).toContainEqual(expect.objectContaining({ metric: 'disk_free', low_value: 500 }))
})

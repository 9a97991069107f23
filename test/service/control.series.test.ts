/** What the control API tells a chart: a metric with its limits, mutes and markers, and what runs at the moment. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openService, type Service } from '../../src/service/service.ts'

const key = 'canary-key-0123456789abcdef'
let service: Service
let nowMs: number

beforeEach(async () => {
  nowMs = Date.UTC(2026, 10, 20, 3, 0, 0)
  service = await openService({
    key,
    sample: false,
    fleet: 12,
    sampleMs: null,
    controlPort: 0,
    nowMs: () => nowMs,
  })
})
afterEach(() => service.close())

const series = z.object({
  server: z.string(),
  label: z.string(),
  units: z.string(),
  from_ms: z.number(),
  step_ms: z.number(),
  points: z.array(z.tuple([z.number(), z.number(), z.number()]).nullable()),
  value: z.number().nullable(),
  limits: z.array(z.object({ side: z.string(), value: z.number(), met: z.boolean() })),
  mutes: z.array(z.object({ from_ms: z.number(), until_ms: z.number().nullable(), scope: z.string() })),
  markers: z.array(z.object({ notes: z.string(), at_ms: z.number() })),
  metrics: z.array(z.object({ type: z.string(), metric: z.string(), label: z.string() })),
})

async function ask(query: string): Promise<z.output<typeof series>> {
  const answer = await fetch(`${service.controlUrl}/control/series?${query}`)
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).not.toContain(key)
  return series.parse(JSON.parse(text))
}

async function post(path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${path.startsWith('/control/') ? service.controlUrl : service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  })
  expect(answer.status).toBeLessThan(300)
  return await answer.json()
}

const api = (path: string): Promise<unknown> => post(`/api/v2/${key}${path}`)

test('a metric comes with the limit that its trigger has, and says when it is met', async () => {
  const calm = await ask('server=web-2&seconds=600')
  expect(calm).toMatchObject({ server: 'web-2', label: 'CPU busy', units: '%', step_ms: 4_000 })
  expect(calm.limits).toEqual([expect.objectContaining({ side: 'max', value: 90, met: false })])
  expect(calm.points.length).toBeGreaterThanOrEqual(150)
  expect(calm.points.every((point) => point !== null)).toBe(true)
  expect(calm.metrics).toContainEqual(expect.objectContaining({ type: 'disk', label: 'Disk / · Disk used' }))

  service.startScenario('cpu-spike', { server: 'web-2', seconds: 60 })
  nowMs += 20_000
  const spike = await ask('server=web-2&seconds=600')
  expect(spike.value).toBeCloseTo(97.2)
  expect(spike.limits[0]?.met).toBe(true)
})

test('mutes have a beginning and an end, a server its own and those of the account', async () => {
  const startMs = nowMs
  await api('/servers/web-2?notifications=false')
  nowMs += 60_000
  await api('/servers/web-2?notifications=true')
  nowMs += 60_000
  await api('/account?notifications=false')
  nowMs += 60_000

  expect((await ask('server=web-2')).mutes).toEqual([
    { from_ms: startMs, until_ms: startMs + 60_000, scope: 'server' },
    { from_ms: startMs + 120_000, until_ms: null, scope: 'account' },
  ])
  expect((await ask('server=db-1')).mutes).toEqual([
    { from_ms: startMs + 120_000, until_ms: null, scope: 'account' },
  ])
  nowMs += 3_600_000
  expect((await ask('server=web-2&seconds=60')).mutes).toHaveLength(1)
})

test('only markers of the asked time are told', async () => {
  await api('/markers?notes=first')
  nowMs += 1_200_000
  const secondMs = nowMs
  await api('/markers?notes=second')
  nowMs += 1_000
  expect((await ask('server=db-1&seconds=600')).markers).toEqual([{ notes: 'second', at_ms: secondMs }])
})

test.each([
  ['server=nobody', 404, 'no server is called "nobody"'],
  ['server=web-2&metric=nothing', 404, '"web-2" has no cpu metric "nothing"'],
  ['seconds=soon', 422, 'seconds: expected a whole number'],
  ['seconds=99999', 422, 'seconds'],
  ['colour=red', 422, 'colour'],
])('%s is refused in words', async (query, status, words) => {
  const answer = await fetch(`${service.controlUrl}/control/series?${query}`)
  expect(answer.status).toBe(status)
  expect(await answer.text()).toContain(JSON.stringify(words).slice(1, -1))
})

test('the state says what runs, until it is over', async () => {
  const running = (): unknown =>
    'running' in service.state() ? Reflect.get(service.state(), 'running') : null
  expect(running()).toEqual({ scenarios: [], busy_until_ms: null })
  await post('/control/scenarios/disk-fills', { server: 'db-1', seconds: 30 })
  expect(running()).toEqual({
    scenarios: [{ scenario: 'disk-fills', server: 'db-1', servers: 1, ends_at_ms: nowMs + 30_000 }],
    busy_until_ms: null,
  })
  nowMs += 30_000
  expect(running()).toEqual({ scenarios: [], busy_until_ms: null })
})

test('a load that was begun from inside the process was not told as running', () => {
  const busyUntilMs = (): unknown => Reflect.get(Reflect.get(service.state(), 'running'), 'busy_until_ms')
  service.makeBusy(10)
  expect(busyUntilMs()).toBe(nowMs + 10_000)
  service.makeBusy(0)
  expect(busyUntilMs()).toBeNull()
})

test('a fault with a time ends by itself, however many answers are left', async () => {
  await post('/control/faults', { times: 10_000, seconds: 30, status: 503 })
  const alerts = (): Promise<number> =>
    fetch(`${service.url}/api/v2/${key}/alerts.json`).then(({ status }) => status)
  expect(await alerts()).toBe(503)
  nowMs += 29_000
  expect(await alerts()).toBe(503)
  nowMs += 1_000
  expect(await alerts()).toBe(200)
  expect(await (await fetch(`${service.controlUrl}/control/faults`)).json()).toEqual({ faults: [] })
})

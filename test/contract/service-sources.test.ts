/** The API says the same whatever stands behind it: the bot's own client asks each source that is measured for all that it can do. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import type { TriggerRule } from '../../src/service/alerts/triggers.ts'
import { realClock } from '../../src/shared/clock.ts'
import { key as openKey, openTown, type Town } from '../service/open-service.ts'
import { counter, exportOf, gauge, push } from '../service/pushes.ts'
import { stateOf } from '../service/records.ts'
import { configOf, exporterOf, targetOf } from '../service/scrape/exporters.ts'

/** One server that is measured, `web-1` in the role `web`; `look` is what it shows at the next look, which is made. */
type Source = {
  readonly town: Town
  snapshot(load: number): Promise<void>
}

const stepMs = 15_000
const triggers: readonly TriggerRule[] = [
  {
    type: 'plugin',
    source: 'Load Average',
    metric: 'last_minute',
    servers: 'real',
    maxValue: 3,
    lowValue: null,
    durationMs: 2 * stepMs,
  },
]

async function scraped(): Promise<Source> {
  let shown = { load: 0, seconds: 0 }
  const url = await exporterOf(() =>
    [
      '# TYPE node_cpu_seconds_total counter',
      `node_cpu_seconds_total{cpu="0",mode="idle"} ${shown.seconds / 2}`,
      `node_cpu_seconds_total{cpu="0",mode="user"} ${shown.seconds / 2}`,
      `node_load1 ${shown.load}`,
      `shop_orders_waiting ${shown.load * 10}`,
      '',
    ].join('\n'),
  )
  const target = targetOf('web-1', url, { roles: ['web'] })
  const config = configOf([target], { triggers, customMetrics: ['shop_*'] })
  const town = await openTown({ config })
  return {
    town,
    async snapshot(load) {
      town.clock.pass(stepMs)
      shown = { load, seconds: shown.seconds + stepMs / 1_000 }
      await town.service.tick()
    },
  }
}

async function pushed(): Promise<Source> {
  let seconds = 0
  const town = await openTown({ triggers })
  const snapshot = async (load: number) => {
    town.clock.pass(stepMs)
    seconds += stepMs / 1_000
    const atMs = town.clock.nowMs()
    const cpu = (state: string) => ({ labels: { cpu: '0', state }, value: seconds / 2, atMs })
    await push(
      town,
      exportOf(
        { 'host.name': 'web-1' },
        counter('system.cpu.time', cpu('idle'), cpu('user')),
        gauge('system.cpu.load_average.1m', { value: load, atMs }),
        gauge('shop_orders_waiting', { value: load * 10, atMs }),
      ),
    )
    await town.service.tick()
  }
  await snapshot(1)
  await clientOf(town).addRoles('web-1', ['web'])
  return { town, snapshot }
}

function clientOf(town: Town) {
  const monitor = connectMonitor({
    baseUrl: town.service.url,
    apiKey: { reveal: () => openKey },
    clock: realClock,
    random: () => 0.5,
    limits: { retriesMax: 0 },
  })
  onTestFinished(() => monitor.close())
  return monitor
}

describe.each([
  ['servers that are scraped', scraped],
  ['servers that push', pushed],
])('%s', (_, open) => {
  test('have alerts that open and close by themselves, each with a picture', async () => {
    const { town, snapshot } = await open()
    const monitor = clientOf(town)
    const list = async (lifecycle: 'start' | 'end' | 'all') =>
      (await monitor.alerts({ lifecycle, offset: 0 })).records
    for (const load of [1, 4, 4]) await snapshot(load)
    expect(await list('start')).toEqual([])
    await snapshot(5)
    const [open1, ...others] = await list('start')
    expect(others).toEqual([])
    expect(open1).toMatchObject({
      hostname: 'web-1',
      lifecycle: 'start',
      plugin: 'Load Average',
      metric: 'last_minute',
      value: 5,
      title: 'Last minute met or exceeded 3.00, increasing to 5.00',
    })
    expect(
      (
        await fetch((open1?.url ?? '').replace('/a/', '/account/alerts/').replace('?t=', '/sparkline.png?t='))
      ).headers.get('content-type'),
    ).toBe('image/png')
    for (const load of [1, 1, 1]) await snapshot(load)
    expect(await list('start')).toEqual([])
    expect(await list('end')).toMatchObject([{ alertId: open1?.alertId, lifecycle: 'end' }])
  })

  test('have triggers, roles and metrics', async () => {
    const { town, snapshot } = await open()
    const monitor = clientOf(town)
    for (const load of [1, 2, 2, 2, 2]) await snapshot(load)
    const { triggers: told, skipped } = await monitor.triggers()
    expect(skipped).toBe(0)
    expect(told).toContainEqual(expect.objectContaining({ metric: 'last_minute', durationSeconds: 30 }))
    await monitor.addRoles('web-1', ['canary', '__proto__'])
    expect([...(await monitor.roles()).roles]).toEqual(
      expect.arrayContaining([
        ['web', ['web-1']],
        ['canary', ['web-1']],
        ['__proto__', ['web-1']],
      ]),
    )
    const cpu = { metric: 'cpu_busy', type: 'cpu', role: 'web' } as const
    for (const server of ['web-1', 'web-*', '/^web-/']) {
      const { series } = await monitor.metrics({ ...cpu, server, duration: '5 hours' })
      expect(series).toMatchObject([{ label: 'web-1' }])
      expect(series[0]?.points.findLast((point) => point !== null)?.[1]).toBeCloseTo(50)
    }
    const year = await monitor.metrics({ ...cpu, server: 'web-1', duration: '1 year', display: 'breakout' })
    expect(year.series[0]?.points.at(-1)?.[1]).toBeCloseTo(50)
  })

  test('are muted, marked, and deleted with their custom metrics', async () => {
    const { town, snapshot } = await open()
    const monitor = clientOf(town)
    await snapshot(1)
    await monitor.setServerNotifications('web-1', false)
    await monitor.setNoDataGroup('web-1', 'night & day')
    await monitor.setAccountNotifications(false)
    await monitor.addMarker('deploy "42" + more')
    expect(await stateOf(town)).toMatchObject({
      account: { notifications: false },
      markers: [{ notes: 'deploy "42" + more' }],
      servers: [{ hostname: 'web-1', notifications: false, no_data_notification_group: 'night & day' }],
    })
    const custom = {
      metric: 'shop_orders_waiting',
      type: 'custom_metric',
      source: 'shop_orders_waiting',
      server: 'web-1',
    } as const
    expect((await monitor.metrics(custom)).series).toHaveLength(1)
    await monitor.deleteCustomMetrics(['shop_orders_waiting'])
    await expect(monitor.metrics(custom)).rejects.toThrow()
    await monitor.deleteServer('web-1')
    expect(await stateOf(town)).toMatchObject({ servers: [] })
  })
})

/** The bot does not change: its own client asks the API in front of a real Prometheus for all eleven operations. */
import { expect, test } from 'vitest'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import { realClock } from '../../src/shared/clock.ts'
import { openFront, openShop } from '../service/prometheus/front.ts'
import { lacks } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus } from '../service/prometheus/real.ts'
import { patienceMs } from '../support/patience.ts'

const soon = { timeout: patienceMs, interval: 250 }

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'alerts, triggers, roles, switches, groups, markers, metrics and deletions, as the bot asks for them',
  async (t) => {
    const shop = await openShop(t)
    const [manager] = await openAlertmanagers(t)
    const managers = [manager?.url ?? '']
    const labels = { role: 'web', env: 'prod' }
    const prometheus = await openPrometheus(t, {
      jobs: [{ job: 'node', targets: [shop.url], instance: 'web-1:9100', labels }],
      rules: [{ alert: 'LoadHigh', expr: 'node_load1 > 3', for: '1s', labels: { severity: 'page' } }],
      alertmanagers: managers,
    })
    const front = await openFront(t, { prometheus: prometheus.url, alertmanagers: managers })
    const monitor = connectMonitor({
      baseUrl: front.service.url,
      apiKey: { reveal: () => 'key-of-the-account' },
      clock: realClock,
      random: () => 0.5,
      limits: { retriesMax: 0 },
    })
    t.onTestFinished(() => monitor.close())
    const listAll = async (lifecycle: 'start' | 'end') =>
      (await monitor.alerts({ lifecycle, offset: 0 })).records
    const list = async (lifecycle: 'start' | 'end') =>
      (await listAll(lifecycle)).filter(({ plugin }) => plugin !== 'Watchdog')

    shop.set('node_load1', 5)
    shop.set('shop_orders_waiting', 50)
    await expect.poll(() => list('start'), soon).toHaveLength(1)
    const [alert] = await list('start')
    expect(alert).toMatchObject({
      hostname: 'web-1',
      lifecycle: 'start',
      plugin: 'LoadHigh',
      metric: 'last_minute',
      value: 5,
      title: 'node_load1 > 3 for 1 second',
      saidSeverity: 'critical',
    })
    expect(
      (
        await fetch((alert?.url ?? '').replace('/a/', '/account/alerts/').replace('?t=', '/sparkline.png?t='))
      ).headers.get('content-type'),
    ).toBe('image/png')

    const { triggers, skipped } = await monitor.triggers()
    expect(skipped).toBe(0)
    expect(triggers).toMatchObject([{ metric: 'last_minute', durationSeconds: 1 }])
    await monitor.addRoles('web-1', ['canary', '__proto__'])
    expect([...(await monitor.roles()).roles].sort()).toEqual(
      ['__proto__', 'canary', 'node', 'web'].map((role) => [role, ['web-1']]),
    )

    const load = { metric: 'last_minute', type: 'plugin', source: 'Load Average', role: 'web' } as const
    for (const server of ['web-1', 'web-*', '/^web-/']) {
      const { series } = await monitor.metrics({ ...load, server, duration: '5 hours' })
      expect(series).toMatchObject([{ label: 'web-1' }])
      expect(series[0]?.points.findLast((point) => point !== null)).toEqual([5, 5, 5])
    }
    const year = await monitor.metrics({ ...load, server: 'web-1', duration: '1 year', display: 'breakout' })
    expect(year.series[0]?.points.at(-1)?.[1]).toBeCloseTo(5)

    await fetch(`${manager?.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ labels: { alertname: 'Watchdog', severity: 'none', instance: 'web-1:9100' } }]),
    })
    await monitor.setServerNotifications('web-1', false)
    await monitor.setNoDataGroup('web-1', 'night & day')
    await monitor.setAccountNotifications(false)
    await monitor.addMarker('deploy "42" + more')
    expect(front.service.state()).toMatchObject({
      account: { notifications: false },
      markers: [{ notes: 'deploy "42" + more' }],
      servers: [{ hostname: 'web-1', notifications: false, no_data_notification_group: 'night & day' }],
    })
    // What the service itself keeps silent is open all the same; what fires to be missed is not silenced at all.
    const mutedBy = async () =>
      new Map((await listAll('start')).map(({ plugin, mutedBy = [] }) => [plugin, mutedBy.length > 0]))
    await expect.poll(mutedBy, soon).toEqual(
      new Map([
        ['LoadHigh', true],
        ['Watchdog', false],
      ]),
    )
    await monitor.setAccountNotifications(true)
    await monitor.setServerNotifications('web-1', true)

    const custom = {
      metric: 'shop_orders_waiting',
      type: 'custom_metric',
      source: 'shop_orders_waiting',
      server: 'web-1',
    } as const
    expect((await monitor.metrics(custom)).series).toHaveLength(1)
    await monitor.deleteCustomMetrics(['shop_orders_waiting'])
    await expect(monitor.metrics(custom)).rejects.toThrow()

    shop.set('node_load1', 1)
    await expect.poll(() => list('end'), soon).toMatchObject([{ alertId: alert?.alertId, lifecycle: 'end' }])
    shop.set('node_load1', 9)
    await expect.poll(() => list('start'), soon).toHaveLength(1)
    await monitor.deleteServer('web-1')
    expect(await list('start')).toEqual([])
    await expect(monitor.setServerNotifications('web-1', false)).rejects.toThrow()
  },
)

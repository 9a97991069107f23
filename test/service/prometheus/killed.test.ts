/** The service in front of a real Alertmanager is killed while a server is muted: its silence is found again, one and no more. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startService } from '../process.ts'
import { openShop } from './front.ts'
import { lacks, run, tempFolder } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const soon = { timeout: 30_000, interval: 250 }
const key = 'key-of-the-account'

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'amtool')).for([
  ['a file', true],
  ['no file', false],
] as const)(
  'a mute outlives a kill of the service with %s, as one silence, and ends with the unmute',
  { timeout: 120_000 },
  async ([, isKept], t) => {
    const shop = await openShop(t)
    const [manager] = await openAlertmanagers(t)
    const prometheus = await openPrometheus(t, {
      jobs: [{ job: 'shop', targets: [shop.url], instance: 'shop-1:9100' }],
      rules: [{ alert: 'OrdersWaiting', expr: 'orders_waiting > 100' }],
      alertmanagers: [manager?.url ?? ''],
    })
    shop.set('orders_waiting', 120)
    const env = {
      MONITOR_API_KEY: key,
      PROMETHEUS_URL: prometheus.url,
      ALERTMANAGER_URL: manager?.url ?? '',
      ...(isKept ? { MONITOR_FILE: join(tempFolder(t), 'monitor.db') } : {}),
    }
    let service = await startService(env)
    const open = async () => {
      const answer = await fetch(`${service.url}/api/v2/${key}/alerts.json?lifecycle=start`)
      return ((await answer.json()) as { results?: { id: number }[] }).results?.map(({ id }) => id)
    }
    const mute = async (isOn: boolean) => {
      const body = new URLSearchParams({ notifications: String(isOn) })
      return (await fetch(`${service.url}/api/v2/${key}/servers/shop-1`, { method: 'POST', body })).status
    }
    const state = async () => JSON.stringify(await (await fetch(`${service.url}/control/state`)).json())
    const silences = async () => {
      const said = await run('amtool', [
        '--alertmanager.url',
        manager?.url ?? '',
        '-o',
        'json',
        'silence',
        'query',
      ])
      return (JSON.parse(said) as { createdBy: string }[]).map(({ createdBy }) => createdBy)
    }
    await expect.poll(open, soon).toHaveLength(1)
    const before = await open()
    expect(await mute(false)).toBe(200)
    expect(await silences()).toEqual(['monbot'])
    await service.kill()
    service = await startService(env)
    await expect.poll(open, soon).toEqual(before)
    expect(await state()).toMatch(/"hostname":"shop-1","kind":"prometheus",[^}]*"notifications":false/)
    expect(await silences()).toEqual(['monbot'])
    expect(await mute(true)).toBe(200)
    expect(await silences()).toEqual([])
  },
)

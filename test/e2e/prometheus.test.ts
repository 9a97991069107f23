/** From a rule of a real Prometheus to a card and back: the alert, its picture, a mute by click, the silence at the Alertmanager. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run, tempFolder } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openNodeExporter, openPrometheus } from '../service/prometheus/real.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool', 'prometheus-node-exporter')

test.skipIf(missing)(
  'an alert of Prometheus becomes a card with its picture, is muted by click as a silence, unmuted, and closes',
  { timeout: 120_000 },
  async (t) => {
    const words = tempFolder(t)
    const setOrders = (count: number) =>
      writeFileSync(join(words, 'shop.prom'), `shop_orders_waiting ${count}\n`)
    setOrders(1)
    const exporter = await openNodeExporter(t, [`--collector.textfile.directory=${words}`])
    const [alertmanager] = await openAlertmanagers(t)
    if (alertmanager === undefined) throw new Error('one was asked for')
    const prometheus = await openPrometheus(t, {
      jobs: [{ job: 'node', targets: [exporter.url], instance: 'shop-1:9100', labels: { role: 'web' } }],
      rules: [
        {
          alert: 'OrdersWaiting',
          expr: 'shop_orders_waiting > 100',
          labels: { severity: 'critical' },
          annotations: { summary: '{{ $value }} orders "wait" <!channel>' },
        },
      ],
      alertmanagers: [alertmanager.url],
    })
    const town = await openTown({
      service: { prometheus: settingsOf({ prometheus: prometheus.url, alertmanagers: [alertmanager.url] }) },
    })
    await town.bot()
    const silences = async (): Promise<string> =>
      run('amtool', ['--alertmanager.url', alertmanager.url, 'silence', 'query', '--output=extended'])
    const card = () => town.cards().find(({ text }) => text.includes(' shop-1 '))

    setOrders(120)
    await expect
      .poll(() => card()?.text, soon)
      .toMatch(/^🚨 CRITICAL shop-1 OrdersWaiting.* 120.* — 120 orders "wait" /)
    expect(card()?.text).not.toContain('<!channel>')
    await expect.poll(() => card()?.blocks.map(({ type }) => type), soon).toContain('image')

    const fail = (): never => {
      throw new Error('there is no card')
    }
    const ana = town.person('ana')
    await ana.chooses('Mute…', '1 h', card() ?? fail())
    await expect.poll(silences, soon).toMatch(/instance=~"shop-1\(:\[0-9\]\+\)\?"/)
    // Muted by the service alone, it is open still.
    await expect.poll(() => card()?.text, soon).toMatch(/^🔇|Muted|muted/)
    await ana.presses('Unmute', card() ?? fail())
    await expect.poll(silences, soon).not.toContain('shop-1')

    setOrders(1)
    await expect.poll(() => card()?.text, soon).toMatch(/^🟢 shop-1 OrdersWaiting.* closed after /)
  },
)

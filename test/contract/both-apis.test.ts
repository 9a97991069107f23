/**
 * The bot with the plain API and with the one that says more: the same service in front of a real Prometheus, once behind a proxy
 * that takes every optional field out.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run, tempFolder } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openNodeExporter, openPrometheus } from '../service/prometheus/real.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool', 'prometheus-node-exporter')
/** As docs/api.md lists them. */
const optional = [
  ...['labels', 'description', 'links', 'trouble', 'muted_by', 'can_mute', 'units', 'limit', 'limit_side'],
  'severity',
]

/** Passes everything on, and takes the optional fields out of the records of alerts. */
async function openPlain(serviceUrl: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host: _, connection: _connection, ...headers } = request.headers
    const answer = await fetch(`${serviceUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(/\/alerts\.json/.test(request.url ?? '') && answer.ok ? stripped(text) : text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function stripped(text: string): string {
  return JSON.stringify(JSON.parse(text, (key, value) => (optional.includes(key) ? undefined : value)))
}

test.skipIf(missing).each(['plain', 'extended'] as const)('over the %s API', async (api) => {
  const words = tempFolder({ onTestFinished })
  const setOrders = (count: number) =>
    writeFileSync(join(words, 'shop.prom'), `shop_orders_waiting ${count}\n`)
  setOrders(1)
  const exporter = await openNodeExporter({ onTestFinished }, [`--collector.textfile.directory=${words}`])
  const [alertmanager] = await openAlertmanagers({ onTestFinished })
  if (alertmanager === undefined) throw new Error('one was asked for')
  const prometheus = await openPrometheus(
    { onTestFinished },
    {
      jobs: [{ job: 'node', targets: [exporter.url], instance: 'shop-1:9100' }],
      rules: [
        {
          alert: 'OrdersWaiting',
          expr: 'shop_orders_waiting > 100',
          labels: { severity: 'critical', namespace: 'pay' },
          annotations: {
            summary: 'Too many wait',
            description: 'Orders wait, {{ $value }} of them.',
            runbook_url: 'https://wiki.example/orders',
          },
        },
        { alert: 'Watchdog', expr: 'vector(1)', labels: { severity: 'none' } },
      ],
      alertmanagers: [alertmanager.url],
    },
  )
  const town = await openTown({
    service: { prometheus: settingsOf({ prometheus: prometheus.url, alertmanagers: [alertmanager.url] }) },
  })
  const isExtended = api === 'extended'
  await town.bot(isExtended ? {} : { MONITOR_URL: await openPlain(town.service.url) })
  const silences = () =>
    run('amtool', ['--alertmanager.url', alertmanager.url, 'silence', 'query', '--output=extended'])
  const card = () => town.cards().find(({ text }) => text.includes('OrdersWaiting'))
  const blocks = () => JSON.stringify(card()?.blocks ?? [])
  const fail = (): never => {
    throw new Error('there is no card')
  }

  setOrders(120)
  await expect.poll(() => card()?.text, soon).toMatch(/shop-1 OrdersWaiting.* 120.* — Too many wait/)
  expect(card()?.text.startsWith('🚨 CRITICAL')).toBe(isExtended)
  for (const said of ['namespace pay', 'Orders wait, 120 of them.', 'https://wiki.example/orders'])
    expect(blocks().includes(said), said).toBe(isExtended)
  // What is meant for nobody is known by a word that the plain API does not say.
  const watchdogs = () => town.cards().filter(({ text }) => text.includes('Watchdog')).length
  await expect.poll(watchdogs, soon).toBe(isExtended ? 0 : 1)

  const ana = town.person('ana')
  await ana.presses('Acknowledge', card() ?? fail())
  await expect.poll(() => card()?.text, soon).toContain('👀')
  await ana.types('/mon mute shop-1 1h')
  await expect.poll(silences, soon).toMatch(/instance=~"shop-1/)
  await expect.poll(() => card()?.text, soon).toContain('🔕')
  await ana.types('/mon unmute shop-1')
  await expect.poll(silences, soon).not.toContain('shop-1')
  setOrders(1)
  await expect.poll(() => card()?.text, soon).toMatch(/^🟢 shop-1 OrdersWaiting.* closed after /)
})

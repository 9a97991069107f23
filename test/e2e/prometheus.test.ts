/** From real monitors to a card and back: Debian's Prometheus with its Alertmanager, and its node_exporter, which the service scrapes. */

import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/service/config/read-config.ts'
import { clusterTargets } from '../service/prometheus/cluster-hosts.ts'
import { clusterRules } from '../service/prometheus/cluster-rules.ts'
import { jobsOf, rulesGiven } from '../service/prometheus/cluster-town.ts'
import { hostText } from '../service/prometheus/life-hosts.ts'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run, tempFolder } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openNodeExporter, openPrometheus } from '../service/prometheus/real.ts'
import { exporterOf } from '../service/scrape/exporters.ts'
import { isNodeExporterMissing, startNodeExporter } from '../service/scrape/node-exporter.ts'
import { freePort } from '../support/free-port.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool', 'prometheus-node-exporter')

test.skipIf(missing)(
  'an alert of Prometheus becomes a card with its picture, is muted by click as a silence, unmuted, and closes',
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
    await ana.chooses('Mute…', 'shop-1: 1 h', card() ?? fail())
    await expect.poll(silences, soon).toMatch(/instance=~"shop-1\(:\[0-9\]\+\)\?"/)
    // Muted by the service alone, it is open still.
    await expect.poll(() => card()?.text, soon).toMatch(/^🔇|Muted|muted/)
    await ana.presses('Unmute', card() ?? fail())
    await expect.poll(silences, soon).not.toContain('shop-1')

    setOrders(1)
    await expect.poll(() => card()?.text, soon).toMatch(/^🟢 shop-1 OrdersWaiting.* closed after /)
  },
)

test.skipIf(missing)(
  'two volumes of one server have a value each, a silent server is one, and what is silenced elsewhere says so on its own card',
  async (t) => {
    const host = await exporterOf(() => `${hostText()}\n`)
    const [alertmanager] = await openAlertmanagers(t)
    const at = { alertmanagers: [alertmanager?.url ?? ''] }
    const away = `127.0.0.1:${await freePort()}`
    const prometheus = await openPrometheus(t, {
      ...at,
      jobs: [
        { job: 'node', targets: [host], instance: 'web-1:9100' },
        { job: 'away', targets: [away], instance: 'web-2:9100' },
      ],
      rules: [
        { alert: 'DiskFree', expr: 'node_filesystem_avail_bytes * 100 / node_filesystem_size_bytes < 10' },
        { alert: 'Down', expr: 'up == 0' },
      ],
    })
    const town = await openTown({
      service: { prometheus: settingsOf({ prometheus: prometheus.url, ...at }) },
    })
    await town.bot()
    const starts = [
      /^🔴 web-1 DiskFree.* 4 % .*below 10 %/,
      /^🔴 web-1 DiskFree.* 7 % .*below 10 %/,
      /^🔴 web-2 sends no data \(last report /,
    ]
    const texts = () =>
      town
        .cards()
        .map(({ text }) => text)
        .sort()
    await expect.poll(texts, soon).toEqual(starts.map((start) => expect.stringMatching(start)))
    const amtool = (...args: string[]) =>
      run('amtool', ['--alertmanager.url', at.alertmanagers[0] ?? '', ...args])
    const silenced = () =>
      town.cards().map((card) => JSON.stringify(card).includes('silenced at the Alertmanager by ben'))
    await amtool('silence', 'add', 'mountpoint=/data', '--comment=x', '--author=ben')
    await expect.poll(() => silenced().filter(Boolean), soon).toHaveLength(1)
    expect(texts()).toEqual(starts.map((start) => expect.stringMatching(start)))
    const muted = town.cards().find((_, at) => silenced()[at])
    expect(muted?.text).toMatch(/^🔴 web-1 DiskFree.* 7 % /)
  },
)

test.skipIf(missing)(
  'a cluster: cards say which workload, volume or node it is, and its labels; what is meant for nobody has none',
  async (t) => {
    const [alertmanager] = await openAlertmanagers(t)
    const at = { alertmanagers: [alertmanager?.url ?? ''] }
    const targets = ['kube-state-metrics', 'kubelet-node-1']
    const alerts = ['KubeNodeNotReady', 'Watchdog']
    const isHere = ({ name, severity }: { readonly name: string; readonly severity: string }) =>
      alerts.includes(name) || (name === 'KubePersistentVolumeFillingUp' && severity === 'critical')
    const prometheus = await openPrometheus(t, {
      ...at,
      jobs: await jobsOf(clusterTargets(Date.now()).filter(({ name }) => targets.includes(name))),
      rules: rulesGiven(clusterRules.filter(isHere)),
      externalLabels: { cluster: 'prod', prometheus_replica: 'prometheus-0' },
    })
    const names = { server: null, reporters: null, isByLabel: false }
    const settings = { ...settingsOf({ prometheus: prometheus.url, ...at }), names }
    const town = await openTown({ service: { prometheus: settings } })
    await town.bot()
    const texts = () =>
      town
        .cards()
        .map(({ text }) => text)
        .sort()
    const starts = [
      /^🔴 prod\/node-3 KubeNodeNotReady.* 0 .*— node-3 is not ready /,
      /^🚨 CRITICAL prod\/shop\/data-db-0 KubePersistentVolume.* 0\.01 .*below 0\.03.* — data-db-0 is full /,
      /^🚨 CRITICAL prod\/shop\/data-db-1 KubePersistentVolume.* 0\.02 .*below 0\.03.* — data-db-1 is full /,
    ]
    await expect.poll(texts, soon).toEqual(starts.map((start) => expect.stringMatching(start)))
    const volume = JSON.stringify(town.cards().find(({ text }) => text.includes('data-db-1'))?.blocks)
    expect(volume).toContain('node node-1')
    // The Watchdog fires with them: at the Alertmanager it is, and here it is counted and no more.
    const listed = await run('amtool', ['--alertmanager.url', at.alertmanagers[0] ?? '', 'alert', 'query'])
    expect(listed).toContain('Watchdog')
    expect(JSON.stringify(town.cards())).not.toContain('Watchdog')
  },
)

const megabyte = 1024 * 1024
/** Of all that is measured what other tests move least. */
const loadMb = 1_024

test.skipIf(isNodeExporterMissing)(
  'a disk that fills becomes a card through node_exporter, is muted, and closes',
  async () => {
    const exporter = await startNodeExporter()
    const town = await openTown({ service: { sampleMs: 300 } })
    const { bavail, bsize } = statfsSync(town.folder)
    const mount =
      execFileSync('df', ['--output=target', town.folder], { encoding: 'utf8' }).split('\n')[1] ?? ''
    const file = join(town.folder, 'fleet.yml')
    const belowMb = Math.round((bavail * bsize) / megabyte - loadMb / 2)
    writeFileSync(
      file,
      [
        `scrape: { interval: 1s, targets: [{ url: "${exporter}", server: real-1, roles: [web] }] }`,
        `triggers: [{ metric: disk_free, source: "${mount}", below: ${belowMb}, for: 1s }]`,
      ].join('\n'),
    )
    const { config, problems } = await readConfig(file)
    expect(problems).toEqual([])
    if (config !== null) town.service.useConfig(config)
    await town.bot()

    const filler = join(town.folder, 'filler')
    execFileSync('fallocate', ['-l', String(loadMb * megabyte), filler])
    const card = () => town.cards().find(({ text }) => text.includes(' real-1 Disk'))
    await expect
      .poll(() => card()?.text, soon)
      .toMatch(new RegExp(`^🔴 real-1 Disk ${mount}: free [\\d.,]+ .B \\(below `))
    await expect.poll(() => card()?.blocks.map(({ type }) => type), soon).toContain('image')
    await town.person('ana').types('/mon mute real-1 1h')
    const isMuted = () =>
      JSON.stringify(town.service.state()).includes('"hostname":"real-1","kind":"scraped"') &&
      JSON.stringify(town.service.state()).includes('"notifications":false')
    await expect.poll(isMuted, soon).toBe(true)
    rmSync(filler)
    await expect
      .poll(() => card()?.text, soon)
      .toMatch(new RegExp(`^🟢 real-1 Disk ${mount}: free closed after `))
  },
)

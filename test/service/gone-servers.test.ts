/** Points of servers that are no more: there again when one comes back, and not without end. */
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { goneKeptMax, goneKeptMs, openGoneServers } from '../../src/service/metrics/gone-servers.ts'
import type { MetricKey } from '../../src/service/metrics/metric-key.ts'
import { openSeries } from '../../src/service/metrics/series.ts'
import { openRegistry } from '../../src/service/store/registry.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'
import { clockByHand } from './open-service.ts'
import { metricsOf } from './records.ts'
import { configOf, exporterOf, targetOf } from './scrape/exporters.ts'
import { openFleetTown, pass } from './scrape/fleet-town.ts'

const key: MetricKey = { type: 'cpu', source: '', metric: 'cpu_busy' }
const dayMs = 86_400_000

/** A store whose process can be ended and begun again. */
function openStore() {
  const file = newFile()
  const clock = clockByHand()
  let ledger = openLedgerFile(file)
  const openAll = () => {
    const registry = openRegistry(ledger)
    const series = openSeries(ledger)
    return { registry, series, gone: openGoneServers({ registry, series, ledger, nowMs: clock.nowMs }) }
  }
  let parts = openAll()
  return {
    clock,
    parts: () => parts,
    /** A server that lives for an hour. */
    liveAndGo(hostname: string) {
      const { registry, series } = parts
      registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
      for (let minute = 0; minute < 60; minute += 20) {
        series.add(hostname, key, clock.nowMs(), minute)
        series.write(clock.nowMs())
        clock.pass(20 * 60_000)
      }
      registry.deleteServer(hostname)
      parts.gone.settle()
    },
    passDays(days: number) {
      for (let minute = 0; minute < days * 24 * 60; minute += 20) {
        clock.pass(20 * 60_000)
        parts.gone.settle()
      }
    },
    begin() {
      ledger.close()
      ledger = openLedgerFile(file)
      parts = openAll()
    },
    bytes() {
      ledger.close()
      const { size } = statSync(file)
      ledger = openLedgerFile(file)
      parts = openAll()
      return size
    },
  }
}

test('servers that came and went for a year left the disk and the memory full of their points', () => {
  const store = openStore()
  for (let n = 0; n < goneKeptMax; n += 1) store.liveAndGo(`job-${n}`)
  store.passDays(goneKeptMs / dayMs)
  const before = store.bytes()
  for (let n = goneKeptMax; n < 3 * goneKeptMax; n += 1) {
    store.liveAndGo(`job-${n}`)
    if (n % 50 === 0) store.begin()
  }
  store.passDays(goneKeptMs / dayMs + 1)
  const kept = store.parts().series.hostnames()
  expect(kept).toHaveLength(goneKeptMax)
  expect(kept).toContain(`job-${3 * goneKeptMax - 1}`)
  // What was given back is written again before the file grows: a half more for the week in which all are kept.
  expect(store.bytes()).toBeLessThan(before * 4)
  store.passDays(30)
  expect(store.parts().series.hostnames()).toHaveLength(goneKeptMax)
})

test('a whole fleet that is out of the file by mistake has a week to come back, over a restart too', () => {
  const store = openStore()
  const names = Array.from({ length: goneKeptMax + 20 }, (_, n) => `web-${n}`)
  for (const hostname of names) {
    store.parts().registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
    store.parts().series.add(hostname, key, store.clock.nowMs(), 1)
  }
  store.parts().series.flush()
  for (const hostname of names) store.parts().registry.deleteServer(hostname)
  store.passDays(6)
  store.begin()
  expect(store.parts().series.hostnames()).toHaveLength(names.length)
  for (const hostname of names)
    store.parts().registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
  store.passDays(3)
  expect(store.parts().series.hostnames()).toHaveLength(names.length)
})

test('a server that is named again has its points again', async () => {
  const url = await exporterOf(() => 'node_load1 1.5\n')
  const here = configOf([targetOf('web-1', url), targetOf('web-2', url)])
  const town = await openFleetTown(here)
  await pass(town, 120)
  town.service.useConfig(configOf([targetOf('web-2', url)]))
  await pass(town, 3_600)
  town.service.useConfig(here)
  const load = { metric_type: 'plugin', metric_source_name: 'Load Average', metric_name: 'last_minute' }
  const { metrics } = await metricsOf(town, { ...load, server: 'web-1' })
  expect(metrics[0]?.points.filter(([, mean]) => mean !== null)).toHaveLength(3)
})

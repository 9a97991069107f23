/** A scraped fleet behind the API: servers, values, silence, and what another file changes. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TriggerRule } from '../../../src/service/alerts/triggers.ts'
import { goneMs } from '../../../src/service/alerts/watch.ts'
import { newFolder } from '../ledger-file.ts'
import { alertsOf, metricsOf, rolesOf, stateOf } from '../records.ts'
import { configOf, exporterOf, nothingHere, openFleetTown, openOn, pass, targetOf } from './exporters.ts'

const rule = (given: Partial<TriggerRule>): TriggerRule => ({
  type: 'plugin',
  metric: 'last_minute',
  servers: 'all',
  maxValue: 4,
  lowValue: null,
  durationMs: 0,
  ...given,
})

test('targets are servers with environment and roles, and their metrics are there', async () => {
  const url = await exporterOf(() => 'node_load1 1.5\nshop_orders 3\n')
  const given = { environment: 'staging', roles: ['web', 'eu'] }
  const town = await openFleetTown(configOf([targetOf('web-1', url, given)], { customMetrics: ['shop_*'] }))
  await pass(town, 30)
  const { servers } = await stateOf(town)
  expect(servers).toMatchObject([
    { hostname: 'web-1', kind: 'scraped', environment: 'staging', roles: ['eu', 'web'] },
  ])
  expect(await rolesOf(town)).toEqual({ web: ['web-1'], eu: ['web-1'] })
  const load = { metric_type: 'plugin', metric_source_name: 'Load Average', metric_name: 'last_minute' }
  expect((await metricsOf(town, load)).metrics).toMatchObject([{ label: 'web-1', points: [[1.5, 1.5, 1.5]] }])
  const custom = {
    metric_type: 'custom_metric',
    metric_source_name: 'shop_orders',
    metric_name: 'shop_orders',
  }
  expect((await metricsOf(town, custom)).metrics).toMatchObject([{ points: [[3, 3, 3]] }])
})

describe('what is not known', () => {
  test('a failed scrape neither opens nor closes, and the time of a trigger goes on over it', async () => {
    let text = 'node_load1 9\n'
    const url = await exporterOf(() => text)
    const triggers = [rule({ durationMs: 60_000 })]
    const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers }))
    await pass(town, 30)
    text = ''
    await pass(town, 15)
    text = 'node_load1 9\n'
    await pass(town, 15)
    expect(await openOn(town)).toEqual([])
    await pass(town, 15)
    expect(await openOn(town)).toEqual(['web-1 last_minute'])
    text = ''
    await pass(town, 600)
    expect(await openOn(town)).toEqual(['web-1 last_minute', 'web-1 seconds_since_report'].toReversed())
    text = 'node_load1 1\n'
    await pass(town, 75)
    expect(await openOn(town)).toEqual([])
  })

  test('a timed trigger fires where one scrape a minute is all there is', async () => {
    const url = await exporterOf(() => 'node_load1 9\n')
    const triggers = [rule({ durationMs: 120_000 })]
    const config = configOf([targetOf('web-1', url)], { triggers, intervalMs: 60_000, noDataMs: 180_000 })
    const town = await openFleetTown(config)
    for (let at = 0; at < 2; at += 1) {
      town.clock.pass(60_000)
      await town.service.tick()
    }
    expect(await openOn(town)).toEqual([])
    town.clock.pass(60_000)
    await town.service.tick()
    expect(await openOn(town)).toEqual(['web-1 last_minute'])
  })

  test('a metric that a server shows no more closes its alert after an hour, not before', async () => {
    let text = 'node_load1 9\nnode_load5 9\n'
    const url = await exporterOf(() => text)
    const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: [rule({})] }))
    await pass(town, 15)
    text = 'node_load5 9\n'
    await pass(town, goneMs / 1_000)
    expect(await openOn(town)).toEqual(['web-1 last_minute'])
    await pass(town, 30)
    expect(await openOn(town)).toEqual([])
  })

  test('no alert of a server that is silent closes, however long it is silent', async () => {
    let text = 'node_load1 9\n'
    const url = await exporterOf(() => text)
    const config = configOf([targetOf('web-1', url)], { triggers: [rule({})], noDataMs: null })
    const town = await openFleetTown(config)
    await pass(town, 15)
    text = '<html>'
    await pass(town, (2 * goneMs) / 1_000)
    expect(await openOn(town)).toEqual(['web-1 last_minute'])
  })

  test('a server that was never read is an alert once it was asked for that long', async () => {
    const town = await openFleetTown(configOf([targetOf('web-1', nothingHere)]))
    await pass(town, 45)
    expect(await openOn(town)).toEqual([])
    await pass(town, 30)
    expect(await openOn(town)).toEqual(['web-1 seconds_since_report'])
  })

  test('a start closes nothing before it has looked', async () => {
    const folder = newFolder()
    let text = 'node_load1 9\n'
    const url = await exporterOf(() => text)
    const config = configOf([targetOf('web-1', url), targetOf('web-2', nothingHere)], {
      triggers: [rule({})],
    })
    const file = join(folder, 'state.db')
    const first = await openFleetTown(config, { file })
    await pass(first, 90)
    const before = await openOn(first)
    expect(before.toSorted()).toEqual(['web-1 last_minute', 'web-2 seconds_since_report'])
    await first.service.close()

    text = ''
    const { nowMs, pass: passOf } = first.clock
    const second = { ...(await openFleetTown(config, { file, nowMs })), clock: { nowMs, pass: passOf } }
    await pass(second, 45)
    expect(await openOn(second)).toEqual(before)
    text = 'node_load1 1\n'
    await pass(second, 30)
    expect(await openOn(second)).toEqual(['web-2 seconds_since_report'])
  })

  test('a server that is asked late each time was told to be silent for less long than it was', async () => {
    const config = configOf([targetOf('web-1', nothingHere)], { intervalMs: 1_000, noDataMs: 20_000 })
    const town = await openFleetTown(config)
    for (let at = 0; at < 9; at += 1) {
      town.clock.pass(2_500)
      await town.service.tick()
    }
    expect(await openOn(town)).toEqual(['web-1 seconds_since_report'])
  })

  test('while this process slept nobody was silent', async () => {
    const url = await exporterOf(() => 'node_load1 1\n')
    const town = await openFleetTown(configOf([targetOf('web-1', url), targetOf('web-2', nothingHere)]))
    await pass(town, 30)
    town.clock.pass(8 * 60 * 60_000)
    await town.service.tick()
    expect(await openOn(town)).toEqual([])
  })
})

describe('another file', () => {
  test('servers come and go with it, and the alerts of those that went close', async () => {
    const url = await exporterOf(() => 'node_load1 9\n')
    const triggers = [rule({})]
    const town = await openFleetTown(configOf([targetOf('web-1', url), targetOf('web-2', url)], { triggers }))
    await pass(town, 15)
    expect(await openOn(town)).toHaveLength(2)
    town.service.useConfig(configOf([targetOf('web-2', url), targetOf('web-3', url)], { triggers }))
    expect(await openOn(town)).toEqual(['web-2 last_minute'])
    await pass(town, 15)
    expect(await openOn(town)).toEqual(['web-3 last_minute', 'web-2 last_minute'])
  })

  test('roles of the file go with it, roles of the API stay', async () => {
    const town = await openFleetTown(configOf([targetOf('web-1', nothingHere, { roles: ['web', 'eu'] })]))
    await town.api('/servers/web-1/roles/add', {
      method: 'POST',
      body: 'roles=canary',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    town.service.useConfig(configOf([targetOf('web-1', nothingHere, { roles: ['web'] })]))
    expect(await rolesOf(town)).toEqual({ web: ['web-1'], eu: [], canary: ['web-1'] })
  })

  test('a deleted server stays away until the file names it anew', async () => {
    const url = await exporterOf(() => 'node_load1 9\n')
    const config = configOf([targetOf('web-1', url)])
    const town = await openFleetTown(config)
    await pass(town, 15)
    await town.api('/servers/web-1', { method: 'DELETE' })
    town.service.useConfig(config)
    await pass(town, 15)
    expect((await stateOf(town)).servers).toEqual([])
    town.service.useConfig(configOf([]))
    town.service.useConfig(config)
    expect((await stateOf(town)).servers).toHaveLength(1)
  })

  test('a changed trigger goes on holding the alerts that it still holds, and closes the others', async () => {
    const nine = await exporterOf(() => 'node_load1 9\n')
    const five = await exporterOf(() => 'node_load1 5\n')
    const targets = [targetOf('web-1', nine), targetOf('web-2', five), targetOf('db-1', nine)]
    const town = await openFleetTown(configOf(targets, { triggers: [rule({})] }))
    await pass(town, 15)
    const before = await alertsOf(town, '?lifecycle=start')
    expect(before).toHaveLength(3)
    const changed = rule({ maxValue: 8, names: ['web-*'], durationMs: 300_000 })
    town.service.useConfig(configOf(targets, { triggers: [changed] }))
    const after = await alertsOf(town, '?lifecycle=start')
    expect(after).toEqual(before.filter((one) => one.server_hostname === 'web-1'))
    await pass(town, 30)
    expect(await alertsOf(town, '?lifecycle=start')).toEqual(after)
  })

  test('triggers choose servers by name and role', async () => {
    const url = await exporterOf(() => 'node_load1 9\n')
    const triggers = [rule({ names: ['WEB-?'] }), rule({ roles: ['db'], maxValue: 5 })]
    const targets = ['web-1', 'web-10', 'db-1'].map((name) =>
      targetOf(name, url, { roles: [name.slice(0, -2).replace(/-$/, '')] }),
    )
    const town = await openFleetTown(configOf(targets, { triggers }))
    await pass(town, 15)
    expect((await openOn(town)).toSorted()).toEqual(['db-1 last_minute', 'web-1 last_minute'])
  })
})

test('two targets that swap their servers leave neither alerts nor rates of the one at the other', async () => {
  let seconds = 0
  const shown = (load: number, bytes: number) => () =>
    `node_load1 ${load}\nnode_network_receive_bytes_total{device="eth0"} ${bytes + seconds * 1_024}\n`
  const [busy, calm] = [await exporterOf(shown(9, 1e12)), await exporterOf(shown(1, 0))]
  const triggers = [rule({}), rule({ type: 'network', metric: 'network_in', maxValue: 2 })]
  const of = (one: string, two: string) =>
    configOf([targetOf('web-1', one), targetOf('web-2', two)], { triggers })
  const town = await openFleetTown(of(busy, calm))
  const run = async (scrapes: number) => {
    for (let at = 0; at < scrapes; at += 1) {
      seconds += 15
      await pass(town, 15)
    }
  }
  await run(3)
  expect(await openOn(town)).toEqual(['web-1 last_minute'])
  town.service.useConfig(of(calm, busy))
  await run(3)
  expect(await openOn(town)).toEqual(['web-2 last_minute'])
})

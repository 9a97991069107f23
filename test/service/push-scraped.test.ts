/** A host that is scraped and pushes too: each of its metrics is as fresh as the way it comes; and clocks that jump under those that push. */
import { expect, test } from 'vitest'
import type { TriggerRule } from '../../src/service/alerts/triggers.ts'
import { pushedSilentMs } from '../../src/service/alerts/usual-triggers.ts'
import { openTown } from './open-service.ts'
import { exportOf, gauge, host, lastOf, push } from './pushes.ts'
import { configOf, exporterOf, targetOf } from './scrape/exporters.ts'
import { openFleetTown, openOn, pass } from './scrape/fleet-town.ts'

const rules = (durationMs: number): TriggerRule[] =>
  (
    [
      ['plugin', 'last_minute'],
      ['custom_metric', 'jobs'],
    ] as const
  ).map(([type, metric]) => ({
    type,
    metric,
    servers: 'real',
    maxValue: 4,
    lowValue: null,
    durationMs,
  }))

test('the time of a trigger on a pushed metric of a scraped host goes on from push to push', async () => {
  const url = await exporterOf(() => 'node_load1 1\n')
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(300_000) }))
  for (let minute = 0; minute < 5; minute += 1) {
    await push(town, exportOf(host, gauge('jobs', { value: 9 })))
    await pass(town, 60)
    expect(await openOn(town)).toEqual([])
  }
  await push(town, exportOf(host, gauge('jobs', { value: 9 })))
  await pass(town, 15)
  expect(await openOn(town)).toEqual(['web-1 jobs'])
})

test('a pushed metric of a scraped host that comes no more neither opens nor closes', async () => {
  const url = await exporterOf(() => 'node_load1 1\n')
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(240_000) }))
  await push(town, exportOf(host, gauge('jobs', { value: 9 })))
  await pass(town, 600)
  expect(await openOn(town)).toEqual([])
})

test('a host that pushes once was believed by its exporter for three minutes more', async () => {
  let text = 'node_load1 9\n'
  const url = await exporterOf(() => text)
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { triggers: rules(120_000) }))
  await push(town, exportOf(host, gauge('jobs', { value: 1 })))
  await pass(town, 45)
  // For longer than three intervals and less than three minutes nobody can read it: the time begins again.
  text = ''
  await pass(town, 90)
  expect(pushedSilentMs).toBeGreaterThan(90_000)
  text = 'node_load1 9\n'
  await pass(town, 60)
  expect((await openOn(town)).filter((one) => one.endsWith('last_minute'))).toEqual([])
  await pass(town, 75)
  expect((await openOn(town)).filter((one) => one.endsWith('last_minute'))).toEqual(['web-1 last_minute'])
})

const open = async (town: Awaited<ReturnType<typeof openTown>>) => {
  const { body } = await town.api('/alerts.json?lifecycle=start')
  return (body as { results: { plugin_name: string }[] }).results.map((one) => one.plugin_name)
}

test('while this process slept, everybody who pushes was told to be silent', async () => {
  const town = await openTown()
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(60)
  town.clock.pass(8 * 60 * 60_000)
  await town.pass(115)
  expect(await open(town)).toEqual([])
  await town.pass(10)
  expect(await open(town)).toEqual(['Heartbeat'])
})

test('a clock that was set back held the silence of those that push up', async () => {
  const town = await openTown()
  await push(town, exportOf(host, gauge('jobs', { value: 5 })))
  await town.pass(60)
  town.clock.pass(-60 * 60_000)
  await town.pass(115)
  expect(await open(town)).toEqual([])
  await town.pass(10)
  expect(await open(town)).toEqual(['Heartbeat'])
})

test('a sum lost the parts that were not pushed yet when the clock was set', async () => {
  const town = await openTown()
  const say = (pid: string, value: number) =>
    push(town, exportOf({ ...host, 'process.pid': pid }, gauge('jobs', { value })))
  await say('1', 3)
  await say('2', 4)
  const jobs = 'metric_type=custom_metric&metric_source_name=jobs&metric_name=jobs'
  for (const jumpMs of [60 * 60_000, -120 * 60_000]) {
    town.clock.pass(jumpMs)
    await say('1', 3)
    expect(await lastOf(town, jobs, 0)).toBe(7)
  }
})

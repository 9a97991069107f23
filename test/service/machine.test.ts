/** This machine, really measured: its metrics, a real trigger on them, and a load that is made for real. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, hostname, loadavg } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import type { TriggerRule } from '../../src/service/alerts/triggers.ts'
import { containerMemory, sampleMachine } from '../../src/service/metrics/machine.ts'
import { patienceMs } from '../support/patience.ts'
import { newFolder } from './ledger-file.ts'
import { openTown, type Town } from './open-service.ts'
import { startService } from './process.ts'
import { alertsOf, metricsOf, serverOf } from './records.ts'

/** Looks again, now and then, until `read` gives something. */
function eventually<Found>(what: string, read: () => Promise<Found | undefined>): Promise<Found> {
  const look = async (): Promise<Found> => {
    const found = await read()
    if (found === undefined) throw new Error(`waited ${patienceMs} ms for ${what}`)
    return found
  }
  // Seldom: looking must not be the load that is looked for.
  return vi.waitFor(look, { timeout: patienceMs, interval: 200 })
}

const memory = { metric_name: 'memory_used_percent', metric_type: 'memory' }

test('a sample has CPU, memory, load and this process, with numbers that can be', async () => {
  const samples = await sampleMachine()
  const value = (metric: string) => samples.find(({ key }) => key.metric === metric)?.value ?? Number.NaN
  for (const metric of ['cpu_busy', 'memory_used_percent']) {
    expect(value(metric)).toBeGreaterThanOrEqual(0)
    expect(value(metric)).toBeLessThanOrEqual(100)
  }
  expect(value('memory_used')).toBeGreaterThan(10)
  expect(value('last_minute')).toBeGreaterThanOrEqual(0)
  expect(value('process_memory')).toBeGreaterThan(10)
  expect(new Set(samples.map(({ key }) => JSON.stringify(key))).size).toBe(samples.length)
})

test.each([
  [
    'version 2',
    { 'memory.max': '1000\n', 'memory.current': '700\n', 'memory.stat': 'anon 1\ninactive_file 200\n' },
  ],
  [
    'version 1',
    {
      'memory/memory.limit_in_bytes': '1000\n',
      'memory/memory.usage_in_bytes': '700\n',
      'memory/memory.stat': 'inactive_file 3\ntotal_inactive_file 200\n',
    },
  ],
])('the memory limit of a container counts, without what is only cached: %s', async (_, files) => {
  const folder = newFolder()
  mkdirSync(join(folder, 'memory'))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  expect(await containerMemory(folder)).toEqual({ limitBytes: 1_000, usedBytes: 500 })
})

test("without a limit the memory is the whole machine's", async () => {
  const folder = newFolder()
  expect(await containerMemory(folder)).toBeNull()
  writeFileSync(join(folder, 'memory.max'), 'max\n')
  writeFileSync(join(folder, 'memory.current'), '700\n')
  expect(await containerMemory(folder)).toBeNull()
})

test('the load averages are those that the system says, and not the highest of them', async () => {
  // The system works them out anew every five seconds, perhaps meanwhile.
  const before = loadavg()
  const samples = await sampleMachine()
  const after = loadavg()
  const value = (metric: string) => samples.find(({ key }) => key.metric === metric)?.value ?? Number.NaN
  const names = ['last_minute', 'last_five_minutes', 'last_fifteen_minutes']
  for (const [at, name] of names.entries()) expect([before[at], after[at]]).toContain(value(name))
  expect(value('last_minute_per_core')).toBeCloseTo(value('last_minute') / cpus().length)
})

test('measures go on by themselves and show in metrics.json, young as the chart may be', async () => {
  const town = await openTown({ sample: true, sampleMs: 200, nowMs: Date.now })
  const server = hostname()
  await eventually('a sample', async () =>
    (await serverOf(town, server)).last_sample === null ? undefined : true,
  )
  const { timestamps, metrics } = await metricsOf(town, { ...memory, server })
  expect(timestamps.length).toBeLessThanOrEqual(2)
  expect(metrics).toMatchObject([{ label: server, units: '%', precision: 1 }])
  const first = (await serverOf(town, server)).last_sample
  await eventually('another sample', async () =>
    (await serverOf(town, server)).last_sample === first ? undefined : true,
  )
})

const always: TriggerRule = {
  type: 'memory',
  metric: 'memory_used_percent',
  servers: 'machine',
  maxValue: 0.001,
  lowValue: null,
  durationMs: 400,
}

test('a real trigger on a real metric opens a real alert', async () => {
  const town = await openTown({ sample: true, sampleMs: 200, nowMs: Date.now, triggers: [always] })
  const alert = await eventually('the alert', async () => (await alertsOf(town, '?lifecycle=start'))[0])
  expect(alert).toMatchObject({
    server_hostname: hostname(),
    plugin_name: 'Memory',
    metric_name: 'memory_used_percent',
    title: expect.stringMatching(/^Memory used met or exceeded 0\.00%, increasing to \d+\.\d\d%$/),
  })
  await town.service.tick()
  expect(await alertsOf(town)).toHaveLength(1)
})

const isBusy: TriggerRule = {
  type: 'cpu',
  metric: 'cpu_busy',
  servers: 'machine',
  maxValue: 85,
  lowValue: null,
  durationMs: 600,
}

async function burn(town: Town, seconds: number): Promise<number[]> {
  const { status, body } = await town.ask('/control/busy', {
    method: 'POST',
    body: JSON.stringify({ seconds }),
  })
  expect(status).toBe(200)
  return (body as { pids: number[] }).pids
}

test('a load made by hand opens an alert, and is bounded', async () => {
  const town = await openTown({ sample: true, sampleMs: 300, nowMs: Date.now, triggers: [isBusy] })
  expect(await burn(town, 20)).toHaveLength(cpus().length)
  const alert = await eventually('the CPU alert', async () => (await alertsOf(town, '?lifecycle=start'))[0])
  expect(alert).toMatchObject({ plugin_name: 'CPU', metric_name: 'cpu_busy' })
  expect(await burn(town, 0)).toEqual([])
  const tooLong = await town.ask('/control/busy', { method: 'POST', body: '{"seconds": 121}' })
  expect(tooLong).toMatchObject({ status: 422, body: { message: expect.stringMatching(/^seconds: /) } })
})

/** A process that ended but that nobody has asked about yet still has its number. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const file = `/proc/${pid}/stat`
  return !existsSync(file) || !/^\d+ \(.*\) Z /.test(readFileSync(file, 'utf8'))
}

test('a load made by hand does not outlive a service that is killed', async () => {
  const service = await startService({ MONITOR_API_KEY: 'k', MONITOR_SAMPLE: 'off', MONITOR_FLEET: '0' })
  const { body } = await request(`${service.controlUrl}/control/busy`, {
    method: 'POST',
    body: '{"seconds": 100}',
  })
  const { pids } = (await body.json()) as { pids: number[] }
  expect(pids.filter(isAlive)).toHaveLength(cpus().length)
  await service.kill()
  await eventually('the load to end', async () => (pids.some(isAlive) ? undefined : true))
})

test('this machine cannot be part of a scenario: its metrics are not made up', async () => {
  const town = await openTown({ sample: true, fleet: true })
  expect(() => town.service.startScenario('cpu-spike', { server: hostname() })).toThrow(
    'server: expected a simulated server; came this machine, which is measured',
  )
})

test('a deleted machine stays away, until the service starts again', async () => {
  const town = await openTown({ sample: true, nowMs: Date.now, triggers: [{ ...always, durationMs: 0 }] })
  await town.service.tick()
  expect(await alertsOf(town, '?lifecycle=start')).toHaveLength(1)
  expect((await town.api(`/servers/${encodeURIComponent(hostname())}`, { method: 'DELETE' })).status).toBe(
    200,
  )
  await town.service.tick()
  await expect(serverOf(town, hostname())).rejects.toThrow()
  expect(await alertsOf(town, '?lifecycle=start')).toEqual([])
})

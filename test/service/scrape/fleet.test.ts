/** A scraped fleet behind the API: servers, values, silence, and exporters that misbehave. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { TriggerRule } from '../../../src/service/alerts/triggers.ts'
import { goneMs } from '../../../src/service/alerts/watch.ts'
import type { FleetConfig } from '../../../src/service/config/read-config.ts'
import { openTown, type Town } from '../open-service.ts'
import { alertsOf, metricsOf, rolesOf, stateOf } from '../records.ts'
import { configOf, exporter, exporterOf, listener, targetOf, textType } from './exporters.ts'

const nothingHere = 'http://127.0.0.1:1/metrics'

/** A town whose service tells things, which are answered too. */
async function openFleetTown(config: FleetConfig): Promise<Town & { readonly lines: string[] }> {
  const lines: string[] = []
  const town = await openTown({ config, report: (line) => lines.push(line) })
  return { ...town, lines }
}

/** Lets time pass with a scrape and an evaluation every 15 seconds. */
async function pass(town: Town, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 15) {
    town.clock.pass(15_000)
    await town.service.tick()
  }
}

async function scrapeOf(town: Town, hostname: string): Promise<{ failure: string | null } | undefined> {
  const { servers } = (await town.ask('/control/state')).body as {
    servers: { hostname: string; scrape?: { failure: string | null } }[]
  }
  return servers.find((one) => one.hostname === hostname)?.scrape
}

const openOn = async (town: Town): Promise<string[]> =>
  (await alertsOf(town, '?lifecycle=start')).map((one) => `${one.server_hostname} ${one.metric_name}`)

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

describe('a bad exporter costs only its own server, and says why once', () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 'node_load1 1\n'))
  const bad: [string, () => Promise<string>, string][] = [
    [
      'a page of HTML',
      () => exporterOf(() => '<html>node_load1 9</html>', 'text/html'),
      'it answered with something else than metrics (by its content type)',
    ],
    [
      'HTML that says it is text',
      () => exporterOf(() => '<html>\nnode_load1 9\n</html>\n'),
      'its answer cannot be read: line 1 is no line of an exposition',
    ],
    ['one that is not there', () => Promise.resolve(nothingHere), 'it refused the connection'],
    ['one that hangs', () => exporter(() => {}), 'it did not answer within 1s'],
    [
      'one that drips',
      () =>
        exporter((_, response) => {
          response.setHeader('content-type', textType)
          const timer = setInterval(() => response.write('# more\n'), 20)
          response.on('close', () => clearInterval(timer))
        }),
      'it did not answer within 1s',
    ],
    ['one that resets', () => listener((socket) => socket.resetAndDestroy()), 'it closed the connection'],
    [
      'one that is no HTTP server',
      () => listener((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')),
      'it does not speak HTTP',
    ],
    [
      'half an answer',
      () =>
        listener((socket) => {
          socket.once('data', () =>
            socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nnode_load1 9\n'),
          )
        }),
      'it closed the connection',
    ],
    [
      'half an answer without a length',
      () =>
        listener((socket) => {
          socket.once('data', () =>
            socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nnode_load1 9\nnode_loa'),
          )
        }),
      'its answer cannot be read: the answer ends in the middle of a line',
    ],
    [
      'an error',
      () => exporter((_, response) => response.writeHead(500).end('node_load1 9\n')),
      'it answered 500',
    ],
    [
      'a redirect',
      () => exporter((_, response) => response.writeHead(302, { location: nothingHere }).end()),
      'it answered 302, and redirects are not followed',
    ],
    [
      'a gigabyte',
      () =>
        exporter((_, response) => {
          response.setHeader('content-type', textType)
          const block = 'node_load1 9\n'.repeat(10_000)
          const more = (): void => {
            while (response.write(block) && !response.destroyed);
          }
          response.on('drain', more)
          more()
        }),
      'its answer is longer than 10 MiB',
    ],
    [
      'a gzip bomb',
      () =>
        exporter((_, response) => {
          response.writeHead(200, { 'content-type': textType, 'content-encoding': 'gzip' }).end(bomb)
        }),
      'its answer is longer than 10 MiB',
    ],
    [
      'half of a packed answer',
      () =>
        exporter((_, response) => {
          const half = gzipSync('node_load1 9\n').subarray(0, 20)
          response.writeHead(200, { 'content-type': textType, 'content-encoding': 'gzip' }).end(half)
        }),
      'it sent a part of its answer only',
    ],
  ]
  test.each(bad)('%s', async (_, start, reason) => {
    const url = await start()
    const good = await exporterOf(() => 'node_load1 1.5\n')
    const secret = targetOf('bad', url, { authorization: 'Basic c2VjcmV0' })
    // Ten mebibytes may take a busy machine more than a second.
    const timeoutMs = reason.includes('10 MiB') ? 15_000 : 1_000
    const town = await openFleetTown(configOf([secret, targetOf('good', good)], { timeoutMs }))
    await pass(town, 30)
    expect(await scrapeOf(town, 'bad')).toMatchObject({ failure: reason })
    expect(await scrapeOf(town, 'good')).toMatchObject({ failure: null })
    expect(town.lines).toEqual([
      `cannot read the exporter of "bad" (${new URL(url).origin}): ${reason}; its values are not known until it can be read`,
    ])
    await pass(town, 60)
    expect(await openOn(town)).toEqual(['bad seconds_since_report'])
    expect(JSON.stringify([town.lines, await stateOf(town)])).not.toContain('c2VjcmV0')
  })
})

test('packed answers are read, and what is asked for is said', async () => {
  const asked: unknown[] = []
  const url = await exporter((request, response) => {
    asked.push([request.headers['accept-encoding'], request.headers.accept, request.headers.authorization])
    response.writeHead(200, { 'content-type': textType, 'content-encoding': 'gzip' })
    response.end(gzipSync('node_load1 9\n'))
  })
  const town = await openFleetTown(configOf([targetOf('web-1', url, { authorization: 'Basic dTpw' })]))
  await pass(town, 15)
  expect(asked).toEqual([
    ['gzip', expect.stringMatching(/^application\/openmetrics-text;version=1\.0\.0/), 'Basic dTpw'],
  ])
  expect(await scrapeOf(town, 'web-1')).toMatchObject({ failure: null })
})

test('the same exporter is never asked twice at once', async () => {
  let now = 0
  let most = 0
  const url = await exporter((_, response) => {
    now += 1
    most = Math.max(most, now)
    setImmediate(() => {
      now -= 1
      response.setHeader('content-type', textType).end('node_load1 1\n')
    })
  })
  const town = await openFleetTown(configOf([targetOf('web-1', url)]))
  await Promise.all([town.service.tick(), town.service.tick(), town.service.tick()])
  expect(most).toBe(1)
})

test('ten mebibytes of one exporter do not hold the process', async () => {
  const block = 'other_series{label="value"} 1\n'.repeat(1_000)
  const url = await exporter((_, response) => {
    response.setHeader('content-type', textType)
    let left = 345
    const more = (): void => {
      while (left > 0) {
        left -= 1
        if (!response.write(block)) return
      }
      response.end()
    }
    response.on('drain', more)
    more()
  })
  const town = await openFleetTown(configOf([targetOf('web-1', url)], { timeoutMs: 15_000 }))
  // By the time that this thread worked: what others do on the machine is not to be seen.
  const cpuMs = (): number => process.threadCpuUsage().user / 1_000
  let longestMs = 0
  let lastMs = cpuMs()
  let isOver = false
  const look = (): void => {
    longestMs = Math.max(longestMs, cpuMs() - lastMs)
    lastMs = cpuMs()
    if (!isOver) setImmediate(look)
  }
  look()
  await pass(town, 15)
  isOver = true
  expect(await scrapeOf(town, 'web-1')).toMatchObject({ failure: null })
  expect(longestMs).toBeLessThan(100)
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

/** Exporters that misbehave in every way: each costs only its own server, and nobody waits for it. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { turnsOf } from '../../support/cpu-time.ts'
import { stateOf } from '../records.ts'
import {
  configOf,
  exporter,
  exporterOf,
  listener,
  nothingHere,
  openFleetTown,
  openOn,
  pass,
  scrapeOf,
  targetOf,
  textType,
} from './exporters.ts'

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
    // A busy machine may take more than a second for any answer.
    const timeoutMs = reason.includes('within 1s') ? 1_000 : 15_000
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
  const { tookMs, longestMs } = await turnsOf(() => pass(town, 15))
  expect(await scrapeOf(town, 'web-1')).toMatchObject({ failure: null })
  expect(longestMs).toBeLessThan(Math.max(250, tookMs / 4))
})

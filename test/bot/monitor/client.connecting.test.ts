/** A client begins with an address and a key that can be used, keeps its connections, and ends when it is closed. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Clock } from '../../../src/bot/flow/ports/ports.ts'
import { connectMonitor } from '../../../src/bot/monitor/client.ts'
import { exchange } from '../../../src/bot/monitor/exchange.ts'
import { canaryKey, connect, handClock, openApi, sendJson } from './local-api.ts'

const root = `/api/v2/${canaryKey}`

describe('connecting', () => {
  test.each(['', '/', '/monitoring', '/monitoring//'])(
    'takes a base address that ends in "%s"',
    async (ending) => {
      const api = await openApi((_request, response) => sendJson(response, 200, { results: [] }))
      await connect(api.url + ending).triggers()
      const prefix = ending.startsWith('/monitoring') ? '/monitoring' : ''
      expect(api.received[0]?.target).toBe(`${prefix}${root}/triggers.json`)
    },
  )

  test('keeps connections between reads', async () => {
    const ports = new Set<unknown>()
    const api = await openApi((_request, response) => {
      ports.add(response.req.socket.remotePort)
      sendJson(response, 200, { results: [] })
    })
    const monitor = connect(api.url)
    for (let n = 0; n < 20; n += 1) await monitor.triggers()
    expect(api.received).toHaveLength(20)
    // The next read may start before the last connection counts as idle: two or three, never one each.
    expect(ports.size).toBeLessThan(5)
  })

  test('lets an answer go once it is read, not at the end of its time', async () => {
    const api = await openApi((_request, response) => sendJson(response, 200, { results: [] }))
    const dispatcher = new Agent()
    onTestFinished(() => dispatcher.close())
    const ask = { origin: api.url, path: '/', method: 'GET', form: null } as const
    const limits = { attemptMs: 3_600_000, bodyBytesMax: 1_000 }
    const read = async () => new WeakRef(await exchange(dispatcher, ask, limits))
    const answers = [await read(), await read(), await read()]
    // What a job holds is let go when the next one begins.
    await setImmediate()
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    expect(answers.map((answer) => answer.deref())).toEqual([undefined, undefined, undefined])
  })

  const settings = { clock: handClock(), random: () => 0 }
  test.each([
    'ftp://example.test',
    'not an address',
    'http://user:secret@example.test',
    'http://example.test/?q=1',
  ])('refuses %s, and does not repeat it', (baseUrl) => {
    const attempt = () => connectMonitor({ ...settings, baseUrl, apiKey: { reveal: () => canaryKey } })
    expect(attempt).toThrow(OutsideFailure)
    expect(attempt).toThrow(/^the monitoring API's address: expected (?!.*(example|secret|not an address))/)
  })

  test.each(['', '.', '..', 'a key', 'k\u00e9y'])(
    'refuses the key "%s", which no path can hold as it is',
    (key) => {
      const attempt = () =>
        connectMonitor({ ...settings, baseUrl: 'http://127.0.0.1:9', apiKey: { reveal: () => key } })
      expect(attempt).toThrow(/^the API key/)
    },
  )

  test('encodes a key with a slash as one segment', async () => {
    const api = await openApi((_request, response) => sendJson(response, 200, { results: [] }))
    await connect(api.url, { apiKey: { reveal: () => '../a?b#c' } }).triggers()
    expect(api.received[0]?.target).toBe('/api/v2/..%2Fa%3Fb%23c/triggers.json')
  })

  test('closing breaks off what is under way', async () => {
    const api = await openApi(() => undefined)
    const monitor = connect(api.url)
    const pending = monitor.triggers()
    const outcome = expect(pending).rejects.toMatchObject({ kind: 'unreachable' })
    await expect.poll(() => api.received.length).toBe(1)
    await monitor.close()
    await outcome
    expect(api.received).toHaveLength(1)
  })

  test('stopping reads breaks them off and leaves a change that is under way its answer', async () => {
    let answer = () => undefined as unknown
    const api = await openApi(({ method }, response) => {
      if (method === 'POST') answer = () => sendJson(response, 200, { message: 'noted' })
    })
    const monitor = connect(api.url)
    const changed = monitor.addMarker('deploy')
    const outcome = expect(monitor.triggers()).rejects.toThrow(/^monbot stops/)
    await expect.poll(() => api.received.length).toBe(2)
    await monitor.stopReads()
    await outcome
    await expect(monitor.roles()).rejects.toThrow(/^monbot stops/)
    answer()
    expect(await changed).toBe('noted')
    expect(api.received).toHaveLength(2)
  })

  test('closing ends the wait before a repetition, and nothing is repeated', async () => {
    const api = await openApi((_request, response) => sendJson(response, 503, { message: 'busy' }))
    let waiting = false
    const clock: Clock = {
      nowMs: () => 0,
      wait: (_ms, signal) =>
        new Promise((resolve) => {
          waiting = true
          signal?.addEventListener('abort', () => resolve(), { once: true })
        }),
    }
    const monitor = connect(api.url, { clock })
    const outcome = expect(monitor.triggers()).rejects.toMatchObject({ status: 503 })
    await expect.poll(() => waiting).toBe(true)
    await monitor.close()
    await outcome
    expect(api.received).toHaveLength(1)
  })
})

/** What the page may ask of the town: a fixed list of the monitoring service's paths, on this machine, and a log without secrets. */
import { execFile } from 'node:child_process'
import { createServer, type RequestListener, request, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openService, type Service } from '../../src/service/service.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'
import { patienceMs } from '../support/patience.ts'

const key = 'canary-api-key-0123456789'
const botToken = 'xoxb-canary-bot-0123456789'
const appToken = 'xapp-1-canary-app-0123456789'
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(townUrl?: string): Promise<Workspace> {
  const workspace = await openWorkspace({
    botToken,
    appToken,
    limits: 'off',
    ...(townUrl === undefined ? {} : { townUrl }),
  })
  closing.push(() => workspace.close())
  return workspace
}

async function openMonitor(): Promise<Service> {
  const service = await openService({ key, sample: false, fleet: 12, sampleMs: null, controlPort: 0 })
  closing.push(() => service.close())
  return service
}

/** A service that answers as a test says. */
async function openOther(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

type Answer = { status: number; text: string; body: Record<string, unknown> }

async function send(workspace: Workspace, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(new URL(path, workspace.url), init)
  const text = await answer.text()
  return { status: answer.status, text, body: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) }
}

const post = (workspace: Workspace, path: string, body: object): Promise<Answer> =>
  send(workspace, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('with a monitoring service', () => {
  let service: Service
  let workspace: Workspace
  beforeEach(async () => {
    service = await openMonitor()
    workspace = await open(service.controlUrl ?? '')
  })

  test('its state, scenarios and series are passed on, and hold no key', async () => {
    expect((await send(workspace, 'town')).body).toEqual({ ok: true, attached: true })
    const state = await send(workspace, 'town/state')
    expect(state.status).toBe(200)
    expect(state.body).toMatchObject({ account: { notifications: true }, keys: 1 })
    expect(state.text).not.toContain(key)
    expect((await send(workspace, 'town/scenarios')).body).toHaveProperty('scenarios.storm')
    const series = await send(
      workspace,
      'town/series?server=db-1&type=disk&source=/&metric=disk_used_percent',
    )
    expect(series.body).toMatchObject({ server: 'db-1', label: 'Disk / · Disk used' })
  })

  test('a scenario starts, a fault begins and ends', async () => {
    const run = await post(workspace, 'town/scenarios/storm', { count: 200 })
    expect(run.body).toMatchObject({ scenario: 'storm' })
    expect((await send(workspace, 'town/state')).body).toHaveProperty('open_alerts.length', 200)

    await post(workspace, 'town/faults', { times: 10_000, seconds: 30, status: 503 })
    expect((await send(workspace, 'town/faults')).body).toMatchObject({ faults: [{ status: 503 }] })
    expect((await fetch(`${service.url}/api/v2/${key}/alerts.json`)).status).toBe(503)
    await send(workspace, 'town/faults', { method: 'DELETE' })
    expect((await fetch(`${service.url}/api/v2/${key}/alerts.json`)).status).toBe(200)
  })

  test('what it refuses is refused in its words', async () => {
    const unknown = await post(workspace, 'town/scenarios/earthquake', {})
    expect(unknown.status).toBe(404)
    expect(unknown.body.detail).toContain('no such scenario; expected one of cpu-spike')
    const wrong = await post(workspace, 'town/busy', { seconds: 9_999 })
    expect([wrong.status, wrong.body.error]).toEqual([422, 'refused'])
    expect((await send(workspace, 'town/series?seconds=soon')).status).toBe(422)
  })

  test.each([
    ['GET', 'town/keys'],
    ['POST', 'town/keys'],
    ['DELETE', 'town/keys/0'],
    ['POST', 'town/tick'],
    ['GET', 'town/requests'],
    ['POST', 'town/scenarios/%2e%2e%2fkeys'],
    ['POST', 'town/scenarios/..%2fkeys'],
    ['POST', 'town/alerts/1/close'],
    ['PUT', 'town/faults'],
    ['GET', 'town/state/more'],
  ])('%s %s is no path of the town', async (method, path) => {
    const init = { method, headers: { 'content-type': 'application/json' } }
    const { status, body } = await send(workspace, path, method === 'GET' ? {} : { ...init, body: '{}' })
    expect([status, body.error]).toEqual([404, 'unknown_path'])
    expect(service.keys).toEqual([key])
  })

  test('a service that stopped is told in words', async () => {
    await service.close()
    const { status, body } = await send(workspace, 'town/state')
    expect(status).toBe(502)
    expect(body).toEqual({
      ok: false,
      error: 'service_down',
      detail: 'The monitoring service does not answer as it should: nothing listens at its address.',
    })
  })

  test('strangers, forms and large bodies do not get through', async () => {
    const form = await send(workspace, 'town/busy', {
      method: 'POST',
      body: new URLSearchParams('seconds=1'),
    })
    expect([form.status, form.body.error]).toEqual([415, 'not_json'])
    const large = await post(workspace, 'town/faults', { path: 'x'.repeat(20_000) })
    expect([large.status, large.body.error]).toEqual([413, 'too_large'])
    for (const path of ['/town', '/town/state', '/town/log']) {
      const status = await new Promise((resolve, reject) => {
        const asked = request(
          new URL(path, workspace.url),
          { headers: { host: 'evil.example' } },
          (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          },
        )
        asked.on('error', reject).end()
      })
      expect(status, path).toBe(403)
    }
  })
})

test('without a monitoring service the town says how to attach one', async () => {
  const workspace = await open()
  expect((await send(workspace, 'town')).body).toEqual({ ok: true, attached: false })
  const { status, body } = await send(workspace, 'town/state')
  expect([status, body.error]).toEqual([404, 'no_town'])
  expect(body.detail).toContain('MONITOR_CONTROL_URL')
  expect((await send(workspace, 'town/log')).status).toBe(200)
})

test.each([
  [
    'a page of HTML',
    (_: unknown, answer: Parameters<RequestListener>[1]) => answer.end('<h1>hello</h1>'),
    'no JSON',
  ],
  [
    'a way to another place',
    (_: unknown, answer: Parameters<RequestListener>[1]) =>
      answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'it answered 302',
  ],
  [
    'more than anybody reads',
    (_: unknown, answer: Parameters<RequestListener>[1]) => answer.end(`"${'x'.repeat(5_000_001)}"`),
    'more than 5000000 bytes',
  ],
  [
    'an error of its own',
    (_: unknown, answer: Parameters<RequestListener>[1]) =>
      answer.writeHead(500).end('{"message":"a bad day"}'),
    'it answered 500: a bad day',
  ],
  [
    'nothing but the end',
    (asked: Parameters<RequestListener>[0]) => asked.socket.destroy(),
    'the connection failed',
  ],
] satisfies [string, RequestListener, string][])(
  'a neighbour that answers %s counts as down',
  async (_, listener, words) => {
    const workspace = await open(await openOther(listener))
    const { status, body } = await send(workspace, 'town/state')
    expect([status, body.error]).toEqual([502, 'service_down'])
    expect(body.detail).toContain(words)
  },
)

test.each([
  'http://example.com:9090',
  'http://127.0.0.1.example.com:9090',
  'https://127.0.0.1:9090',
  'http://0.0.0.0:9090',
  'http://192.168.0.1:9090',
  `http://127.0.0.1:9090/api/v2/${key}`,
  `http://user:${key}@127.0.0.1:9090`,
  'file:///etc/passwd',
  '9090',
])('the workspace does not open with %s as its town, and does not repeat a key', async (townUrl) => {
  const opened = openWorkspace({ townUrl })
  await expect(opened).rejects.toThrow(/expected http:\/\/127\.0\.0\.1:PORT/)
  await expect(opened).rejects.not.toThrow(new RegExp(key))
})

test('started with such a town, the workspace ends with the name of the setting', async () => {
  const main = new URL('../../src/workspace/main.ts', import.meta.url).pathname
  const env = { PATH: process.env.PATH, PORT: '0', MONITOR_CONTROL_URL: `http://example.com/${key}` }
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; said: string }>()
  execFile(process.execPath, [main], { env, timeout: patienceMs }, (error, stdout, stderr) =>
    resolve({ code: error?.code, said: stdout + stderr }),
  )
  const { code, said } = await promise
  expect(code).toBe(78)
  expect(said).toMatch(/^MONITOR_CONTROL_URL: .*expected http:\/\/127\.0\.0\.1:PORT.*\n$/)
  expect(said).not.toContain(key)
})

describe('the log', () => {
  test('tells calls, interactions and faults in order, from where the reader left off', async () => {
    const workspace = await open()
    await fetch(`${workspace.apiUrl}auth.test`, { headers: { authorization: `Bearer ${botToken}` } })
    await workspace.acts.say({ user: 'ana', channel: '#alerts', text: 'no row of this' })
    await workspace.acts.fault({ method: 'chat.update', effect: { kind: 'reset' } })
    const first = await send(workspace, 'town/log')
    expect(first.body.rows).toMatchObject([
      { event: { type: 'api_call', method: 'auth.test', outcome: 'ok' } },
      { event: { type: 'fault_set', fault: 'chat.update: reset' } },
    ])
    await workspace.acts.clearFaults({})
    const second = await send(workspace, `town/log?since=${String(first.body.newest)}`)
    expect(second.body.rows).toMatchObject([{ event: { type: 'fault_cleared' } }])
    expect(second.body.epoch).toBe(first.body.epoch)
    expect((await send(workspace, 'town/log?since=soon')).status).toBe(400)
  })

  test('holds at most 500 rows', async () => {
    const workspace = await open()
    for (let at = 0; at < 620; at += 1) workspace.events.emit({ type: 'fault_used', fault: `fault ${at}` })
    const { rows } = (await send(workspace, 'town/log')).body
    expect(rows).toHaveLength(500)
    expect(rows).toMatchObject({ 0: { event: { fault: 'fault 120' } } })
  })

  test('no token gets into it, wherever a caller puts one', async () => {
    const workspace = await open()
    const other = 'xoxp-canary-stranger-0123456789'
    const headers = { authorization: `Bearer ${botToken}` }
    const call = async (path: string, body: Record<string, string>): Promise<void> => {
      const answer = await fetch(`${workspace.apiUrl}${path}`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(body),
      })
      await answer.body?.cancel()
    }
    await call(`chat.postMessage?token=${botToken}`, { channel: 'alerts', text: 'x' })
    await call('chat.postMessage', { channel: other, text: botToken })
    await call(`${botToken}`, {})
    await call(`x.${appToken}`, { channel: `#${botToken}` })
    await workspace.acts.fault({ method: other, effect: { kind: 'error', error: botToken } })
    const { text, body } = await send(workspace, 'town/log')
    expect(body.rows).toMatchObject({ length: 5 })
    expect(text).not.toContain('canary')
    expect(text).toContain('[secret]')
  })
})

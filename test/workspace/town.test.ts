/** What the page may ask of the demo's town: a fixed list of the monitoring service's paths, on this machine; and the incident. */
import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openService, type Service } from '../../src/service/service.ts'
import { patienceMs } from '../support/patience.ts'
import { openWorkspace, type Workspace } from '../support/slack.ts'
import { type Fields, fieldsOf } from './neighbour.ts'

const key = 'canary-api-key-0123456789'
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(townUrl: string): Promise<Workspace> {
  const workspace = await openWorkspace({ limits: 'off', townUrl })
  closing.push(() => workspace.close())
  return workspace
}

async function send(
  workspace: Workspace,
  path: string,
  body?: object,
): Promise<{ status: number; body: Fields }> {
  const headers = { 'content-type': 'application/json' }
  const asked = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(new URL(path, workspace.url), asked)
  const text = await answer.text()
  expect(text).not.toContain('canary')
  return { status: answer.status, body: text.startsWith('{') ? fieldsOf(JSON.parse(text)) : {} }
}

describe('with a monitoring service', () => {
  let service: Service
  let workspace: Workspace
  const listed = () => fetch(`${service.url}/api/v2/${key}/alerts.json`)
  beforeEach(async () => {
    service = await openService({ key, sample: false, fleet: 60, sampleMs: null, controlPort: 0 })
    closing.push(() => service.close())
    workspace = await open(service.controlUrl ?? '')
  })

  test('trouble begins, is told with its end, and stopping ends all of it', async () => {
    await send(workspace, 'town/scenarios/storm', { count: 40, seconds: 240 })
    await send(workspace, 'town/faults', { times: 10_000, seconds: 30, status: 503 })
    await send(workspace, 'town/hold', { seconds: 30 })
    await send(workspace, 'town/play', { minutes: 5 })
    expect((await send(workspace, 'town/state')).body).toMatchObject({
      town: { open_alerts: { length: 40 }, running: { scenarios: [{ scenario: 'storm' }] } },
      faults: [{ status: 503, ends_at_ms: expect.any(Number) }],
      postsHeldUntilMs: expect.any(Number),
    })
    const incident = async () => (await send(workspace, 'control/state')).body.incident
    expect(await incident()).toMatchObject({ words: 'The incident begins', isOver: false })
    expect((await listed()).status).toBe(503)
    await send(workspace, 'town/stop', {})
    expect((await listed()).status).toBe(200)
    expect((await send(workspace, 'town/state')).body).toMatchObject({
      town: { running: { scenarios: [], busy_until_ms: null } },
      faults: [],
      postsHeldUntilMs: null,
    })
    expect(await incident()).toMatchObject({ words: 'The incident was stopped', isOver: true })
  })

  test('what it refuses is refused in its words', async () => {
    const unknown = await send(workspace, 'town/scenarios/earthquake', {})
    expect(unknown).toMatchObject({ status: 502, body: { error: 'service' } })
    expect(unknown.body.detail).toContain('no such scenario; expected one of cpu-spike')
  })

  test.each([
    'keys',
    'tick',
    'requests',
    'scenarios/%2e%2e%2fkeys',
    'scenarios/..%2fkeys',
    'alerts/1/close',
    'state/more',
  ])('%s is no path of the town', async (path) => {
    expect((await send(workspace, `town/${path}`)).status).toBe(404)
    expect((await send(workspace, `town/${path}`, {})).status).toBe(404)
    expect(service.keys.list()).toHaveLength(1)
  })

  test('a service that stopped, and a body that is too large, are told', async () => {
    expect((await send(workspace, 'town/faults', { path: 'x'.repeat(20_000) })).status).toBe(413)
    await service.close()
    const { status, body } = await send(workspace, 'town/state')
    expect([status, body.detail]).toEqual([502, 'The monitoring service does not answer.'])
  })
})

const refusing =
  (status: number, text: string): RequestListener =>
  (_asked, answer) =>
    answer.writeHead(status).end(text)
test.each<[string, RequestListener]>([
  ['a page of HTML', refusing(200, '<h1>hello</h1>')],
  ['a way to another place', (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['nothing but the end', (asked) => asked.socket.destroy()],
])('a neighbour that answers %s counts as down', async (_, listener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((closed) => server.close(closed)))
  const address = server.address()
  const workspace = await open(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  expect(await send(workspace, 'town/state')).toMatchObject({ status: 502, body: { error: 'service' } })
})

test.each([
  'http://example.com:9090',
  'http://127.0.0.1.example.com:9090',
  'https://127.0.0.1:9090',
  'http://0.0.0.0:9090',
  `http://127.0.0.1:9090/api/v2/${key}`,
  `http://user:${key}@127.0.0.1:9090`,
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

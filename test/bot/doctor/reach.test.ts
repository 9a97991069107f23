/** Behind a proxy: an answer that the proxy may have given itself says nothing about the host. */
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { heartbeatFinding } from '../../../src/bot/doctor/machine.ts'
import { pagerFinding } from '../../../src/bot/doctor/pager.ts'
import { goOut, type ProxySettings } from '../../../src/shared/outward.ts'
import { pagerSecret } from '../../support/pagers.ts'

const paging = {
  steps: [{ afterMs: 0, mention: null, channel: null, page: true }],
  flapSettleMs: null,
  staleAckAfterMs: null,
} as const

/** All that leaves goes to a proxy unless `settings` say else; it answers with this status. Returns what it was asked. */
async function behindProxy(status: number, settings: (proxy: Secret) => Partial<ProxySettings> = () => ({})) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status).end()
  })
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const http = new Secret(`http://127.0.0.1:${Object(server.address()).port}`)
  goOut({ proxy: { http, https: null, direct: '', ...settings(http) }, authorities: null })
  return asked
}

test.each([
  [200, 'ok', /can be reached/],
  [402, 'ok', /can be reached/],
  [403, 'skipped', /not known.*HTTP 403/],
  [404, 'ok', /can be reached/],
  [407, 'failed', /PROXY_407/],
  [499, 'ok', /can be reached/],
  [500, 'skipped', /not known.*HTTP 500/],
  [503, 'skipped', /not known.*HTTP 503/],
  [599, 'skipped', /not known.*HTTP 599/],
])('of an http:// address that a proxy answers with %i, the finding is %s', async (status, state, said) => {
  const asked = await behindProxy(status)
  const heartbeat = await heartbeatFinding(new Secret('http://host.test/hunter2'))
  const webhook = {
    kind: 'webhook',
    url: new Secret('http://host.test/hunter2'),
    secret: new Secret(pagerSecret),
  } as const
  const pager = await pagerFinding(webhook, paging)
  for (const found of [heartbeat, pager])
    expect(found).toMatchObject({ state, said: expect.stringMatching(said) })
  expect(asked).toEqual(['HEAD http://host.test/', 'HEAD http://host.test/'])
})

test.each([403, 503])('a proxy that refuses a tunnel with %i does not reach the host', async (status) => {
  const asked = await behindProxy(status)
  const found = await heartbeatFinding(new Secret('https://host.test/hunter2'))
  expect(found).toMatchObject({ state: 'failed', said: expect.stringContaining(`PROXY_${status}`) })
  expect(asked).toEqual(['CONNECT host.test:443'])
})

/** A host at this address that answers 403 and says nothing else. */
async function forbidding(host: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(403).end())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return `http://${host}:${Object(server.address()).port}`
}

const httpsAlone = (proxy: Secret) => ({ http: null, https: proxy })

test.each<[string, string, (proxy: Secret) => Partial<ProxySettings>]>([
  ['this machine', '127.0.0.1', () => ({})],
  ['this machine, with a proxy of each kind', '127.0.0.1', (proxy) => ({ https: proxy })],
  ['a host, with HTTPS_PROXY alone', '127.0.0.2', httpsAlone],
  ['a host of NO_PROXY', '127.0.0.2', () => ({ direct: 'host.test, 127.0.0.2' })],
  ['any host, with NO_PROXY=*', '127.0.0.2', () => ({ direct: '*' })],
])('%s goes through no proxy, so it can be reached, whatever it answers', async (_, host, settings) => {
  const asked = await behindProxy(502, settings)
  const found = await heartbeatFinding(new Secret(`${await forbidding(host)}/hunter2`))
  expect(found).toMatchObject({ state: 'ok', said: expect.stringMatching(/can be reached/) })
  expect(asked).toEqual([])
})

test.each<[string, string, (proxy: Secret) => Partial<ProxySettings>]>([
  ['https://host.test/', 'CONNECT host.test:443', httpsAlone],
  ['http://host.test:81/', 'HEAD http://host.test:81/', () => ({ direct: 'host.test:82,other.test' })],
  ['http://127.0.0.2/', 'HEAD http://127.0.0.2/', () => ({ direct: '127.0.0.0/8' })],
])('%s goes through the proxy: what it answers is not of the host', async (address, sent, settings) => {
  const asked = await behindProxy(502, settings)
  expect(await heartbeatFinding(new Secret(address))).not.toMatchObject({ state: 'ok' })
  expect(asked).toEqual([sent])
})

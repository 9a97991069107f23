/** Behind a proxy: an answer that the proxy may have given itself says nothing about the host. */
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { heartbeatFinding } from '../../../src/bot/doctor/machine.ts'
import { pagerFinding } from '../../../src/bot/doctor/pager.ts'
import { goOut } from '../../../src/shared/outward.ts'
import { pagerSecret } from '../../support/pagers.ts'

const paging = {
  steps: [{ afterMs: 0, mention: null, channel: null, page: true }],
  flapSettleMs: null,
  staleAckAfterMs: null,
} as const

/** All that leaves goes to a proxy, which answers with this status; answers what it was asked. */
async function behindProxy(status: number) {
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
  goOut({ proxy: { http, https: null, direct: '' }, authorities: null })
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

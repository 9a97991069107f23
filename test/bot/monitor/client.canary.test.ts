/** The API's key and address never leave the client: every failure that can be forced is searched for them. */
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { canaryKey, closedPort, connect, openApi, openSockets, sendJson } from './local-api.ts'

const limits = { attemptMs: 150, retriesMax: 1, bodyBytesMax: 10_000 }

const calls: [string, (monitor: Monitor) => Promise<unknown>][] = [
  ['alerts', (it) => it.alerts({ lifecycle: 'all', offset: 0 })],
  ['triggers', (it) => it.triggers()],
  ['roles', (it) => it.roles()],
  ['metrics', (it) => it.metrics({ metric: 'a', type: 'cpu' })],
  ['setServerNotifications', (it) => it.setServerNotifications('web-1', true)],
  ['setAccountNotifications', (it) => it.setAccountNotifications(true)],
  ['setNoDataGroup', (it) => it.setNoDataGroup('web-1', 'ops')],
  ['addRoles', (it) => it.addRoles('web-1', ['db'])],
  ['silences', (it) => it.silences()],
  ['endMute', (it) => it.endMute('s1')],
  ['addMarker', (it) => it.addMarker('deploy')],
  ['deleteServer', (it) => it.deleteServer('web-1')],
  ['deleteCustomMetrics', (it) => it.deleteCustomMetrics(['a'])],
  ['a refused hostname', (it) => it.deleteServer('..')],
  ['a role with the key', (it) => it.addRoles('web-1', [`${canaryKey},b`])],
]

const statuses = [301, 400, 401, 403, 404, 418, 422, 429, 500, 502, 503]
const bodies = (url: string): string[] => {
  const split = `${canaryKey.slice(0, 5)}\u200b${canaryKey.slice(5, 8)}\u0000${canaryKey.slice(8)}`
  const said = `GET ${url}/api/v2/${canaryKey}/x, ${canaryKey.toLowerCase()}, ${encodeURIComponent(canaryKey)}, ${split}`
  return [
    JSON.stringify({ message: said }),
    `<html>${said}</html>`,
    said,
    JSON.stringify({ message: `${' x'.repeat(145)} ${said}` }),
  ]
}

test('no failure holds the key or the address', async () => {
  const found: string[] = []
  let failures = 0
  const force = async (what: string, baseUrl: string): Promise<void> => {
    const monitor = connect(baseUrl, { limits })
    for (const [name, call] of calls) {
      const failure: unknown = await call(monitor).then(
        () => null,
        (error: unknown) => error,
      )
      if (failure === null) continue
      failures += 1
      const where = `${name} (${what})`
      if (!(failure instanceof OutsideFailure)) found.push(`${where}: not an OutsideFailure`)
      for (const text of everythingOf(failure)) {
        // Whoever reads it does not see what stands invisibly between the letters.
        const shown = text.replace(/\p{Cf}|[^\P{Cc}\n]/gu, '')
        if (shown.toLowerCase().includes(canaryKey.toLowerCase())) found.push(`${where}: the key`)
        if (shown.includes(new URL(baseUrl).host)) found.push(`${where}: the address`)
      }
    }
  }

  for (const status of statuses) {
    for (const which of [0, 1, 2, 3]) {
      const api = await openApi((request, response) => {
        const body = bodies(`http://${response.req.headers.host}`)[which]
        response.writeHead(status, { location: request.target, 'retry-after': '0' }).end(body)
      })
      await force(`status ${status}, body ${which}`, api.url)
    }
  }
  const ok = await openApi((request, response) => sendJson(response, 200, { message: request.target }))
  await force('200 without results', ok.url)
  const flood = await openApi((request, response) =>
    response.writeHead(200).end(request.target.repeat(2_000)),
  )
  await force('a long body', flood.url)
  const silent = await openApi(() => undefined)
  await force('a time-out', silent.url)
  const reset = await openSockets((socket) => socket.resetAndDestroy())
  await force('a reset', reset.url)
  const garbage = await openSockets((socket) => socket.end(`${canaryKey}\r\n\r\n`))
  await force('no HTTP', garbage.url)
  const cut = await openSockets((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n${canaryKey}`),
  )
  await force('a cut body', cut.url)
  await force('nothing listens', await closedPort())

  expect(found).toEqual([])
  expect(failures).toBeGreaterThan(600)
})

test('a message of success with the key in it is blanked, too', async () => {
  const api = await openApi((request, response) =>
    sendJson(response, 200, { message: `did POST ${request.target}` }),
  )
  expect(await connect(api.url).addMarker('x')).toBe('did POST /api/v2/[hidden]/markers')
})

/** Every way in which a thrown value gets into a log or a message. */
function everythingOf(failure: unknown): string[] {
  return [
    String(failure),
    failure instanceof Error ? `${failure.message}\n${failure.stack}` : '',
    JSON.stringify(failure),
    inspect(failure, { depth: 20, showHidden: true }),
  ]
}

/** The heartbeat's request, as healthchecks and push monitors expect it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../src/config/secret.ts'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { openHeartbeatCall } from '../../src/ops/heartbeat-call.ts'

const asked: string[] = []
let status = 200
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  response.statusCode = status
  response.end('OK')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

afterEach(() => {
  asked.length = 0
  status = 200
})

const table = [
  ['/ping/0000-uuid', 'GET /ping/0000-uuid', 'GET /ping/0000-uuid/fail'],
  ['/ping/0000-uuid/', 'GET /ping/0000-uuid/', 'GET /ping/0000-uuid/fail'],
  ['/ping?create=1', 'GET /ping?create=1', 'GET /ping/fail?create=1'],
  [
    '/api/push/k?status=up&msg=OK',
    'GET /api/push/k?status=up&msg=OK',
    'GET /api/push/k?status=down&msg=the+monitoring+API+cannot+be+read',
  ],
] as const

test.each(table)(
  '%s is asked as it is when all is well, and as failed when it is not',
  async (path, alive, failed) => {
    const heartbeat = openHeartbeatCall(new Secret(`${origin}${path}`))
    await heartbeat.send('alive')
    await heartbeat.send('failed')
    expect(asked).toEqual([alive, failed])
  },
)

test('a refusal and a dead address are failures that do not name the address', async () => {
  status = 404
  const secret = `${origin}/ping/hunter2-uuid`
  const refused = await openHeartbeatCall(new Secret(secret)).send('alive').catch(String)
  expect(refused).toBe("OutsideFailure: the heartbeat's address answered HTTP 404")
  await new Promise((resolve) => server.close(resolve))
  const dead = await openHeartbeatCall(new Secret(secret))
    .send('alive')
    .catch((error: unknown) => error)
  expect(dead).toBeInstanceOf(OutsideFailure)
  expect(String(dead)).toMatch(/could not be reached \(ECONNREFUSED\)/)
  expect(String(dead)).not.toContain('hunter2')
})

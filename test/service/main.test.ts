/** The entry file as a real process: what it prints, how it ends, and how it refuses. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hearHangup } from '../../src/service/before-start.ts'
import { isNodeNewEnough } from '../../src/shared/node-version.ts'
import { compiled } from '../support/compiled.ts'
import { patienceMs } from '../support/patience.ts'
import { startService } from './process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const quiet = { MONITOR_SAMPLE: 'off', MONITOR_FLEET: '0' }

function runOnce(env: Readonly<Record<string, string>>) {
  return spawnSync(process.execPath, ['src/service/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiled, ...quiet, ...env },
    encoding: 'utf8',
    timeout: patienceMs,
  })
}

test('with a key it prints its address and a curl line, and never the key', async () => {
  const { url, printed, stop } = await startService({ ...quiet, MONITOR_API_KEY: 'a-given-key' })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(printed).toContain(`try: curl "${url}/api/v2/$MONITOR_API_KEY/alerts.json"`)
  expect(printed).not.toContain('a-given-key')
  const { statusCode, body } = await request(`${url}/api/v2/a-given-key/alerts.json`)
  expect([statusCode, await body.json()]).toMatchObject([200, { results: [] }])
  expect(await stop()).toBe(0)
})

test('without one it makes a key and says it once', async () => {
  const { url, printed } = await startService(quiet)
  const made = /export MONITOR_API_KEY=(\w+)/.exec(printed)?.[1] ?? ''
  expect(made).toMatch(/^[0-9a-f]{40}$/)
  expect(printed.split(made)).toHaveLength(2)
  const { statusCode, body } = await request(`${url}/api/v2/${made}/roles.json`)
  await body.dump()
  expect(statusCode).toBe(200)
})

test('a hangup ended a service that has no file to read again', async () => {
  const { url, signal, complaints, stop } = await startService({ ...quiet, MONITOR_API_KEY: 'a-key' })
  signal('SIGHUP')
  const said = 'there is no file to read again, as MONITOR_CONFIG names none; all goes on as it is\n'
  await vi.waitFor(() => expect(complaints()).toBe(said), { timeout: patienceMs })
  const { statusCode, body } = await request(`${url}/api/v2/a-key/roles.json`)
  await body.dump()
  expect(statusCode).toBe(200)
  expect(await stop()).toBe(0)
})

test('a port in use is one sentence and exit code 1', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const { status, stderr } = runOnce({ PORT: port, MONITOR_API_KEY: 'k' })
  expect(status).toBe(1)
  expect(stderr).toBe(
    `the monitoring service cannot start: port ${port} is in use; set PORT to another one\n`,
  )
})

test('wrong settings are told all at once, and a key is not repeated', () => {
  const { status, stderr, stdout } = runOnce({
    PORT: 'ninety',
    MONITOR_API_KEY: 'a/secret',
    MONITOR_FORM: 'both',
    MONITOR_FLEET: '1001',
    MONITOR_PUBLIC_URL: 'ftp://x',
  })
  expect([status, stdout]).toEqual([78, ''])
  expect(stderr.split('\n')).toEqual([
    'the monitoring service cannot start:',
    '  PORT: expected a port from 0 to 65535; came "ninety"',
    expect.stringMatching(
      /^ {2}MONITOR_API_KEY: expected 1 to 200 visible ASCII characters.*; came something else$/,
    ),
    '  MONITOR_FORM: expected flip or pair; came "both"',
    '  MONITOR_FLEET: expected 0 to 1000 servers; came "1001"',
    '  MONITOR_PUBLIC_URL: expected an address with http:// or https://; came something else',
    '',
  ])
  expect(stderr).not.toContain('a/secret')
})

test.each([
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['24.0.0', true],
])('Node %s runs it: %s', (version, isGood) => {
  expect(isNodeNewEnough(version)).toBe(isGood)
})

test('a hangup while the service starts ended it', () => {
  onTestFinished(() => void process.removeAllListeners('SIGHUP'))
  const hangup = hearHangup()
  const done: string[] = []
  process.emit('SIGHUP')
  hangup.does(() => done.push('first'))
  expect(done).toEqual(['first'])
  hangup.does(() => done.push('second'))
  process.emit('SIGHUP')
  expect(done).toEqual(['first', 'second'])
})

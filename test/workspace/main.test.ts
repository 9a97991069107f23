/** `npm run workspace` as a process: what it prints, what it keeps to itself, how it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { eventually } from './neighbour.ts'

const entry = fileURLToPath(new URL('../../src/workspace/main.ts', import.meta.url))
const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH ?? '', ...compiled, ...env },
  })
  running.push(child)
  const it = { text: '', child, ended: once(child, 'exit') }
  const collect = (data: unknown): void => {
    it.text += String(data)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return it
}

test('it prints what the bot needs, and works until it is stopped', async () => {
  const it = run({ PORT: '0' })
  const setting = (name: string): Promise<string> =>
    eventually(name, () => new RegExp(`${name}=(\\S+)\\n`).exec(it.text)?.[1])
  const apiUrl = await setting('SLACK_API_URL')
  const token = await setting('SLACK_BOT_TOKEN')
  expect(await setting('SLACK_APP_TOKEN')).toMatch(/^xapp-/)
  expect(await setting('SLACK_CHANNEL')).toBe('C0ALERTS01')
  expect(it.text).toContain('C0RANDOM01  #random (public, the bot is not in)')
  const answer = await fetch(`${apiUrl}auth.test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(await answer.json()).toMatchObject({ ok: true })
  it.child.kill('SIGTERM')
  await it.ended
  await expect(fetch(apiUrl)).rejects.toThrow('fetch failed')
})

test('alone, it takes requests that do not say how long they are', async () => {
  const it = run({ PORT: '0' })
  const api = new URL(await eventually('its address', () => /SLACK_API_URL=(\S+)\n/.exec(it.text)?.[1]))
  /** In chunks, as whoever streams does. */
  const ask = async (method: string, path: string, body?: string) => {
    const asked = request(new URL(path, api), { method, headers: { 'content-type': 'application/json' } })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject)
      if (body !== undefined) asked.write(body)
      asked.end()
    })
    answer.resume()
    return answer.statusCode
  }
  const words = JSON.stringify({ user: 'ana', channel: 'general', text: 'hello' })
  expect(await ask('POST', '/control/say', words)).toBe(200)
  expect(await ask('POST', '/control/home', JSON.stringify({ user: 'ana' }))).toBe(200)
  expect(await ask('POST', '/api/auth.test', '{}')).toBe(200)
  expect(await ask('GET', '/town/state')).toBe(404)
  expect(await ask('POST', '/respond/commands/T0/unknown', '{}')).toBe(404)
})

test('tokens from the environment are not printed', async () => {
  const it = run({ PORT: '0', SLACK_BOT_TOKEN: 'xoxb-canary-1', SLACK_APP_TOKEN: 'xapp-canary-2' })
  await eventually('the settings', () => it.text.includes('SLACK_CHANNEL='))
  expect(it.text).not.toContain('canary')
  expect(it.text).toContain('SLACK_BOT_TOKEN=(the one in the environment)')
})

test.each(['abc', '70000', '-1', '8.5'])('PORT=%s is refused in one sentence', async (port) => {
  const it = run({ PORT: port })
  expect((await it.ended)[0]).toBe(78)
  expect(it.text).toBe(`PORT: expected a whole number from 0 to 65535, got "${port}".\n`)
})

test('an address that this machine does not have is refused in one sentence', async () => {
  const it = run({ PORT: '0', HOST: '192.0.2.1' })
  expect((await it.ended)[0]).toBe(1)
  expect(it.text).toBe('HOST: expected an address of this machine, got "192.0.2.1".\n')
})

test('a port that is taken is named', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const it = run({ PORT: port })
  expect((await it.ended)[0]).toBe(1)
  expect(it.text).toBe(`PORT: ${port} is taken by another process; choose another, or 0 for any.\n`)
  other.close()
})

/** The container image: what can be held without a container engine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'

const root = new URL('../../', import.meta.url)
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8')
const kept = readFileSync(new URL('.dockerignore', root), 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))

const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
  (copy) => copy[1]?.split(' ') ?? [],
)

test('what it copies exists and is let through by .dockerignore, and nothing else is', () => {
  expect(sources).toContain('src')
  for (const source of sources) expect(existsSync(new URL(source, root)), source).toBe(true)
  expect(new Set(kept)).toEqual(new Set(sources))
})

test('its settings are settings that the bot takes', () => {
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? ''
  const env = Object.fromEntries(
    [...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  const given = {
    MONITOR_URL: 'https://monitor.example',
    MONITOR_API_KEY: 'key-0123456789',
    SLACK_BOT_TOKEN: 'xoxb-0123456789',
    SLACK_APP_TOKEN: 'xapp-0123456789',
    SLACK_CHANNEL: 'C0ALERTS',
  }
  const config = readConfig({ ...given, ...env }, () => '')
  expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, database: { path: '/data/monbot.db' } })
  expect(dockerfile).toMatch(/^VOLUME \/data$/m)
})

test('it does not run as root', () => {
  expect(dockerfile.lastIndexOf('USER node')).toBeGreaterThan(dockerfile.lastIndexOf('RUN '))
})

const healthCheck = /HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'

async function exitOfHealthCheck(port: number): Promise<unknown> {
  const [, ...args]: string[] = JSON.parse(healthCheck)
  const check = spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: 'ignore' })
  const [code] = await once(check, 'exit')
  return code
}

test.each([
  [200, 0],
  [503, 1],
])('its health check, against a real server that answers %i, exits with %i', async (status, code) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  expect(await exitOfHealthCheck(address.port)).toBe(code)
  expect(asked).toEqual(['/healthz'])
})

test('its health check fails where nobody listens', async () => {
  expect(await exitOfHealthCheck(1)).toBe(1)
})

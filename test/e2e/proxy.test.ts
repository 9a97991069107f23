/**
 * The real bot where the only way out is a proxy: names that no resolver knows, TLS by an authority of its own, and a proxy that
 * takes CONNECT with its password and nothing else.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { certificates } from '../service/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const password = 'canary-proxy-pass-word'

function portOf(server: { address(): ReturnType<Server['address']> }): number {
  return Object(server.address()).port
}

/** Ends the sockets of a server with the test: a tunnel never ends by itself. */
function endWithTest(server: Pick<Server, 'close' | 'on'>): void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  })
  onTestFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
}

/** TLS before a plain port of this machine, by the name of `folder`'s certificate. */
async function openTls(folder: string, port: number, to: number): Promise<void> {
  const [key, cert] = [readFileSync(join(folder, 'server.key')), readFileSync(join(folder, 'server.pem'))]
  const server = createTlsServer({ key, cert }, (secure) => {
    const plain = connect(to, '127.0.0.1')
    secure.on('error', () => plain.destroy()).on('close', () => plain.destroy())
    plain.on('error', () => secure.destroy()).on('close', () => secure.destroy())
    secure.pipe(plain).pipe(secure)
  })
  endWithTest(server as unknown as Server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
}

/** It knows every name as this machine. `refuse` holds what it was asked for beside a CONNECT with the password. */
async function openProxy() {
  const counts: Record<string, number> = {}
  const refused: string[] = []
  const wanted = `Basic ${Buffer.from(`somebody:${password}`).toString('base64')}`
  const server = createServer((request, response) => {
    refused.push(`${request.method} ${request.headers.host}`)
    response.writeHead(405).end()
  })
  server.on('connect', (request, socket: Socket, head) => {
    const [host = '', port = ''] = (request.url ?? '').split(':')
    if (request.headers['proxy-authorization'] !== wanted) {
      refused.push(`CONNECT ${host} without the password`)
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    counts[host] = (counts[host] ?? 0) + 1
    const through = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) through.write(head)
      socket.pipe(through).pipe(socket)
    })
    through.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('error', () => through.destroy()).on('close', () => through.destroy())
  })
  endWithTest(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://somebody:${password}@127.0.0.1:${portOf(server)}`, counts, refused }
}

/** A watcher that counts heartbeats. */
async function openWatcher() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end('ok')
  })
  endWithTest(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { seen, port: portOf(server) }
}

async function openShutIn() {
  const [slackPort, monitorPort, beatPort] = [await freePort(), await freePort(), await freePort()]
  const town = await openTown({
    service: { fleet: 4 },
    workspace: { publicUrl: `https://slack.test:${slackPort}/` },
  })
  const watcher = await openWatcher()
  const folders = ['slack.test', 'monitor.test', 'beat.test'].map(certificates)
  const [slack = '', monitor = '', beat = ''] = folders
  await openTls(slack, slackPort, Number(new URL(town.workspace.url).port))
  await openTls(monitor, monitorPort, Number(new URL(town.service.url).port))
  await openTls(beat, beatPort, watcher.port)
  const authorities = join(town.folder, 'authorities.pem')
  writeFileSync(authorities, folders.map((folder) => readFileSync(join(folder, 'ca.pem'), 'utf8')).join(''))
  const policy = join(town.folder, 'policy.yml')
  writeFileSync(policy, 'images: auto\n')
  const settings = {
    SLACK_API_URL: `https://slack.test:${slackPort}/api/`,
    MONITOR_URL: `https://monitor.test:${monitorPort}`,
    HEARTBEAT_URL: `https://beat.test:${beatPort}/beat`,
    CA_FILE: authorities,
    MONBOT_CONFIG: policy,
  }
  return { town, watcher, settings }
}

test('all that leaves goes through the proxy: the API, Slack with its sockets and pictures, answers, and the heartbeat', async () => {
  const { town, watcher, settings } = await openShutIn()
  const proxy = await openProxy()
  const bot = await town.bot({ ...settings, HTTPS_PROXY: proxy.url })
  const ana = town.person('ana')
  town.service.openAlert({
    server: 'web-1',
    plugin: 'Load Average',
    metric: 'last_minute',
    title: 'busy',
    value: 3,
  })
  await expect.poll(() => town.cards().length, soon).toBe(1)
  await expect.poll(() => JSON.stringify(town.cards()[0]?.blocks), soon).toContain('slack_file')
  await ana.presses('Acknowledge', town.cards()[0] ?? { ts: '' })
  await expect.poll(() => town.cards()[0]?.text, soon).toContain('👀 <@')
  await ana.types('/mon status')
  await expect.poll(() => ana.sees().join('\n'), soon).toContain('Slack connected')
  await expect.poll(() => watcher.seen.length, soon).toBeGreaterThan(0)
  expect(Object.keys(proxy.counts).toSorted()).toEqual(['beat.test', 'monitor.test', 'slack.test'])
  expect(proxy.refused).toEqual([])
  expect(bot.output()).not.toContain(password)
  expect(await bot.kill('SIGTERM')).toBe(0)
  town.expectQuiet()
})

test('a proxy that refuses is a sentence with its status, and its password is nowhere', async () => {
  const { town, settings } = await openShutIn()
  const proxy = await openProxy()
  const bot = await town.bot({
    ...settings,
    HTTPS_PROXY: proxy.url.replace(password, 'canary-wrong-pass-word'),
  })
  const output = bot.output()
  expect(output).toMatch(/the monitoring API could not be reached \(PROXY_407\)/)
  expect(output).toMatch(/PROXY_407.*"slack:not_connected"|"slack:not_connected".*PROXY_407/)
  expect(output).not.toContain('canary-wrong-pass-word')
  expect(new Set(proxy.refused.map((one) => one.split(' ')[0]))).toEqual(new Set(['CONNECT']))
  expect(proxy.counts).toEqual({})
})

test('what NO_PROXY names is reached directly, and this machine always is', async () => {
  const town = await openTown()
  const proxy = await openProxy()
  const bot = await town.bot({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url })
  town.service.openAlert({
    server: 'web-1',
    plugin: 'Load Average',
    metric: 'last_minute',
    title: 'busy',
    value: 3,
  })
  await expect.poll(() => town.cards().length, soon).toBe(1)
  expect([proxy.counts, proxy.refused]).toEqual([{}, []])
  expect(await bot.kill('SIGTERM')).toBe(0)
})

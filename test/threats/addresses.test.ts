/**
 * Addresses that the API names: pictures to fetch, pages to link to. The bot itself connects to nobody but the monitoring's own
 * origin, which the operator chose and which may be private; other names are not even looked up, so that it does not matter
 * what they resolve to, now or later.
 */
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { type Images, isPublicHost, pictureWay, wayAfterRefusal } from '../../src/domain/delivery/picture.ts'
import { openResponseUrls } from '../../src/slack/inbound/response-url.ts'
import { link } from '../../src/slack/mrkdwn.ts'
import { connect, handClock, openApi } from '../monitor/local-api.ts'

/** What the process does towards others while the test runs: each name that is looked up, each connection that is begun. */
function watched(): string[] {
  const begun: string[] = []
  const onSocket = () => begun.push('a connection')
  subscribe('net.client.socket', onSocket)
  const lookups = createHook({
    init: (_id, type) => {
      if (/^(?:GETADDRINFO|QUERY)/.test(type)) begun.push('a name')
    },
  }).enable()
  onTestFinished(() => {
    unsubscribe('net.client.socket', onSocket)
    lookups.disable()
  })
  return begun
}

/** Hosts of this machine and of private networks, in every form in which they can be written; `PORT` is the monitoring's. */
const inside = [
  'http://127.0.0.1:1/a.png',
  'http://localhost:PORT/a.png',
  'http://localhost.:PORT/a.png',
  'http://LOCALHOST:PORT/a.png',
  'http://127.1.1.1:PORT/a.png',
  'http://0.0.0.0:PORT/a.png',
  'http://0:PORT/a.png',
  'http://[::1]:PORT/a.png',
  'http://[0:0:0:0:0:0:0:1]:PORT/a.png',
  'http://[::]:PORT/a.png',
  'http://[::ffff:127.0.0.1]:PORT/a.png',
  'http://[::ffff:7f00:1]:PORT/a.png',
  'http://[::127.0.0.1]:PORT/a.png',
  'http://[64:ff9b::7f00:1]:PORT/a.png',
  'http://[2002:7f00:1::]:PORT/a.png',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/latest/meta-data/',
  'http://0251.0376.0251.0376/latest/meta-data/',
  'http://169.254.43518/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/latest/meta-data/',
  'http://[fe80::1]/a.png',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://metadata.google.internal/a.png',
  'http://10.0.0.1/a.png',
  'http://172.16.0.1/a.png',
  'http://192.168.1.1/a.png',
  'http://100.64.0.1/a.png',
  'http://１２７.0.0.1:1/a.png',
  'http://127。0。0。1:1/a.png',
]

/** Names of somebody else, whatever they resolve to; and what only looks like the monitoring's own. */
const elsewhere = [
  'http://rebind.attacker.example/a.png',
  'http://monitor.example.attacker.example/a.png',
  'https://127.0.0.1:PORT/a.png',
  'http://127.0.0.1:PORT@attacker.example/a.png',
  'http://attacker.example#@127.0.0.1:PORT/a.png',
  'http://attacker.example\\@127.0.0.1:PORT/a.png',
  'http://user@127.0.0.1:PORT/a.png',
  'http://:secret@127.0.0.1:PORT/a.png',
  'ws://127.0.0.1:PORT/a.png',
  'ftp://127.0.0.1:PORT/a.png',
  'gopher://127.0.0.1:PORT/a.png',
  'file:///etc/passwd',
  'data:image/png;base64,iVBORw0KGgo=',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
  '//127.0.0.1:PORT/a.png',
  '',
]

test('the bot fetches from no other host, scheme or port, and looks up no other name', async () => {
  const own = await openApi((_request, response) => response.writeHead(200).end('x'))
  const monitor = connect(own.url)
  const { port } = new URL(own.url)
  const begun = watched()
  for (const address of [...inside, ...elsewhere].map((text) => text.replaceAll('PORT', port))) {
    await expect(monitor.picture(address), address).rejects.toMatchObject({ kind: 'rejected' })
  }
  expect(begun).toEqual([])
  expect(own.received).toEqual([])

  // The control: its own origin is connected to, private as it is, and the watch sees that.
  await expect(monitor.picture(`${own.url}/a.png`)).rejects.toThrow('no PNG, JPEG or GIF')
  expect(own.received).toHaveLength(1)
  expect(begun).toEqual(['a connection'])
})

test('another way to write its own origin is its own, and goes where the operator said', async () => {
  const own = await openApi((_request, response) => response.writeHead(200).end('x'))
  const { port } = new URL(own.url)
  const monitor = connect(own.url)
  for (const host of ['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '127.0.0.1.']) {
    await expect(monitor.picture(`http://${host}:${port}/a.png`)).rejects.toThrow('no PNG, JPEG or GIF')
  }
  expect(own.received).toHaveLength(5)
})

test.each(['http://169.254.169.254/', 'http://[::1]/', 'file:///etc/passwd', '//attacker.example/a.png'])(
  'a redirect to %s is not followed',
  async (location) => {
    const own = await openApi((_request, response) => response.writeHead(302, { location }).end())
    const begun = watched()
    const monitor = connect(own.url)
    await expect(monitor.picture(`${own.url}/a.png`)).rejects.toMatchObject({ status: 302 })
    await expect(monitor.roles()).rejects.toThrow('a redirect, which is not followed')
    expect(new Set(begun)).toEqual(new Set(['a connection']))
    expect(begun.length).toBeLessThanOrEqual(2)
  },
)

const ways: readonly Images[] = ['auto', 'url', 'upload', 'chart', 'off']

test('of a private host Slack is asked for nothing by itself, and the bot only of the monitoring’s own', () => {
  const apiOrigin = 'http://10.0.0.1'
  for (const address of inside.map((text) => text.replaceAll('PORT', '8080'))) {
    const isOwn = new URL(address).origin === apiOrigin
    expect(pictureWay(address, 'auto', apiOrigin), address).toBe(isOwn ? 'upload' : null)
    expect(pictureWay(address, 'upload', apiOrigin), address).toBe(isOwn ? 'upload' : null)
    expect(wayAfterRefusal(address, 'auto', apiOrigin), address).toBe(isOwn ? 'upload' : null)
  }
})

test.each(elsewhere.filter((address) => !address.startsWith('http')))(
  '%j is no picture, however it is to come',
  (address) => {
    for (const way of ways.filter((one) => one !== 'chart'))
      expect(pictureWay(address, way, 'http://10.0.0.1')).toBeNull()
    expect(link(address, 'here')).toBe('here')
  },
)

test.each([
  ['https://bank.example@evil.example/', 'here'],
  ['https://user:word@evil.example/', 'here'],
  ['https://monitor.example/a|b>c<d e', '<https://monitor.example/a%7Cb%3Ec%3Cd%20e|here>'],
])('a link to %s cannot pretend to lead elsewhere', (address, shown) => {
  expect(link(address, 'here')).toBe(shown)
})

test.each(['8.8.8.8', 'monitor.example', 'a.b.example.', '[2606:4700::1111]'])('%s may be public', (host) => {
  expect(isPublicHost(host)).toBe(true)
})

test.each([
  'https://slack.com.attacker.example/response/1',
  'https://hooks-slack.com/response/1',
  'https://hooks.slack.com@attacker.example/response/1',
  'http://hooks.slack.com/response/1',
  'http://127.0.0.1:1/response/1',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'not an address',
])('an answer is not sent to %s, which is not Slack', async (address) => {
  const begun = watched()
  const urls = openResponseUrls({ apiUrl: 'https://slack.com/api/', clock: handClock() })
  expect(await urls.send(address, { text: 'x', blocks: [], replace: false })).toBe('over')
  expect(begun).toEqual([])
})

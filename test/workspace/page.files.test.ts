/** The page's files over HTTP: what is served, under which policy, to whom; and the control API's part for the page. */
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { warningFor } from '../../src/workspace/settings.ts'
import { eventually, fieldsOf, neighbour } from './neighbour.ts'

describe('a file of the page', () => {
  test.each([
    ['', 'text/html; charset=utf-8'],
    ['page/main.js', 'text/javascript; charset=utf-8'],
    ['page/blocks/blocks.css', 'text/css; charset=utf-8'],
    ['page/vendor/emoji.woff2', 'font/woff2'],
    ['page/vendor/htm-preact.mjs', 'text/javascript; charset=utf-8'],
  ])('/%s has its type and its policy, and is sent once', async (path, type) => {
    const { workspace } = await neighbour()
    const answer = await fetch(workspace.url + path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    const etag = answer.headers.get('etag') ?? ''
    const again = await fetch(workspace.url + path, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test.each([
    'page/nothing.js',
    'page/vendor/undici.mjs',
    'page/../workspace.ts',
    'page/%2e%2e/workspace.ts',
    'page/..%2fworkspace.ts',
    'page/%252e%252e/workspace.ts',
    'page/blocks',
    'page/page.html',
    'page//etc/passwd',
    'page/main.js%00.css',
  ])('/%s is none', async (path) => {
    const { workspace } = await neighbour()
    // fetch would tidy the path up before it asks.
    const { port } = new URL(workspace.url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path: `/${path}` }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asked.on('error', reject)
      asked.end()
    })
    expect(status).toBe(404)
  })

  test('names no module that is not there', async () => {
    const { workspace } = await neighbour()
    const document = await (await fetch(workspace.url)).text()
    const paths = [...document.matchAll(/(?:(?:href|src)=|:)"\/([^"]+)"/g)].map(([, path]) => path)
    expect(paths).toEqual(expect.arrayContaining(['page/main.js', 'page/vendor/preact-hooks.mjs']))
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(workspace.url + path)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})

test.each([
  ['rebound.example:8080', {}, '127.0.0.1', 403],
  ['localhost:8080', {}, '127.0.0.1', 200],
  ['192.0.2.7:8080', {}, '127.0.0.1', 403],
  ['localhost:8080', { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1', 403],
  ['localhost:8080', { origin: 'https://evil.example' }, '127.0.0.1', 403],
  ['192.0.2.7:8080', {}, '0.0.0.0', 200],
  ['rebound.example', {}, '0.0.0.0', 403],
  ['192.0.2.7:8080', { origin: 'https://evil.example' }, '0.0.0.0', 403],
  ['192.0.2.7:8080', { 'sec-fetch-site': 'cross-site' }, '0.0.0.0', 403],
])('a request for %s with %o to a server on %s: %i', async (name, more, host, status) => {
  const { workspace } = await neighbour({ host })
  const headers = { host: name, ...(more as Record<string, string>) }
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(`${workspace.url}control/state`, { headers }, (got) => {
      got.resume()
      resolve(got.statusCode)
    })
    asked.on('error', reject).end()
  })
  expect(answer).toBe(status)
})

describe('the control API', () => {
  test('gives a channel, a thread, and tells when a thread grows', async () => {
    const { workspace, call } = await neighbour()
    const told: string[] = []
    workspace.events.listen(({ event }) => told.push(event.type))
    for (const text of ['one', 'two', 'three']) await call('chat.postMessage', { channel: '#alerts', text })
    const [first] = workspace.messages('alerts')
    const ts = String(first?.ts)
    await call('chat.postMessage', { channel: '#alerts', text: 'a reply', thread_ts: ts })
    expect(told.filter((type) => type === 'thread_changed')).toHaveLength(1)
    const get = async (query: string) =>
      fieldsOf(await (await fetch(`${workspace.url}control/messages?channel=C0ALERTS01&${query}`)).json())
    expect(await get('')).toMatchObject({
      messages: [{ text: 'one', reply_count: 1 }, { text: 'two' }, { text: 'three' }],
    })
    expect(await get(`thread=${ts}`)).toMatchObject({ messages: [{ text: 'one' }, { text: 'a reply' }] })
  })

  test('begins its events with what it remembers', async () => {
    const { workspace } = await neighbour()
    await workspace.acts.say({ user: 'ana', channel: '#alerts', text: 'hello' })
    const answer = await fetch(`${workspace.url}control/events?since=0`)
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let heard = ''
    while (!heard.includes('hello"')) heard += (await reader?.read())?.value ?? ''
    expect(heard).toMatch(/event: hello\ndata: \{"epoch":"[^"]+","seq":\d+\}/)
    expect(heard).toContain('event: message_posted')
    await reader?.cancel()
  })

  test('puts away what only one person sees, for nobody else', async () => {
    const { workspace, call } = await neighbour()
    await call('chat.postEphemeral', { channel: '#alerts', user: 'U0ANA00001', text: 'for you' })
    const [message] = await eventually('it', () => workspace.ephemerals('ana'))
    const at = { channel: '#alerts', ts: String(message?.ts) }
    expect(await workspace.acts.dismiss({ user: 'ben', ...at })).toMatchObject({ error: 'message_not_found' })
    expect(await workspace.acts.dismiss({ user: 'ana', ...at })).toEqual({ ok: true })
    expect(workspace.ephemerals('ana')).toEqual([])
  })
})

test('another address is asked for, and says who can use it', async () => {
  expect(warningFor(undefined, 'http://127.0.0.1:8080/')).toBeUndefined()
  expect(warningFor('127.0.0.2', 'http://127.0.0.2:8080/')).toBeUndefined()
  expect(warningFor('0.0.0.0', 'http://127.0.0.1:8080/')).toContain(
    'HOST=0.0.0.0: anyone who reaches port 8080 there can read everything and act as any person.',
  )
  const { workspace } = await neighbour({ host: 'localhost' })
  expect(workspace.url).toMatch(/^http:\/\/localhost:\d+\/$/)
  expect((await fetch(`${workspace.url}control/state`)).status).toBe(200)
})

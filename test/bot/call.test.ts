/** The way out over a real proxy on this machine. */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failureOf, wayOutOf } from '../../src/bot/call.ts'
import type { Config } from '../../src/bot/config/settings.ts'
import { Secret } from '../../src/bot/config/settings.ts'

const asked: string[] = []
let isRefusing = false
/** Every `connect` and every whole address that it is asked for ends at the target. */
const proxy = createServer((incoming, answer) => {
  asked.push(`${incoming.method} ${incoming.url}`)
  incoming.pipe(request({ port: portOf(target) }, (got) => got.pipe(answer)))
})
const target = createServer((_, answer) => answer.end('here'))
const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

beforeAll(async () => {
  proxy.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url}`)
    socket.end(`HTTP/1.1 ${isRefusing ? '407 No' : '502 Bad'}\r\n\r\n`)
  })
  await Promise.all([listen(proxy), listen(target)])
})
afterAll(() => {
  proxy.close()
  target.close()
})

const way = (fields: Partial<Config['proxy']>) =>
  wayOutOf({ proxy: { https: null, http: null, none: [], ...fields }, caFile: null }, () => '')
const throughProxy = () => new Secret(`http://u:p@127.0.0.1:${portOf(proxy)}`)

test('without a proxy nothing is in between, and sockets are left to the SDK', async () => {
  const { dispatcher, fetch, socketDispatcher } = way({})
  const url = `http://127.0.0.1:${portOf(target)}/`
  expect(await (await fetch(url)).text()).toBe('here')
  expect((await dispatcher.request({ origin: url, path: '/', method: 'GET' })).statusCode).toBe(200)
  expect(socketDispatcher).toBeUndefined()
  expect(asked.splice(0)).toEqual([])
})

test('with one: undici, fetch and sockets go through it, but not what NO_PROXY or this machine is', async () => {
  const { dispatcher, fetch, socketDispatcher } = way({ http: throughProxy(), none: ['near.example'] })
  expect(await (await fetch('http://far.example/a')).text()).toBe('here')
  await dispatcher.request({ origin: 'http://far.example', path: '/b', method: 'GET' })
  await expect(fetch('http://near.example/')).rejects.toThrow()
  await expect(fetch('http://web.near.example/')).rejects.toThrow()
  expect((await fetch(`http://127.0.0.1:${portOf(target)}/`)).status).toBe(200)
  expect(socketDispatcher).toBe(dispatcher)
  expect(asked.splice(0)).toEqual(['GET http://far.example/a', 'GET http://far.example/b'])
})

test('a proxy that refuses is told with its status', async () => {
  isRefusing = true
  const failure = await way({ https: throughProxy() })
    .fetch('https://far.example/')
    .catch((error: unknown) => error)
  expect(asked.splice(0)).toEqual(['CONNECT far.example:443'])
  expect(failureOf(failure)).toEqual({ word: 'PROXY_407', isSent: false })
  expect(failureOf(new Error('Proxy')).isSent).toBe(true)
})

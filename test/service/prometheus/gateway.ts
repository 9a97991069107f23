/** A proxy as teams have them in front of a Prometheus: it demands headers or certificates, and may change what is answered. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import type { Ending } from './programs.ts'

export type Answered = { readonly status: number; readonly text: string }

export type Gateway = {
  readonly url: string
  /** Of every request, in order. */
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Without these every request is answered with 401. */
  demands: Readonly<Record<string, string>>
  /** What to answer in place of this; `form` is the text of the request. */
  answers: (path: string, answered: Answered, form: string) => Answered
}

/** `to` null: there is nothing behind it, and its answers come from `answers` alone, in place of a 404. */
export async function openGateway(
  t: Ending,
  to: string | null,
  tls: ServerOptions | null = null,
): Promise<Gateway & { useTls(next: ServerOptions): void }> {
  const gateway: Gateway & { url: string } = { url: '', asked: [], demands: {}, answers: (_, same) => same }

  async function behind(path: string, method: string, type: string, form: string): Promise<Answered> {
    if (to === null) return { status: 404, text: '404 page not found' }
    const isWithBody = method === 'POST'
    const { statusCode, body } = await request(to + path, {
      method: method as 'GET',
      headers: { 'content-type': type },
      ...(isWithBody ? { body: form } : {}),
    })
    return { status: statusCode, text: await body.text() }
  }

  const server = tls === null ? createServer() : createSecureServer(tls)
  server.on('request', async (asked, response) => {
    const { method = 'GET', url = '/', headers } = asked
    const path = url.split('?')[0] ?? ''
    gateway.asked.push({ path, headers })
    const parts: Buffer[] = []
    for await (const part of asked) parts.push(part as Buffer)
    const form = Buffer.concat(parts).toString()
    if (Object.entries(gateway.demands).some(([name, value]) => headers[name.toLowerCase()] !== value)) {
      response.writeHead(401).end('no org id')
      return
    }
    const { status, text } = gateway.answers(
      path,
      await behind(url, method, headers['content-type'] ?? 'text/plain', form),
      form,
    )
    const isRedirect = status >= 300 && status < 400
    response.writeHead(status, isRedirect ? { location: text } : { 'content-type': 'application/json' })
    response.end(isRedirect ? '' : text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  gateway.url = `${tls === null ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(gateway, {
    useTls(next: ServerOptions) {
      if ('setSecureContext' in server) server.setSecureContext(next)
      server.closeAllConnections()
    },
  })
}

/** An answer of Prometheus with these data, and what stands beside them. */
export function success(data: unknown, beside: object = {}): Answered {
  return { status: 200, text: JSON.stringify({ status: 'success', data, ...beside }) }
}

/** Listens on loopback by default. */
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Env } from './api/answer.ts'

export type Listener = {
  /** `http://127.0.0.1:PORT`, without a trailing slash; the same if it listens on all addresses. */
  readonly url: string
  /** Ends every connection. */
  close(): Promise<void>
}

/** Rejects with the system's error if the port is taken, or the address is not one of this machine. */
export async function listen(app: Hono<Env>, port: number, host: string): Promise<Listener> {
  const answer = getRequestListener(app.fetch, { hostname: host, errorHandler: refuse })
  // Node's own refusal of a request without a Host header has no message.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (!isWithoutHost(request)) return void answer(request, response)
    const body = JSON.stringify({ message: `${expected}; came one without a Host header` })
    response.writeHead(400, { 'content-type': 'application/json', connection: 'close' }).end(body)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const [status, what] = unread.get(error.code ?? '') ?? [400, 'something else']
    refuseBare(socket, status, what)
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(port, host, () => listening.resolve())
  await listening.promise
  server.off('error', listening.reject)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://${reachable(address)}:${address.port}`,
    async close() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

const expected = 'expected a request to http://HOST:PORT/PATH'

/** Answers input that never became a request, and so reached no route. */
function refuse(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error
  const message = `${expected}; came one whose Host header or path is none (${error.message})`
  return Response.json({ message }, { status: 400 })
}

/** HTTP 1.0 does not have this header (RFC 9112, 3.2). */
function isWithoutHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0'
}

/** Why Node could not read a request; anything else is not HTTP at all. */
const unread: ReadonlyMap<string, readonly [status: number, what: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'one whose headers are too long']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'one whose chunks have too long names']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'a part of one only, in all the time there is for it']],
])

/** Only if nothing was answered on the connection yet: in the middle of another answer it would be read as part of that. */
function refuseBare(socket: Duplex & { readonly bytesWritten?: number }, status: number, what: string): void {
  const body = JSON.stringify({ message: `${expected}; came ${what}` })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  if (socket.writable && !socket.bytesWritten) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  else socket.destroy()
}

/** The address by which this machine itself reaches it. */
function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return family === 'IPv6' ? `[${address}]` : address
}

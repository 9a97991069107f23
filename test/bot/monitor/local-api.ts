/** Local servers that the client is tested against: real HTTP, and bare sockets for what HTTP servers never do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/bot/flow/ports/ports.ts'
import { connectMonitor, type MonitorOptions } from '../../../src/bot/monitor/client.ts'

/** The key of all tests here; wherever else it turns up, it leaked. */
export const canaryKey = 'CANARY-4f1d9c'

export type Received = {
  readonly method: string
  /** Path and query as they stood on the request line. */
  readonly target: string
  readonly contentType: string | null
  readonly body: string
}

export type LocalApi = { readonly url: string; readonly received: Received[] }

type Respond = (request: Received, response: ServerResponse, nth: number) => void

/** Answers every request as `respond` says; closes itself when the test ends, which a concurrent test has to say itself. */
export async function openApi(respond: Respond, closeLater = onTestFinished): Promise<LocalApi> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const seen = {
          method: request.method ?? '',
          target: request.url ?? '',
          contentType: request.headers['content-type'] ?? null,
          body,
        }
        received.push(seen)
        respond(seen, response, received.length)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: urlOf(server.address()), received }
}

/** A server that hands over each bare connection once the head of a request is in. */
export async function openSockets(
  serve: (socket: Socket, nth: number) => void,
  closeLater = onTestFinished,
): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    // A reset by the client is what some of these tests are about.
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      requests += 1
      serve(socket, requests)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  return { url: urlOf(server.address()) }
}

/** An address where nothing listens. */
export async function closedPort(): Promise<string> {
  const server = createSocketServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = urlOf(server.address())
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return url
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A clock whose waits pass at once; `waits` are the milliseconds of each. */
export function handClock(): Clock & { readonly waits: number[] } {
  let nowMs = Date.UTC(2026, 0, 1)
  const waits: number[] = []
  return {
    waits,
    nowMs: () => nowMs,
    async wait(ms) {
      waits.push(ms)
      nowMs += ms
    },
  }
}

/** A client with the canary key that closes itself when the test ends; its attempts last 5 s unless told otherwise. */
export function connect(
  baseUrl: string,
  over: Partial<MonitorOptions> = {},
): ReturnType<typeof connectMonitor> {
  const monitor = connectMonitor({
    baseUrl,
    apiKey: { reveal: () => canaryKey },
    clock: handClock(),
    random: () => 0,
    ...over,
    limits: { attemptMs: 5_000, ...over.limits },
  })
  onTestFinished(() => monitor.close())
  return monitor
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

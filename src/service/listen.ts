/** Listens on loopback, or where it is told to. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Env } from './api/answer.ts'

export type Listener = {
  /** `http://127.0.0.1:PORT`, without a slash at the end; where it listens on all addresses, too. */
  readonly url: string
  /** Ends every connection. */
  close(): Promise<void>
}

/** Rejects with the system's error where the port is taken, or the address is none of this machine. */
export async function listen(app: Hono<Env>, port: number, host: string): Promise<Listener> {
  const server = createServer(getRequestListener(app.fetch, { hostname: host, errorHandler: refuse }))
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

/** What never became a request, and so reached no route. */
function refuse(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error
  const message = `expected a request to http://HOST:PORT/PATH; came one whose Host header or path is none (${error.message})`
  return Response.json({ message }, { status: 400 })
}

/** How this machine itself reaches it. */
function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return family === 'IPv6' ? `[${address}]` : address
}

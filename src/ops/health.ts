/** The health server: `/healthz` says that the process lives, `/readyz` whether it does its work, `/metrics` how much. */
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Health as Condition } from '../domain/answer.ts'
import { isMany } from '../domain/unreadable.ts'

export const partNames = ['slack', 'poll'] as const
export type PartName = (typeof partNames)[number]

/** Whether a part does its work, and since when that is so (epoch milliseconds). */
export type PartState = { readonly ready: boolean; readonly sinceMs: number }

/** `slack`: connected; `poll`: what is open is known (see `pollState`). */
export type Readiness = Readonly<Record<PartName, PartState>>

/** Where only what is over cannot be read, it polls, and nobody should be kept from it. */
export function pollState(
  { lastPollMs, failing, unreadable = null }: Pick<Condition, 'lastPollMs' | 'failing' | 'unreadable'>,
  startedMs: number,
): PartState {
  const illegible = unreadable !== null && isMany(unreadable) ? unreadable : null
  const isFailing = failing !== null && failing.isPartial !== true
  return {
    ready: lastPollMs !== null && !isFailing && illegible === null,
    sinceMs: failing?.sinceMs ?? illegible?.sinceMs ?? lastPollMs ?? startedMs,
  }
}

export type HealthSettings = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly isReady: () => Readiness
  /** The numbers for Prometheus; without it there is no such route. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>
  /** Slack's requests in HTTP mode; without it there is no such route. */
  readonly events?: (request: Request) => Promise<Response>
  /** Told of a bug in an answer, which is a 500 without words; without it nobody is told. */
  readonly onBroken?: (error: unknown) => void
  readonly limits?: typeof limits
}

export type Health = {
  /** The port that is really bound. */
  readonly port: number
  /** Ends every connection and resolves when the port is free; harmless when called twice. */
  stop(): Promise<void>
}

/** The server cannot have its address; the message is one sentence for the operator. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen'
}

/** Node looks for what is too slow only every so often, and by itself only every 30 s. */
const limits = { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000, connectionsMax: 100 }

/**
 * The routes alone, without a server: `/healthz` 200; `/readyz` 200, or 503 with what is not ready and since when;
 * `/metrics` and `/slack/events` where there is somebody to answer them.
 */
export function healthRoutes({
  isReady,
  events,
  metrics,
  onBroken,
}: Pick<HealthSettings, 'isReady' | 'events' | 'metrics' | 'onBroken'>): Hono {
  const routes = new Hono()
  // Hono's own would print it as it is, past the log that leaves out every secret.
  routes.onError((error, context) => {
    onBroken?.(error)
    return context.body(null, 500)
  })
  if (metrics !== undefined) {
    routes.get('/metrics', async (context) => {
      const { contentType, text } = await metrics()
      return context.body(text, 200, { 'content-type': contentType })
    })
  }
  if (events !== undefined) routes.post('/slack/events', (context) => events(context.req.raw))
  return routes
    .get('/healthz', (context) => context.json({ status: 'alive' }))
    .get('/readyz', (context) => {
      const state = isReady()
      const waiting = partNames
        .filter((part) => !state[part].ready)
        .map((part) => ({ part, since: new Date(state[part].sinceMs).toISOString() }))
      return waiting.length === 0
        ? context.json({ status: 'ready' }, 200)
        : context.json({ status: 'waiting', waiting }, 503)
    })
}

/** Starts the server. Rejects with `CannotListen` where the address is taken, forbidden or not of this machine. */
export async function startHealth({
  host,
  port,
  limits: { headersMs, requestMs, checkEveryMs, connectionsMax } = limits,
  ...asked
}: HealthSettings): Promise<Health> {
  const answer = getRequestListener(healthRoutes(asked).fetch)
  const timeouts = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
  }
  const server = createServer(timeouts, (request, response) => void answer(request, response))
  server.maxConnections = connectionsMax
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) =>
      reject(new CannotListen(sentence(error.code, host, port)))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return {
    port: boundPort(server, port),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function boundPort(server: Server, asked: number): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : asked
}

function sentence(code: string | undefined, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is already in use: set PORT to a free one, or stop what holds it.`
    case 'EACCES':
      return `Port ${port} on ${host} is not allowed for this user: set PORT to one above 1023.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: set HOST to one that is, such as 127.0.0.1.`
    default:
      return `The health server cannot listen on ${host}, port ${port} (${code ?? 'no code'}): check HOST and PORT.`
  }
}

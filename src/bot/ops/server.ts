/** `/healthz`, `/readyz`, `/metrics`, `/wake`, and what Slack and the pager send, at one port; below BASE_PATH too. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { LockedStore, type Wait } from '../world/store.ts'
import type { Health } from './health.ts'

export type HealthServer = { readonly port: number; close(): Promise<void> }

type Options = {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly basePath: string
  readonly version: string
  /** `health` is null while it does not lead; `waiting` says who does, or that the database is away. */
  state(): { readonly health: Health | null; readonly waiting: Wait | null }
  metrics(): Promise<string>
  events(request: IncomingMessage, response: ServerResponse): void
  /** What a pager sends. */
  heard(door: 'pager' | 'pagerduty', request: Request): Promise<Response>
  /** What a push with the token brings about; false: not here, not now. Without a token there is no such page. */
  readonly wake: { readonly token: Secret | null; now(): Promise<boolean> }
  /** Hears of a bug; whoever asked gets a 500 without words. */
  readonly onBroken?: (error: unknown) => void
}

/** A request that is sent too slowly is ended, and there are at most so many at once. */
const limits = {
  headersTimeout: 5 * second,
  requestTimeout: 10 * second,
  connectionsCheckingInterval: second,
}
const connectionsMax = 100
const pagerBody = bodyLimit({ maxSize: 100_000, onError: (c) => c.body(null, 413) })
const metricsType = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }

/** Throws a sentence if the port cannot be had. */
export async function openHealthServer(options: Options): Promise<HealthServer> {
  const pages = pagesOf(options)
  const app = new Hono()
  app.route('/', pages)
  if (options.basePath !== '') app.route(options.basePath, pages)
  app.onError((error, c) => {
    options.onBroken?.(error)
    return c.body(null, 500)
  })
  const others = getRequestListener(app.fetch)
  const ofSlack = ['/slack/events', `${options.basePath}/slack/events`]
  const server = createServer(limits, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    // Bolt's receiver reads and answers by itself.
    if (request.method === 'POST' && ofSlack.includes(path)) options.events(request, response)
    else void others(request, response)
  })
  server.maxConnections = connectionsMax
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new LockedStore(sentence(error.code, options))),
    )
    server.listen(options.port, options.host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function pagesOf(options: Options) {
  const pages = new Hono()
  pages.get('/healthz', (c) => c.json({ status: 'alive', version: options.version }))
  pages.get('/readyz', (c) => {
    const state = options.state()
    const { status, body } = readiness(state)
    // Slack's requests go to the one that leads, whatever it lacks: it tells people.
    if (c.req.query('leader') !== undefined) return c.json(body, state.health === null ? 503 : 200)
    return c.json(body, status)
  })
  pages.get('/metrics', async (c) => c.text(await options.metrics(), 200, metricsType))
  for (const door of ['pager', 'pagerduty'] as const)
    pages.post(`/${door}`, pagerBody, (c) => options.heard(door, c.req.raw))
  // Of the body nothing is believed: the poll says what is so.
  pages.post('/wake', async (c) => {
    const { token, now } = options.wake
    if (token === null) return c.json({ error: 'WAKE_TOKEN is not set' }, 404)
    if (!isSame(c.req.header('authorization') ?? '', `Bearer ${token.reveal()}`))
      return c.json({ error: 'expected authorization: Bearer with WAKE_TOKEN' }, 401)
    return c.body(null, (await now()) ? 202 : 503)
  })
  return pages
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function readiness({ health, waiting }: ReturnType<Options['state']>): { status: 200 | 503; body: object } {
  // One that stands by would lead if need be: that is what it is for.
  if (waiting !== null && 'leader' in waiting)
    return { status: 200, body: { status: 'stands by', leader: waiting.leader } }
  const notReady = (troubles: readonly object[]) => ({
    status: 503 as const,
    body: { status: 'not ready', troubles },
  })
  if (waiting !== null) return notReady([{ part: 'memory', why: waiting.away }])
  if (health === null) return notReady([])
  if (health.isReady) return { status: 200, body: { status: 'ready' } }
  return notReady(
    health.troubles.map(({ part, sinceMs, why }) => ({ part, since: new Date(sinceMs).toISOString(), why })),
  )
}

function sentence(code: string | undefined, { host, port }: Options): string {
  const why = code === 'EADDRINUSE' ? 'is already in use' : `can't be listened on (${code ?? 'no code'})`
  return `Port ${port} on ${host} ${why}: set PORT to a free one above 1023, or HOST to an address of this machine.`
}

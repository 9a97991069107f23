/** The health server: `/healthz` says that the process is alive and its version, `/readyz` whether it works, `/metrics` how much it does. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { version } from '../../shared/version.ts'
import { isMany } from '../domain/alert/unreadable.ts'
import type { Stopped } from '../domain/delivery/channel-trouble.ts'
import type { Health as Condition } from '../domain/request/answer.ts'

const partNames = ['memory', 'slack', 'poll', 'cards'] as const
type PartName = (typeof partNames)[number]

/** Whether a part works, and since when (epoch milliseconds); `why` not, if that is known. */
type PartState = { readonly ready: boolean; readonly sinceMs: number; readonly why?: string }

/**
 * `memory`: it answers; `slack`: connected; `poll`: what is open is known (see `pollState`); `cards`: some channel takes them. What
 * is left out is not asked for.
 */
export type Readiness = Partial<Readonly<Record<PartName, PartState>>> & {
  /** It does nothing yet, and would lead if need be: `leader` does (null: nobody). */
  readonly standsBy?: { readonly leader: string | null }
}

/** The state of polling. It counts as ready even if closed alerts cannot be read. */
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

/** Whether the memory answers. */
export function memoryState(awaySinceMs: number | null, startedMs: number): PartState {
  return { ready: awaySinceMs === null, sinceMs: awaySinceMs ?? startedMs }
}

/** Whether cards can be posted. */
export function cardsState(stopped: Stopped | null, startedMs: number): PartState {
  return stopped === null ? { ready: true, sinceMs: startedMs } : { ready: false, ...stopped }
}

/** What the server answers. */
export type Pages = {
  readonly isReady: () => Readiness
  /** The metrics for Prometheus; without it there is no such route. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>
  /** Slack's requests in HTTP mode; without it there is no such route. */
  readonly events?: (request: Request) => Promise<Response>
  /** What the pager says (`POST /pager`); without it there is no such route. */
  readonly pager?: (request: Request) => Promise<Response>
  /** Receives a bug behind a 500, whose body is empty. */
  readonly onBroken?: (error: unknown) => void
}

type HealthSettings = Pages & {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Such as `/monbot`: everything answers below it too. A proxy may take it away or pass it on. */
  readonly basePath?: string
  readonly limits?: typeof limits
}

export type Health = {
  /** The port that is actually bound. */
  readonly port: number
  /** Answers from now on with these. Requests are taken only if some were from the start. */
  show(pages: Pages): void
  /** Ends every connection and resolves when the port is free; safe to call twice. */
  stop(): Promise<void>
}

/** The server cannot bind its address; the message is one sentence for the operator. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen'
  /** Must a person change a setting? Otherwise the port may become free, or the address appear. */
  readonly isSetting: boolean

  constructor(code: string | undefined, host: string, port: number) {
    super(sentence(code, host, port))
    this.isSetting = code === 'EACCES'
  }
}

/** Node checks for slow requests only at this interval, by default every 30 s. */
const limits = { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000, connectionsMax: 100 }

type Answer = { readonly status: number; readonly type: string; readonly text: string }

const notFound: Answer = { status: 404, type: 'text/plain; charset=UTF-8', text: '404 Not Found' }

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', text: JSON.stringify(value) }
}

/** `/healthz` 200; `/readyz` 200, of a replica that stands by too, or 503 with what is not ready and since when; `/metrics` if there are metrics. */
async function page(path: string, { isReady, metrics }: Pages) {
  if (path === '/healthz') return json(200, { status: 'alive', version })
  if (path === '/metrics' && metrics !== undefined) {
    const { contentType, text } = await metrics()
    return { status: 200, type: contentType, text }
  }
  if (path !== '/readyz') return notFound
  const state = isReady()
  const waiting = partNames.flatMap((part) => {
    const { ready = true, sinceMs = 0, why } = state[part] ?? {}
    const since = new Date(sinceMs).toISOString()
    return ready ? [] : [{ part, since, ...(why === undefined ? {} : { why }) }]
  })
  if (waiting.length > 0) return json(503, { status: 'waiting', waiting })
  return json(
    200,
    state.standsBy === undefined ? { status: 'ready' } : { status: 'stands by', ...state.standsBy },
  )
}

const eventsPath = '/slack/events'
const pagerPath = '/pager'
const paths = [eventsPath, pagerPath, '/healthz', '/readyz', '/metrics']

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The listener for what others post. Its library takes longer to load than all of our own code, so it is loaded only where they do. */
async function listenerOf(pages: () => Pages): Promise<Listener | null> {
  if (pages().events === undefined && pages().pager === undefined) return null
  const { getRequestListener } = await import('@hono/node-server')
  return getRequestListener((request) => {
    const { events, pager } = pages()
    const take = new URL(request.url).pathname === pagerPath ? pager : events
    return take?.(request) ?? new Response(null, { status: 503 })
  })
}

function routes(pages: () => Pages, listener: Listener | null, basePath: string): Listener {
  return async (request, response) => {
    const asked = request.url ?? '/'
    // Below the base path all is as without it; what is a path without it is not below it, as with /slack.
    const isOwn = paths.includes(asked.split('?', 1)[0] ?? '')
    if (!isOwn && asked.startsWith(`${basePath}/`)) request.url = asked.slice(basePath.length)
    const path = request.url?.split('?', 1)[0] ?? '/'
    const isTaken =
      (path === eventsPath && pages().events !== undefined) ||
      (path === pagerPath && pages().pager !== undefined)
    if (isTaken && request.method === 'POST' && listener !== null) {
      return listener(request, response)
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const { status, type, text } = isRead ? await page(path, pages()) : notFound
    response.statusCode = status
    response.setHeader('content-type', type)
    response.end(text)
  }
}

/** Starts the server. Rejects with `CannotListen` if the address is taken, forbidden or not one of this machine. */
export async function startHealth(settings: HealthSettings): Promise<Health> {
  const { host, port, basePath = '', limits: limit = limits } = settings
  let pages: Pages = settings
  const answer = routes(() => pages, await listenerOf(() => pages), basePath)
  const timeouts = {
    headersTimeout: limit.headersMs,
    requestTimeout: limit.requestMs,
    connectionsCheckingInterval: limit.checkEveryMs,
  }
  // An import would also load Node's own fetch, which is as large as everything else.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer(timeouts, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      pages.onBroken?.(error)
      response.statusCode = 500
      response.end()
    })
  })
  server.maxConnections = limit.connectionsMax
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(new CannotListen(error.code, host, port))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return {
    port: boundPort(server, port),
    show: (next) => {
      pages = next
    },
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

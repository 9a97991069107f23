/** A local Slack workspace: connects its parts and opens its server on 127.0.0.1. Nothing outlives the process. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { WebSocket } from 'ws'
import { serveApi } from './api/dispatch.ts'
import { serveFiles } from './api/files.ts'
import { serveResponses } from './api/respond.ts'
import { openActs } from './control/acts.ts'
import { refuseStrangers, serveControl } from './control/serve.ts'
import { serveTown } from './control/town.ts'
import { type BotLine, openEnvelopes, openEventTries } from './delivery/bot-line.ts'
import { openSockets } from './delivery/sockets.ts'
import { servePage } from './page.ts'
import { hearMessages } from './people/live.ts'
import type { Stage } from './people/stage.ts'
import { readManifest } from './settings.ts'
import { type AppOptions, openState, type State, type StateOptions } from './state/state.ts'

export type WorkspaceOptions = StateOptions &
  Partial<AppOptions> & {
    readonly port?: number
    /** The address to listen on; 127.0.0.1 by default. Whoever reaches any other can act as anybody: there is no password. */
    readonly host?: string
    /** Where the bot reaches it, with a slash at the end, if something stands in front of it; its own address by default. */
    readonly publicUrl?: string
    readonly pingMs?: number
    readonly socketLifeSeconds?: number
    readonly seams?: Seams
  }

export type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>
export type Upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => void

/** Where tests stand between, to spoil what goes in and out. */
export type Seams = {
  around?(next: Fetch, state: State): Fetch
  aroundUpgrade?(next: Upgrade): Upgrade
  onSocket?(ws: WebSocket): void
  line?(usual: BotLine, state: State): BotLine
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>

export async function openWorkspace(options: WorkspaceOptions = {}) {
  const { host = '127.0.0.1', seams = {}, pingMs = 10_000, socketLifeSeconds: lifeSeconds = 3_600 } = options
  const address = { url: '' }
  const whole = { ...readManifest(), ...options }
  const state = openState(whole, () => options.publicUrl ?? address.url)
  const sockets = openSockets(state, { pingMs, lifeSeconds, onSocket: seams.onSocket })
  const envelopes = openEnvelopes(state, sockets)
  const line = seams.line?.(envelopes, state) ?? envelopes
  const tries = openEventTries(state, line)
  const stage: Stage = { state, line, tries, botEvents: new Set(whole.botEvents) }
  hearMessages(stage)
  const acts = openActs(stage)

  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use('/control/*', refuseStrangers(host))
  app.use('/town/*', refuseStrangers(host))
  const plain = app as unknown as Hono
  serveApi(plain, state, sockets.invite)
  serveFiles(plain, state)
  serveResponses(plain, state)
  serveControl(app, state, acts)
  servePage(app)
  if (options.townUrl !== undefined) serveTown(app, state, acts, options.townUrl)

  const answer: Fetch = (request, env) => app.fetch(request, env)
  const listener = seams.around?.(answer, state) ?? answer
  const server = createServer(getRequestListener((request, env) => listener(request, env as HttpBindings)))
  server.on('upgrade', seams.aroundUpgrade?.(sockets.upgrade) ?? sockets.upgrade)
  const port = await listen(server, options.port ?? 0, host)
  address.url = `http://${reachableName(host)}:${port}/`

  return {
    state,
    stage,
    url: address.url,
    apiUrl: `${address.url}api/`,
    acts,
    sockets: sockets.serving,
    disconnect: sockets.disconnect,
    async close(): Promise<void> {
      tries.close()
      line.close()
      state.timers.close()
      sockets.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** Where this machine reaches a server that listens there: one that listens everywhere also listens on loopback. */
function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

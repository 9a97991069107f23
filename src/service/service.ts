/** The monitoring service as one object: the API of docs/api.md over one source, with its pages and, on request, its control API. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Desk } from './api/operation.ts'
import { addApi, addEnvelope, type Before, type Env } from './api/serve.ts'
import { addControl, Control } from './control.ts'
import { type Keys, openKeys } from './keys.ts'
import { Ledger } from './ledger.ts'
import { openLoop } from './loop.ts'
import { addPush } from './own/otlp.ts'
import { type OwnSource, openOwn } from './own/own-source.ts'
import { openPrometheus, type PrometheusOptions } from './prometheus/prometheus-source.ts'
import { Mutes, Servers } from './servers.ts'
import type { Mute } from './source.ts'
import { closeStore, openShelf, openStore } from './store.ts'
import { addPages, metricsText, openLinks } from './web.ts'

const mutesMax = 500

export type ServiceOptions = {
  readonly port?: number
  readonly host?: string
  readonly controlPort?: number | null
  readonly key?: string | undefined
  /** A SQLite file; without it all is forgotten with the process. */
  readonly file?: string | undefined
  readonly sample?: boolean
  /** Between two rounds; null: only `tick` and questions begin one. Default 2,000. */
  readonly sampleMs?: number | null
  readonly fleet?: boolean | number
  readonly seed?: number
  readonly prometheus?: PrometheusOptions | undefined
  /** Where people reach the pages; '' where nobody does, and only programs of this machine ask. */
  readonly publicUrl?: string | undefined
  readonly nowMs?: () => number
  readonly report?: (line: string) => void
  /** Answers in place of the API: tests order faults there. */
  readonly before?: Before
}

export type Service = {
  readonly url: string
  readonly controlUrl: string | null
  /** The one that was given, good in each run whatever the file says. */
  readonly key: string | undefined
  readonly keys: Keys
  readonly control: Control
  tick(): Promise<void>
  requests(): Readonly<Record<string, number>>
  close(): Promise<void>
}

/** Rejects with a sentence if the file cannot be used or the engine lets nobody in, with the system's error if the port is taken. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { nowMs = Date.now, report = () => {}, sampleMs = 2000, controlPort = null, publicUrl, key } = options
  const db = openStore(options.file ?? null)
  const keys = openKeys(db, key === undefined ? [] : [key])
  const servers = new Servers(db)
  const shelf = openShelf<Mute>(db, 'mutes', mutesMax)
  const ledger = new Ledger(db)
  const common = { nowMs, everyMs: sampleMs ?? 2000 }
  const { prometheus, fleet = false, seed = 1, sample = true } = options
  const machine = sample ? hostname() : null
  const fleetSize = fleet === true ? 12 : Number(fleet)
  const own = prometheus ? null : openOwn(db, servers, ledger.open(), { ...common, machine, fleetSize, seed })
  const front = { ...common, ledger, servers, mutes: shelf, report }
  const source = prometheus ? openPrometheus(db, front, prometheus) : (own as OwnSource)
  const mutes = new Mutes(shelf, source)
  const loop = openLoop({ source, ledger, servers, mutes, nowMs, isTimed: sampleMs !== null, report })
  const listeners: Listener[] = []
  const url = () => listeners[0]?.url ?? ''
  const bases = { pages: () => publicUrl ?? url(), pictures: () => publicUrl || url() }
  const desk: Desk = { source, loop, ledger, servers, mutes, links: openLinks(db, bases), nowMs }
  const control = new Control(desk, own)
  const counts = new Map<string, number>()
  const requests = () => Object.fromEntries([...counts].sort())

  const app = new Hono<Env>()
  addEnvelope(app, report)
  app.get('/healthz', (c) => c.json({ message: 'alive' }))
  app.get('/metrics', (c) =>
    c.text(metricsText(desk, requests()), 200, { 'content-type': 'text/plain; version=0.0.4' }),
  )
  addApi(app, desk, {
    keys,
    before: options.before ?? (() => control.fault()),
    count: (template) => counts.set(template, (counts.get(template) ?? 0) + 1),
  })
  addPush(app, keys, own?.push ?? null)
  addPages(app, desk)

  async function end(): Promise<void> {
    control.makeBusy(0)
    for (const listener of listeners) await listener.close()
    await loop.stop()
    await source.stop()
    closeStore(db)
  }
  let ended: Promise<void> | null = null
  const close = () => {
    ended ??= end()
    return ended
  }
  try {
    listeners.push(await listen(app, options.port ?? 0, options.host ?? '127.0.0.1'))
    if (controlPort !== null) {
      const controls = new Hono<Env>()
      addEnvelope(controls, report)
      addControl(controls, control, keys, desk)
      listeners.push(await listen(controls, controlPort, '127.0.0.1'))
    }
    await loop.now()
    const refusal = loop.refusal()
    if ([401, 403].includes(refusal?.answered ?? 0)) throw refusal
  } catch (error) {
    await close()
    throw error
  }
  const controlUrl = listeners[1]?.url ?? null
  return { url: url(), controlUrl, key, keys, control, requests, tick: () => loop.now(), close }
}

type Listener = { readonly url: string; close(): Promise<void> }

async function listen(app: Hono<Env>, port: number, host: string): Promise<Listener> {
  const server = createServer(getRequestListener(app.fetch)).listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const name = ['0.0.0.0', '::'].includes(address.address) ? '127.0.0.1' : address.address
  return {
    url: `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

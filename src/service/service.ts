/** The monitoring service as one object: the API of docs/api.md over one source, with its pages and, on request, its control API. */
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Desk } from './api/operation.ts'
import { addApi, addEnvelope, type Before, type Env, openApiDocument } from './api/serve.ts'
import { addControl, Control, type FaultAsk } from './control.ts'
import { type Keys, openKeys } from './keys.ts'
import { Ledger } from './ledger.ts'
import { Loop } from './loop.ts'
import { Mutes, openMuteShelf } from './mutes.ts'
import type { AlertByHand, OneoffByHand, ScenarioAsk, ScenarioName } from './own/by-hand.ts'
import { addPush } from './own/otlp.ts'
import { OwnSource } from './own/own-source.ts'
import type { Rule } from './own/triggers.ts'
import { type PrometheusOptions, PrometheusSource } from './prometheus/source.ts'
import { Servers } from './servers.ts'
import { closeStore, type Db, openStore } from './store.ts'
import { addPages, metricsText, openLinks } from './web.ts'

export type ServiceOptions = {
  /** 0, the default, takes any free one. */
  readonly port?: number
  readonly host?: string
  /** Null, the default: no control API. */
  readonly controlPort?: number | null
  readonly key?: string
  readonly keys?: readonly string[]
  /** A SQLite file; without it all is forgotten with the process. */
  readonly file?: string
  /** Whether this machine is measured; default true. */
  readonly sample?: boolean
  /** Between two rounds; null: only `tick` and questions begin one. Default 2,000. */
  readonly sampleMs?: number | null
  readonly hostname?: string
  /** Simulated servers; true means twelve. */
  readonly fleet?: boolean | number
  readonly seed?: number
  readonly rules?: readonly Rule[]
  readonly prometheus?: PrometheusOptions
  /** Where people reach the pages; '' where nobody does, and only programs of this machine ask. */
  readonly publicUrl?: string
  readonly nowMs?: () => number
  readonly report?: (line: string) => void
  /** Answers in place of the API: tests order faults there. */
  readonly before?: Before
}

type Listener = { readonly url: string; close(): Promise<void> }

/** Rejects with a sentence if the file cannot be used or the engine lets nobody in, with the system's error if the port is taken. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const service = new Service(options)
  try {
    await service.start()
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

export class Service {
  /** Those that were given, good in each run whatever the file says. */
  readonly keys: readonly string[]
  private readonly options: ServiceOptions
  private readonly db: Db
  private readonly desk: Desk
  private readonly own: OwnSource | null
  private readonly book: Keys
  private readonly control: Control
  private readonly counts = new Map<string, number>()
  private readonly listeners: Listener[] = []
  private closing: Promise<void> | null = null

  constructor(options: ServiceOptions) {
    const { nowMs = Date.now, report = () => {}, sampleMs } = options
    this.options = options
    this.keys = [options.key, ...(options.keys ?? [])].filter((key) => key !== undefined)
    this.db = openStore(options.file ?? null)
    this.book = openKeys(this.db, this.keys)
    const servers = new Servers(this.db)
    const shelf = openMuteShelf(this.db)
    const ledger = new Ledger(this.db)
    const common = { nowMs, everyMs: sampleMs ?? 2000 }
    const source =
      options.prometheus === undefined
        ? new OwnSource(this.db, servers, ledger.open(), {
            ...common,
            machine: options.sample === false ? null : (options.hostname ?? hostname()),
            fleetSize: options.fleet === true ? 12 : Number(options.fleet ?? 0),
            seed: options.seed ?? 1,
            rules: options.rules ?? null,
          })
        : new PrometheusSource(
            this.db,
            { ...common, ledger, servers, mutes: shelf, report },
            options.prometheus,
          )
    this.own = source instanceof OwnSource ? source : null
    const mutes = new Mutes(shelf, source)
    const loop = new Loop({ source, ledger, servers, mutes, nowMs, isTimed: sampleMs !== null, report })
    const links = openLinks(this.db, {
      pages: () => options.publicUrl ?? this.url,
      pictures: () => options.publicUrl || this.url,
    })
    this.desk = { source, loop, ledger, servers, mutes, links, nowMs }
    this.control = new Control(this.controlParts())
  }

  /** `http://127.0.0.1:PORT` */
  get url(): string {
    return this.listeners[0]?.url ?? ''
  }

  get controlUrl(): string | null {
    return this.listeners[1]?.url ?? null
  }

  /** Takes the ports, and reads once. */
  async start(): Promise<void> {
    const { port = 0, host = '127.0.0.1', controlPort = null, report = () => {} } = this.options
    this.listeners.push(await listen(this.app(), port, host))
    if (controlPort !== null) {
      const app = new Hono<Env>()
      addEnvelope(app, report)
      addControl(app, this.control, this.controlParts())
      this.listeners.push(await listen(app, controlPort, '127.0.0.1'))
    }
    await this.desk.loop.now()
    const refusal = this.desk.loop.refusal()
    if ([401, 403].includes(refusal?.answered ?? 0)) throw refusal
  }

  /** Returns the number of the alert. In front of a Prometheus it throws, as all that is by hand. */
  openAlert(alert: AlertByHand): number {
    return this.control.open(alert)
  }

  closeAlert(id: number): void {
    this.control.close(id)
  }

  oneoff(oneoff: OneoffByHand): void {
    this.desk.ledger.add(this.control.simulated().byHand.oneoff(oneoff))
  }

  startScenario(
    name: ScenarioName,
    ask: ScenarioAsk = {},
  ): Promise<{ readonly alertIds: readonly number[] }> {
    return this.control.start(name, ask)
  }

  /** What the API answers in place of itself, or how much later. */
  orderFault(fault: FaultAsk): void {
    this.control.order(fault)
  }

  clearFaults(): void {
    this.control.order(null)
  }

  tick(): Promise<void> {
    return this.desk.loop.now()
  }

  addKey(key?: string): string {
    return this.book.add(this.desk.nowMs(), key)
  }

  removeKey(which: string): void {
    this.book.remove(which)
  }

  requests(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.counts].sort())
  }

  state(): object {
    return this.control.state()
  }

  close(): Promise<void> {
    this.closing ??= this.end()
    return this.closing
  }

  private controlParts() {
    return { desk: this.desk, keys: this.book, own: this.own, requests: () => this.requests() }
  }

  private app(): Hono<Env> {
    const { desk, own, options } = this
    const app = new Hono<Env>()
    addEnvelope(app, options.report ?? (() => {}))
    app.get('/healthz', (c) => c.json({ message: 'alive' }))
    app.get('/metrics', (c) =>
      c.text(metricsText(desk, this.requests()), 200, { 'content-type': 'text/plain; version=0.0.4' }),
    )
    app.get('/openapi.json', (c) => c.json(openApiDocument(options.publicUrl || this.url)))
    addApi(app, desk, {
      keys: this.book,
      before: options.before ?? (() => this.control.fault()),
      count: (template) => this.counts.set(template, (this.counts.get(template) ?? 0) + 1),
    })
    const push = own === null ? null : (bytes: Buffer, encoding: string) => own.push(bytes, encoding)
    addPush(app, { keys: this.book, push })
    addPages(app, desk)
    return app
  }

  private async end(): Promise<void> {
    this.control.makeBusy(0)
    for (const listener of this.listeners) await listener.close()
    await this.desk.loop.stop()
    await this.desk.source.stop()
    closeStore(this.db)
  }
}

async function listen(app: Hono<Env>, port: number, host: string): Promise<Listener> {
  const server = createServer(getRequestListener(app.fetch))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
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

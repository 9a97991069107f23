/** The whole monitoring service: the API of docs/api.md, a monitor of this machine, a simulated fleet, and a control API. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { AlertByHand, OneoffByHand } from './alerts/desk.ts'
import type { ScenarioAsk, ScenarioName, ScenarioRun } from './alerts/scenarios.ts'
import { addEnvelope, type Env } from './api/answer.ts'
import { addApi, type RequestCounts } from './api/api.ts'
import { openApiDocument } from './api/openapi.ts'
import { startBeat } from './beat.ts'
import { buildWorld } from './build-world.ts'
import type { FleetConfig } from './config/read-config.ts'
import { addControl } from './control/control.ts'
import { type Fault, type Faults, faultOrder, openFaults } from './control/faults.ts'
import { type BusyNow, openRunning } from './control/running.ts'
import { tellState } from './control/state.ts'
import { type Listener, listen } from './listen.ts'
import { sampleMachine } from './metrics/machine.ts'
import { type Metrics, openMetrics } from './ops/metrics.ts'
import { addOps } from './ops/routes.ts'
import { type ServiceOptions, type Settings, settle } from './options.ts'
import { addPush } from './push/routes.ts'
import { Refusal } from './refusal.ts'
import { type Ledger, memoryLedger } from './store/ledger.ts'
import { addPages } from './web/pages.ts'
import type { World } from './world.ts'

export type Service = {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string
  /** The same of the control API; null: it is off. */
  readonly controlUrl: string | null
  /** The keys whose text is known, those of the options first. */
  readonly keys: readonly string[]
  /** Returns the alert's id. */
  openAlert(alert: AlertByHand): number
  /** Returns the id of the closing record: the same in `flip`, a new one in `pair`. */
  closeAlert(id: number): number
  /** Returns the id of the record. */
  oneoff(oneoff: OneoffByHand): number
  startScenario(name: ScenarioName, ask?: ScenarioAsk): ScenarioRun
  /** Measures this machine if enabled, queries every exporter, and evaluates every trigger, now. */
  tick(): Promise<void>
  /** Switches to the servers and triggers of a new file. */
  useConfig(config: FleetConfig): void
  /** Puts real load on all cores of this machine, for at most 120 seconds; 0 ends it. */
  makeBusy(seconds: number): BusyNow
  addKey(key?: string): string
  /** By its position from 0, or by its text. */
  removeKey(which: number | string): void
  /** Makes the next answers fail; see `faultOrder`. */
  orderFault(fault: Partial<Fault>): void
  /** Cancels ordered faults; an answer in progress still fails. */
  clearFaults(): void
  /** API requests so far by `METHOD /template`. */
  requests(): Readonly<Record<string, number>>
  /** The answer to `GET /control/state`. */
  state(): object
  /** Ends connections, timers and child processes, and writes unsaved data to disk. */
  close(): Promise<void>
}

/** Rejects if an option is wrong, the port is taken or the file cannot be used; nothing is left open then. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const settings = settle(options)
  const ledger = settings.file === null ? memoryLedger() : await openFile(settings.file, settings)
  try {
    return await openOn(ledger, settings)
  } catch (error) {
    ledger.close()
    throw error
  }
}

async function openFile(file: string, { onLost, report }: Settings): Promise<Ledger> {
  // Imported here, so that a service without a file never loads the native module.
  const { openSqliteLedger } = await import('./store/sqlite-ledger.ts')
  return openSqliteLedger(file, { onLost: ({ message }) => onLost(message), report })
}

async function openOn(ledger: Ledger, settings: Settings): Promise<Service> {
  let listener: Listener | null = null
  const metrics = openMetrics()
  const ownUrl = (): string => listener?.url ?? ''
  const { world, evaluate, flush, useConfig } = buildWorld(
    settings,
    ledger,
    () => settings.publicUrl ?? ownUrl(),
    metrics,
  )
  const faults = openFaults(world.nowMs)
  const counts: RequestCounts = new Map()
  const requests = () => Object.fromEntries([...counts].sort())
  const running = openRunning(world.nowMs)
  const report = (error: unknown): void =>
    settings.report(error instanceof Error ? (error.stack ?? error.message) : String(error))

  async function work(): Promise<void> {
    evaluate(settings.sample ? await sampleMachine() : [])
  }

  const beat = startBeat(work, settings.sampleMs, report)

  async function tick(): Promise<void> {
    await world.fleet.scrape()
    await beat.now()
  }

  const app = openApp(world, settings, { faults, counts, metrics, ownUrl })
  const control = new Hono<Env>()
  addEnvelope(control, { newRequestId: randomUUID, report: settings.report })
  addControl(control, world, { faults, requests, running, tick })
  let controlListener: Listener | null = null

  try {
    await world.source.start()
    listener = await listen(app, settings.port, settings.host)
    if (settings.controlPort !== null)
      controlListener = await listen(control, settings.controlPort, '127.0.0.1')
  } catch (error) {
    await listener?.close()
    await beat.stop()
    await world.source.stop()
    await world.fleet.stop()
    throw error
  }
  const { url, close: closeListener } = listener
  let closing: Promise<void> | null = null

  async function closeAll(): Promise<void> {
    running.stop()
    await Promise.all([closeListener(), controlListener?.close()])
    await beat.stop()
    await world.source.stop()
    await world.fleet.stop()
    flush()
    ledger.close()
  }

  return {
    url,
    controlUrl: controlListener?.url ?? null,
    get keys() {
      return world.keys.texts()
    },
    openAlert: world.desk.openAlert,
    closeAlert: world.desk.closeAlert,
    oneoff: world.desk.oneoff,
    startScenario: (name, ask = {}) => running.noteScenario(world.startScenario(name, ask)),
    tick,
    useConfig,
    makeBusy: running.makeBusy,
    addKey: world.keys.add,
    removeKey: world.keys.remove,
    orderFault: (fault) => faults.order(faultOrder.parse(fault)),
    clearFaults: faults.clear,
    requests,
    state: () => ({ ...tellState(world), running: running.now() }),
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

/** What answers at the API's port. */
function openApp(
  world: World,
  settings: Settings,
  parts: {
    readonly faults: Faults
    readonly counts: RequestCounts
    readonly metrics: Metrics
    ownUrl(): string
  },
): Hono<Env> {
  const { faults, counts, metrics, ownUrl } = parts
  const app = new Hono<Env>()
  addEnvelope(app, { newRequestId: randomUUID, report: settings.report })
  addOps(app, world, metrics)
  addApi(app, world, { faults, counts, meter: metrics })
  // In one transaction: each new name would be a separate disk write otherwise.
  addPush(app, { hasKey: world.keys.has, take: (push) => world.ledger.together(() => world.push(push)) })
  addPages(app, world)
  app.get('/openapi.json', (c) => c.json(openApiDocument(settings.publicUrl ?? ownUrl())))
  app.all('/control/*', () => {
    throw new Refusal(404, 'the control API has a port of its own on this machine: set MONITOR_CONTROL_PORT')
  })
  return app
}

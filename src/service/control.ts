/**
 * The control API of demos and tests, on a port of its own on loopback, without a key: it refuses what a proxy passes on. Bodies and
 * answers are JSON, errors are `{message}`. `state`, `series`, `scenarios`, `busy`, `faults`, `alerts`, `oneoffs`,
 * `keys`, `tick`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { isOfThisMachine } from '../shared/this-machine.ts'
import type { Desk } from './api/operation.ts'
import { parseFields, readBody } from './api/parameters.ts'
import type { Env } from './api/serve.ts'
import type { Keys } from './keys.ts'
import { keyText, labelOf, metricTypes, outOfReach, wordsOf } from './metrics.ts'
import {
  type AlertByHand,
  type ScenarioAsk,
  type ScenarioName,
  type ScenarioRun,
  scenarios,
} from './own/by-hand.ts'
import type { OwnSource } from './own/own-source.ts'
import { covers, sideOf } from './own/triggers.ts'
import { quoted, Refusal, type StoredAlert } from './source.ts'

export type ControlParts = {
  readonly desk: Desk
  readonly keys: Keys
  /** Null in front of a Prometheus: nothing is opened by hand there. */
  readonly own: OwnSource | null
  requests(): Readonly<Record<string, number>>
}

const text = z.string().min(1).max(300)
const seconds = z
  .number()
  .min(0)
  .max(24 * 60 * 60)
const alertAsk = z.strictObject({
  server: text,
  plugin: text,
  metric: text.optional(),
  value: z.number().optional(),
  title: text.optional(),
  role: text.optional(),
  seconds: seconds.optional(),
})
const oneoffAsk = z.strictObject({ server: text, plugin: text, title: text, role: text.optional() })
const scenarioAsk = z.strictObject({
  server: text.optional(),
  count: z.int().min(1).max(5000).optional(),
  seconds: seconds.optional(),
})
/** What the API answers in place of itself, or how much later. */
const faultAsk = z.strictObject({
  status: z.int().min(400).max(599).optional(),
  body: z.enum(['html']).optional(),
  delayMs: z.number().min(0).max(60_000).optional(),
  times: z.int().min(1).max(10_000).default(1),
  seconds: seconds.default(600),
})
export type FaultAsk = z.input<typeof faultAsk>
type Fault = z.output<typeof faultAsk> & { readonly endsAtMs: number }
const busyAsk = z.strictObject({ seconds: z.number().min(0).max(120) })
const keyAsk = z.strictObject({ key: z.string().optional() })
const seriesAsk = z.strictObject({
  server: text.optional(),
  type: z.enum(metricTypes).default('cpu'),
  source: z.string().max(300).default(''),
  metric: text.default('cpu_busy'),
  seconds: z.coerce.number().min(60).max(7200).default(600),
})

/** Ends by its own time and when its parent is gone: a killed service leaves no load behind. */
const burner = `const [until, parent] = process.argv.slice(1).map(Number)
while (Date.now() < until && process.ppid === parent) { for (let i = 0; i < 1e7; i++); }`

export class Control {
  private readonly parts: ControlParts
  private runs: ScenarioRun[] = []
  private burners: ChildProcess[] = []
  private busyUntilMs = 0
  private ordered: Fault[] = []

  constructor(parts: ControlParts) {
    this.parts = parts
  }

  simulated(): OwnSource {
    if (this.parts.own !== null) return this.parts.own
    throw new Refusal(
      501,
      'expected a service that measures by itself; this one stands in front of a Prometheus',
    )
  }

  open(alert: AlertByHand): number {
    return this.parts.desk.ledger.add(this.simulated().byHand.open(alert))
  }

  close(id: number): void {
    const { ledger, nowMs } = this.parts.desk
    const alert = ledger.get(id)
    if (alert === undefined || alert.endedMs !== null)
      throw new Refusal(404, `no open alert has the number ${id}`)
    this.simulated().byHand.close(alert.key)
    ledger.close(id, nowMs())
  }

  async start(name: ScenarioName, ask: ScenarioAsk): Promise<ScenarioRun & { alertIds: number[] }> {
    const { ledger, loop } = this.parts.desk
    const before = new Set(ledger.open().map(({ id }) => id))
    const run = this.simulated().byHand.start(name, ask)
    this.runs = [...this.running(), run].slice(-200)
    await loop.now()
    const isNew = ({ id, key }: StoredAlert) => key.startsWith('hand') && !before.has(id)
    const alertIds = ledger
      .open()
      .filter(isNew)
      .map(({ id }) => id)
    return { ...run, alertIds }
  }

  end(): void {
    const { byHand, fleet } = this.simulated()
    fleet.clear(this.parts.desk.nowMs())
    for (const { key } of this.parts.desk.ledger.open()) byHand.close(key)
    this.runs = []
    this.makeBusy(0)
  }

  faults(): readonly Fault[] {
    this.ordered = this.ordered.filter(
      ({ times, endsAtMs }) => times > 0 && endsAtMs > this.parts.desk.nowMs(),
    )
    return this.ordered
  }

  /** Null clears all. */
  order(ask: FaultAsk | null): void {
    if (ask === null) {
      this.ordered = []
      return
    }
    const fault = faultAsk.parse(ask)
    const endsAtMs = this.parts.desk.nowMs() + fault.seconds * 1000
    this.ordered = [...this.faults(), { ...fault, endsAtMs }]
  }

  /** The answer that the first fault orders; null: the API's own, perhaps later. */
  async fault(): Promise<Response | null> {
    const [fault] = this.faults()
    if (fault === undefined) return null
    this.ordered = [{ ...fault, times: fault.times - 1 }, ...this.ordered.slice(1)]
    if (fault.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
    const { status, body } = fault
    if (status === undefined) return null
    if (body === 'html')
      return new Response('<h1>Away</h1>', { status, headers: { 'content-type': 'text/html' } })
    return Response.json({ message: `ordered fault ${status}` }, { status })
  }

  makeBusy(seconds: number): { pids: number[] } {
    for (const child of this.burners) child.kill('SIGKILL')
    this.busyUntilMs = this.parts.desk.nowMs() + seconds * 1000
    const args = ['--eval', burner, String(Date.now() + seconds * 1000), String(process.pid)]
    const each = seconds > 0 ? cpus() : []
    this.burners = each.map(() => spawn(process.execPath, args, { stdio: 'ignore' }))
    for (const child of this.burners) child.on('error', () => {}).unref()
    return { pids: this.burners.flatMap(({ pid }) => pid ?? []) }
  }

  state(): object {
    const isBusy = this.busyUntilMs > this.parts.desk.nowMs()
    const scenarios = this.running().map(({ scenario, servers, endsAtMs }) => ({
      scenario,
      server: servers[0] ?? '',
      servers: servers.length,
      ends_at_ms: endsAtMs,
    }))
    return {
      ...stateOf(this.parts),
      running: { scenarios, busy_until_ms: isBusy ? this.busyUntilMs : null },
    }
  }

  private running(): ScenarioRun[] {
    return this.runs.filter(({ endsAtMs }) => endsAtMs > this.parts.desk.nowMs())
  }
}

export function addControl(app: Hono<Env>, control: Control, { desk, keys, requests }: ControlParts): void {
  app.use((c, next) => {
    if (!isOfThisMachine(c.env.incoming))
      throw new Refusal(403, 'the control API answers only requests that this machine makes to itself')
    return next()
  })
  app.get('/control/state', (c) => c.json(control.state()))
  app.get('/control/requests', (c) => c.json({ requests: requests() }))
  app.get('/control/series', (c) =>
    c.json(seriesOf(desk, control.simulated(), parseFields(seriesAsk, c.req.query()))),
  )
  app.get('/control/scenarios', (c) => c.json({ scenarios }))
  app.post('/control/scenarios/:name', async (c) => {
    const name = c.req.param('name')
    const ask = await bodyOf(c, scenarioAsk)
    if (!Object.hasOwn(scenarios, name))
      throw new Refusal(404, `no such scenario; expected one of ${Object.keys(scenarios).join(', ')}`)
    return c.json(await control.start(name as ScenarioName, ask))
  })
  app.delete('/control/scenarios', (c) => {
    control.end()
    return c.json({ message: 'all trouble ends' })
  })
  app.get('/control/faults', (c) => c.json(faultsOf(control)))
  app.post('/control/faults', async (c) => {
    control.order(await bodyOf(c, faultAsk))
    return c.json(faultsOf(control))
  })
  app.delete('/control/faults', (c) => {
    control.order(null)
    return c.json(faultsOf(control))
  })
  app.post('/control/busy', async (c) => c.json(control.makeBusy((await bodyOf(c, busyAsk)).seconds)))
  app.get('/control/alerts', (c) => c.json({ ids: desk.ledger.ids() }))
  app.post('/control/alerts', async (c) => c.json({ id: control.open(await bodyOf(c, alertAsk)) }))
  app.post('/control/alerts/:id/close', (c) => {
    control.close(Number(c.req.param('id')))
    return c.json({ message: 'it is closed' })
  })
  app.post('/control/oneoffs', async (c) => {
    control.simulated().byHand.oneoff(await bodyOf(c, oneoffAsk))
    await desk.loop.now()
    return c.json({ message: 'it happened' })
  })
  app.get('/control/keys', (c) => c.json({ keys: keys.list() }))
  app.post('/control/keys', async (c) =>
    c.json({ key: keys.add(desk.nowMs(), (await bodyOf(c, keyAsk)).key) }),
  )
  app.delete('/control/keys', async (c) => {
    keys.remove((await bodyOf(c, keyAsk)).key ?? '')
    return c.json({ keys: keys.list() })
  })
  app.post('/control/tick', async (c) => {
    await desk.loop.now()
    return c.json({ open_alerts: desk.ledger.open().length })
  })
}

function faultsOf(control: Control): object {
  return { faults: control.faults().map(({ endsAtMs, ...fault }) => ({ ...fault, ends_at_ms: endsAtMs })) }
}

/** What an operator may see; never a key. */
function stateOf({ desk: { servers, ledger, source, nowMs }, own, keys }: ControlParts): object {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    now: time(nowMs()),
    account: { notifications: servers.account() },
    keys: keys.list().length,
    source: source.state(),
    servers: servers.all().map(({ host, environment, kind, notifications, noDataGroup }) => ({
      hostname: host,
      kind,
      environment,
      roles: servers.rolesOf(host),
      notifications,
      no_data_notification_group: noDataGroup,
      last_sample: time(own?.samples.lastMs(host) ?? null),
    })),
    markers: servers.markers().map(({ notes, atMs }) => ({ notes, time: time(atMs) })),
    open_alerts: ledger.open().map(({ id, host, plugin, metric, title, startedMs }) => ({
      id,
      server: host,
      plugin,
      metric,
      title,
      time: time(startedMs),
      muted: !servers.account() || servers.get(host)?.notifications === false,
    })),
  }
}

function seriesOf({ servers, nowMs }: Desk, own: OwnSource, ask: z.output<typeof seriesAsk>): object {
  const server =
    ask.server === undefined
      ? (servers.all().find(({ kind }) => kind === 'machine') ?? servers.all()[0])
      : servers.known(ask.server)
  if (server === undefined) throw new Refusal(404, 'there is no server')
  const key = own
    .keysOf(server.host)
    .find((one) => keyText(one) === keyText({ type: ask.type, source: ask.source, metric: ask.metric }))
  if (key === undefined)
    throw new Refusal(404, `metric: ${quoted(server.host)} has no ${ask.type} metric ${quoted(ask.metric)}`)
  const stepMs = Math.max(5000, Math.ceil(ask.seconds / 150) * 1000)
  const fromMs = Math.floor((nowMs() - ask.seconds * 1000) / stepMs) * stepMs
  const value = own.valueNow(server, key)
  const limits = own.triggers
    .filter((trigger) => covers(trigger, key, server.kind))
    .flatMap((trigger) => {
      const of = (side: 'max' | 'low', limit: number) => ({
        side,
        value: limit,
        duration_ms: trigger.durationMs,
        condition: trigger.condition,
        met: value !== null && sideOf(trigger, value) !== null,
      })
      return [
        ...(trigger.maxValue < outOfReach ? [of('max', trigger.maxValue)] : []),
        ...(trigger.lowValue === null ? [] : [of('low', trigger.lowValue)]),
      ]
    })
  return {
    server: server.host,
    ...key,
    label: labelOf(key),
    ...wordsOf(key),
    now_ms: nowMs(),
    from_ms: fromMs,
    step_ms: stepMs,
    points: own.points(server.host, key, { fromMs, stepMs, count: Math.ceil((nowMs() - fromMs) / stepMs) }),
    value,
    limits,
    markers: servers
      .markers()
      .filter(({ atMs }) => atMs >= fromMs)
      .map(({ notes, atMs }) => ({ notes, at_ms: atMs })),
    metrics: own.keysOf(server.host).map((one) => ({ ...one, label: labelOf(one) })),
  }
}

async function bodyOf<S extends z.ZodType>(c: Context<Env>, schema: S): Promise<z.output<S>> {
  const { body } = c.req.raw
  const said = body === null ? '' : (await readBody(body)).toString('utf8')
  try {
    return parseFields(schema, said.trim() === '' ? {} : JSON.parse(said))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(422, 'body: expected JSON; came other text')
    throw error
  }
}

/**
 * The control API of the demo, on a port of its own on loopback, without a key: it refuses what a proxy passes on. Bodies and answers
 * are JSON, errors are `{message}`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { isOfThisMachine } from '../shared/this-machine.ts'
import { type Desk, parseFields, readBody } from './api/operation.ts'
import type { Env } from './api/serve.ts'
import type { Keys } from './keys.ts'
import type { AlertByHand, OneoffByHand, ScenarioAsk, ScenarioRun } from './own/by-hand.ts'
import { alertAsk, scenarioAsk } from './own/by-hand.ts'
import type { OwnSource } from './own/own-source.ts'
import { Refusal } from './source.ts'

/** What the API answers in place of itself, or how much later. */
const faultAsk = z.strictObject({
  status: z.int().min(400).max(599).optional(),
  body: z.enum(['html']).optional(),
  delayMs: z.number().min(0).max(60_000).optional(),
  times: z.int().min(1).max(10_000).default(1),
  seconds: z.number().min(0).max(86_400).default(600),
})
type Fault = z.output<typeof faultAsk> & { readonly ends_at_ms: number }
const busyAsk = z.strictObject({ seconds: z.number().min(0).max(120) })
const keyAsk = z.strictObject({ key: z.string().optional() })

/** Ends by its own time and when its parent is gone: a killed service leaves no load behind. */
const burner = `const [until, parent] = process.argv.slice(1).map(Number)
while (Date.now() < until && process.ppid === parent) { for (let i = 0; i < 1e7; i++); }`

export class Control {
  private readonly desk: Desk
  private readonly own: OwnSource | null
  private runs: ScenarioRun[] = []
  private burners: ChildProcess[] = []
  private busyUntilMs = 0
  private ordered: Fault[] = []

  /** `own` null: in front of a Prometheus, where nothing is opened by hand. */
  constructor(desk: Desk, own: OwnSource | null) {
    this.desk = desk
    this.own = own
  }

  open(alert: AlertByHand): number {
    return this.desk.ledger.add(this.simulated().byHand.open(alert))
  }

  close(id: number): void {
    const alert = this.desk.ledger.get(id)
    if (alert !== undefined) this.simulated().byHand.close(alert.key)
    this.desk.ledger.close(id, this.desk.nowMs())
  }

  oneoff(oneoff: OneoffByHand): void {
    this.desk.ledger.add(this.simulated().byHand.oneoff(oneoff))
  }

  async start(name: string, ask: ScenarioAsk): Promise<ScenarioRun> {
    const run = this.simulated().byHand.start(name, ask)
    this.runs = [...this.runs.filter(({ endsAtMs }) => endsAtMs > this.desk.nowMs()), run]
    await this.desk.loop.now()
    return run
  }

  end(): void {
    const { byHand, fleet } = this.simulated()
    fleet.clear(this.desk.nowMs())
    for (const { key } of this.desk.ledger.open()) byHand.close(key)
    this.runs = []
    this.makeBusy(0)
  }

  faults(): readonly Fault[] {
    const nowMs = this.desk.nowMs()
    this.ordered = this.ordered.filter(({ times, ends_at_ms: endsMs }) => times > 0 && endsMs > nowMs)
    return this.ordered
  }

  /** Null clears all. */
  order(ask: z.input<typeof faultAsk> | null): void {
    const fault = ask === null ? null : faultAsk.parse(ask)
    const endsMs = this.desk.nowMs() + (fault?.seconds ?? 0) * 1000
    this.ordered = fault === null ? [] : [...this.faults(), { ...fault, ends_at_ms: endsMs }]
  }

  /** The answer that the first fault orders; null: the API's own, perhaps later. */
  async fault(): Promise<Response | null> {
    const [fault, ...others] = this.faults()
    if (fault === undefined) return null
    this.ordered = [{ ...fault, times: fault.times - 1 }, ...others]
    const { status, body, delayMs } = fault
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (status === undefined) return null
    if (body === 'html')
      return new Response('<h1>Away</h1>', { status, headers: { 'content-type': 'text/html' } })
    return Response.json({ message: `ordered fault ${status}` }, { status })
  }

  makeBusy(forSeconds: number): void {
    for (const child of this.burners) child.kill('SIGKILL')
    this.busyUntilMs = this.desk.nowMs() + forSeconds * 1000
    const args = ['--eval', burner, String(Date.now() + forSeconds * 1000), String(process.pid)]
    const each = forSeconds > 0 ? cpus() : []
    this.burners = each.map(() => spawn(process.execPath, args, { stdio: 'ignore' }))
    for (const child of this.burners) child.on('error', () => {}).unref()
  }

  /** What runs, and what people set by the API; never a key. */
  state() {
    const { servers, ledger, source, nowMs } = this.desk
    const running = this.runs.filter(({ endsAtMs }) => endsAtMs > nowMs())
    return {
      account: servers.account(),
      source: source.state(),
      servers: servers.all(),
      markers: servers.markers(),
      open_alerts: ledger.open().map(({ id, host, title }) => ({ id, server: host, title })),
      running: {
        scenarios: running.map(({ scenario, endsAtMs }) => ({ scenario, ends_at_ms: endsAtMs })),
        busy_until_ms: this.busyUntilMs > nowMs() ? this.busyUntilMs : null,
      },
    }
  }

  private simulated(): OwnSource {
    if (this.own !== null) return this.own
    throw new Refusal(501, 'nothing is simulated here: this service stands in front of a Prometheus')
  }
}

export function addControl(app: Hono<Env>, control: Control, keys: Keys, { ledger, nowMs }: Desk): void {
  app.use((c, next) => {
    if (!isOfThisMachine(c.env.incoming))
      throw new Refusal(403, 'the control API answers only requests that this machine makes to itself')
    return next()
  })
  const routes: Record<string, (c: Context<Env>) => unknown> = {
    'GET state': () => control.state(),
    'POST scenarios/:name': async (c) =>
      control.start(c.req.param('name') ?? '', await bodyOf(c, scenarioAsk)),
    'DELETE scenarios': () => control.end(),
    'GET faults': () => ({ faults: control.faults() }),
    'POST faults': async (c) => control.order(await bodyOf(c, faultAsk)),
    'DELETE faults': () => control.order(null),
    'POST busy': async (c) => control.makeBusy((await bodyOf(c, busyAsk)).seconds),
    'POST alerts': async (c) => ({ id: control.open(await bodyOf(c, alertAsk)) }),
    'GET alerts': () => ({ ids: ledger.every().map(({ id }) => id) }),
    'GET keys': () => ({ keys: keys.list() }),
    'POST keys': async (c) => ({ key: keys.add(nowMs(), (await bodyOf(c, keyAsk)).key) }),
    'DELETE keys': async (c) => keys.remove((await bodyOf(c, keyAsk)).key ?? ''),
  }
  for (const [route, work] of Object.entries(routes)) {
    const [method = '', path] = route.split(' ')
    app.on(method, `/control/${path}`, async (c) => c.json((await work(c)) ?? { message: 'done' }))
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

/** A small fake of Prometheus and of an Alertmanager, over real HTTP: rules that fire, silences as 0.25 keeps them, faults by switch. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PrometheusOptions } from '../../../src/service/prometheus/prometheus-source.ts'
import { type Clock, clockByHand, minute, openTown, startMs, type Town } from './town.ts'

export type Labels = Record<string, string>
export type FakeRule = {
  name: string
  query: string
  for: number
  labels: Labels
  annotations: Labels
  health: string
  lastEvaluation?: number
  alerts: { labels: Labels; state: string; activeMs: number; value: number }[]
}
type Matcher = { name: string; value: string; isRegex: boolean; isEqual: boolean }
export type FakeSilence = {
  id: string
  matchers: Matcher[]
  startsAt: string
  endsAt: string
  updatedAt: string
  createdBy: string
  comment: string
}
type Series = { metric: Labels; value?: [number, string]; values?: [number, string][] }

/** A Prometheus with its rules. */
class FakeEngine {
  rules: FakeRule[] = []
  up: (Labels & { value?: string })[] = []
  external: Labels = {}
  configuredMs = startMs
  startedMs = startMs - 60 * minute
  warnings: string[] = []
  /** A status for requests whose method and path contain a text. */
  faults: Record<string, number> = {}
  asked: string[] = []
  query: (query: string, form: URLSearchParams) => Series[] = () => []
  clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  rule(name: string, query = 'x > 5', rest: Partial<FakeRule> = {}): FakeRule {
    const rule = { name, query, for: 60, labels: {}, annotations: {}, health: 'ok', alerts: [], ...rest }
    this.rules.push(rule)
    return rule
  }

  answer(path: string, form: URLSearchParams): unknown {
    const now = new Date(this.clock.nowMs()).toISOString()
    if (path === '/api/v1/rules') {
      const rules = this.rules.map(({ for: duration, alerts, lastEvaluation, ...rule }) => ({
        ...rule,
        duration,
        type: 'alerting',
        lastEvaluation: lastEvaluation === undefined ? now : new Date(lastEvaluation).toISOString(),
        alerts: alerts.map(({ labels, activeMs, value, state }) => ({
          labels: { alertname: rule.name, ...rule.labels, ...labels },
          annotations: rule.annotations,
          state,
          activeAt: new Date(activeMs).toISOString(),
          value: String(value),
        })),
      }))
      return { data: { groups: [{ rules }] }, warnings: this.warnings }
    }
    if (path === '/api/v1/status/runtimeinfo')
      return {
        data: {
          startTime: new Date(this.startedMs).toISOString(),
          lastConfigTime: new Date(this.configuredMs).toISOString(),
        },
      }
    if (path === '/api/v1/status/config') {
      const lines = Object.entries(this.external).map(([name, value]) => `    ${name}: ${value}\n`)
      return {
        data: {
          yaml: `global:\n  scrape_interval: 1s\n  external_labels:\n${lines.join('')}rule_files: []\n`,
        },
      }
    }
    const query = form.get('query') ?? ''
    this.asked.push(query)
    if (query !== 'up') return { data: { result: this.query(query, form) } }
    const result = this.up.map(({ value = '1', ...metric }) => ({
      metric,
      value: [this.clock.nowMs() / 1000, value],
    }))
    return { data: { result } }
  }

  reload(external: Labels): void {
    this.external = external
    this.configuredMs += 1
  }
}

export class FakeManager {
  alerts: { labels: Labels; annotations: Labels; startsMs: number; inhibitedBy?: string[] }[] = []
  silences: FakeSilence[] = []
  startedMs = startMs - 60 * minute
  faults: Record<string, number> = {}
  clock: Clock
  private given = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  add(labels: Labels, startsMs = this.clock.nowMs(), annotations: Labels = {}): void {
    this.alerts.push({ labels, annotations, startsMs })
  }

  remove(labels: Labels): void {
    const isIt = (one: Labels) => Object.entries(labels).every(([name, value]) => one[name] === value)
    this.alerts = this.alerts.filter((one) => !isIt(one.labels))
  }

  active(): FakeSilence[] {
    return this.silences.filter((one) => this.stateOf(one) === 'active')
  }

  /** As a person does it, in the Alertmanager's own page. */
  expire(id: string): void {
    const now = new Date(this.clock.nowMs()).toISOString()
    const one = this.silences.find((silence) => silence.id === id)
    if (one !== undefined) Object.assign(one, { endsAt: now, updatedAt: now })
  }

  stateOf({ startsAt, endsAt }: FakeSilence): string {
    if (Date.parse(endsAt) <= this.clock.nowMs()) return 'expired'
    return Date.parse(startsAt) > this.clock.nowMs() ? 'pending' : 'active'
  }

  /** `silence.go` of 0.25, `Set`: in place if nothing but its end and its words change, else another one, and the first one ends. */
  post(silence: Omit<FakeSilence, 'id' | 'updatedAt'> & { id?: string }): { silenceID: string } {
    const former = this.silences.find(({ id }) => id === silence.id)
    const updatedAt = new Date(this.clock.nowMs()).toISOString()
    const same = (one: object) =>
      JSON.stringify((one as FakeSilence).matchers) + (one as FakeSilence).startsAt
    if (former !== undefined && this.stateOf(former) !== 'expired') {
      if (same(former) === same(silence)) {
        Object.assign(former, silence, { updatedAt })
        return { silenceID: former.id }
      }
      this.expire(former.id)
    }
    this.given += 1
    const id = `silence-${this.given}`
    this.silences.push({ ...silence, id, updatedAt })
    return { silenceID: id }
  }

  answer(method: string, path: string, body: string): unknown {
    if (path === '/api/v2/status') return { uptime: new Date(this.startedMs).toISOString() }
    if (path === '/api/v2/alerts') return this.alerts.map((one) => this.told(one))
    if (method === 'POST') return this.post(JSON.parse(body))
    if (method === 'DELETE') return void this.expire(path.split('/').at(-1) ?? '')
    return this.silences.map((one) => ({ ...one, status: { state: this.stateOf(one) } }))
  }

  private told({ labels, annotations, startsMs, inhibitedBy = [] }: FakeManager['alerts'][number]): object {
    const silencedBy = this.active()
      .filter(({ matchers }) => matchers.every((one) => matches(one, labels)))
      .map(({ id }) => id)
    const state = silencedBy.length + inhibitedBy.length === 0 ? 'active' : 'suppressed'
    return {
      labels,
      annotations,
      startsAt: new Date(startsMs).toISOString(),
      endsAt: new Date(this.clock.nowMs() + 4 * minute).toISOString(),
      fingerprint: JSON.stringify(Object.entries(labels).sort()),
      generatorURL: 'http://prometheus:9090/graph?g0.expr=x',
      status: { state, silencedBy, inhibitedBy },
    }
  }
}

function matches({ name, value, isRegex, isEqual }: Matcher, labels: Labels): boolean {
  const own = labels[name] ?? ''
  return (isRegex ? new RegExp(`^(?:${value})$`).test(own) : own === value) === isEqual
}

type Answering = {
  faults: Record<string, number>
  answer(method: string, path: string, body: string): unknown
}

export async function serve(one: Answering): Promise<URL> {
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    const asked = `${request.method} ${pathname}`
    const fault = Object.entries(one.faults).find(([part]) => asked.includes(part))?.[1]
    const said = await textOf(request)
    response.writeHead(fault ?? 200, { 'content-type': 'application/json' })
    const body =
      fault === undefined
        ? one.answer(request.method ?? '', pathname, said || search.slice(1))
        : { error: 'on purpose' }
    response.end(JSON.stringify(body ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

export type Front = Town & {
  readonly options: PrometheusOptions
  readonly engine: FakeEngine
  readonly engines: readonly FakeEngine[]
  readonly manager: FakeManager
  readonly managers: readonly FakeManager[]
  /** It fires in the rules and, with the external labels, at the first Alertmanager. */
  fire(rule: FakeRule, labels?: Labels, value?: number): void
  resolve(rule: FakeRule, labels?: Labels): void
  /** So many rounds, 2 s each. */
  rounds(count: number): Promise<void>
}

/** `engines` rulers, of which the first is asked for series too; none: an Alertmanager alone. */
export async function openFront(
  counts: {
    engines?: number
    managers?: number
    reporters?: readonly string[]
    file?: string
    /** What is there when the service begins. */
    prepare?: (engine: FakeEngine, manager: FakeManager) => void
  } = {},
): Promise<Front> {
  const clock = clockByHand()
  const engines = Array.from({ length: counts.engines ?? 1 }, () => new FakeEngine(clock))
  const managers = Array.from({ length: counts.managers ?? 1 }, () => new FakeManager(clock))
  const rulers = await Promise.all(
    engines.map((one) => serve(Object.assign(one, { answer: asked(one) }) as unknown as Answering)),
  )
  const options: PrometheusOptions = {
    url: rulers[0] ?? null,
    rulers: rulers.length > 1 ? rulers : [],
    alertmanagers: await Promise.all(managers.map(serve)),
    access: {},
    managerAccess: {},
    reporters: counts.reporters ?? [],
  }
  const [engine = new FakeEngine(clock)] = engines
  const [manager = new FakeManager(clock)] = managers
  counts.prepare?.(engine, manager)
  const file = counts.file === undefined ? {} : { file: counts.file }
  const town = await openTown({ prometheus: options, nowMs: clock.nowMs, ...file })
  return {
    ...town,
    options,
    clock,
    engine,
    engines,
    manager,
    managers,
    fire(rule, labels = {}, value = 9) {
      rule.alerts.push({ labels, state: 'firing', activeMs: clock.nowMs() - rule.for * 1000, value })
      const all = { ...engine.external, alertname: rule.name, ...rule.labels, ...labels }
      if (managers.length > 0) manager.add(all, clock.nowMs(), rule.annotations)
    },
    resolve(rule, labels = {}) {
      const isIt = (own: Labels) => Object.entries(labels).every(([name, value]) => own[name] === value)
      rule.alerts = rule.alerts.filter((one) => !isIt(one.labels))
      manager.remove({ alertname: rule.name, ...labels })
    },
    async rounds(count) {
      for (let n = 0; n < count; n += 1) {
        clock.pass(2000)
        await town.service.tick()
      }
    },
  }
}

function asked(engine: FakeEngine): Answering['answer'] {
  const answer = engine.answer.bind(engine)
  return (_, path, body) => answer(path, new URLSearchParams(body))
}

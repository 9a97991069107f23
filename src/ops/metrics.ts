/** The numbers of `/metrics`, in the text format of Prometheus: counted from the journal, or read when they are asked for. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Health } from '../domain/answer.ts'
import { troubleKinds } from '../domain/channel-trouble.ts'
import type { Journal } from '../flow/ports.ts'
import type { Store } from '../flow/store-port.ts'
import { type Count, countsOf } from './count-event.ts'
import { cardStates, liveMuteStates, type MetricKey, type MetricSpec, metricTable } from './metric-table.ts'

export type Metrics = {
  /** A journal that says everything on, and counts it. */
  counting(journal: Journal): Journal
  /** The page. */
  page(sources: MetricSources): Promise<MetricsPage>
}

export type MetricsPage = { readonly contentType: string; readonly text: string }

/** Where the numbers come from that say how it is now. */
export type MetricSources = {
  readonly store: Pick<Store, 'countCards' | 'mutes' | 'findAlerts'>
  readonly health: () => Health
  /** Since when it is blind; null while it is not. */
  readonly blindSinceMs: () => number | null
  readonly startedMs: number
}

/** A registry of its own: two bots in one process would not mix. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const meters = new Map(
    Object.entries<MetricSpec>(metricTable).map(([key, spec]) => [key, meterOf(spec, registry)]),
  )
  let underWay: Promise<MetricsPage> | null = null

  function add({ metric, labels, by }: Count): void {
    const meter = meters.get(metric)
    if (meter instanceof Counter) meter.inc({ ...labels }, by)
    else if (meter instanceof Histogram) meter.observe({ ...labels }, by)
  }

  function set(metric: MetricKey, value: number, labels: Readonly<Record<string, string>> = {}): void {
    const meter = meters.get(metric)
    if (meter instanceof Gauge) meter.set({ ...labels }, value)
  }

  async function read({ store, health, blindSinceMs, startedMs }: MetricSources): Promise<void> {
    const { nowMs, lastPollMs, slack, troubles, late = [], unreadable } = health()
    set('pollLag', Math.max(0, nowMs - (lastPollMs ?? startedMs)) / 1000)
    set('blind', Math.max(0, nowMs - (blindSinceMs() ?? nowMs)) / 1000)
    for (const list of ['open', 'past'] as const) set('unreadable', unreadable?.[list] ?? 0, { list })
    set('sockets', slack.sockets)
    set('slackReady', slack.ready ? 1 : 0)
    const { byState, behind } = await store.countCards()
    for (const state of cardStates) set('cards', byState.get(state) ?? 0, { state })
    set('cardsBehind', behind)
    set(
      'lateCards',
      late.reduce((sum, { count }) => sum + count, 0),
    )
    set('deadLetters', byState.get('dead') ?? 0)
    for (const why of troubleKinds) {
      set('troubledChannels', troubles.filter(({ kind }) => kind === why).length, { why })
    }
    const { mutes } = await store.mutes()
    for (const state of liveMuteStates) {
      set('mutes', mutes.filter((mute) => mute.state === state).length, { state })
    }
    const { total } = await store.findAlerts({ state: 'open', hostname: null, offset: 0, limit: 0 })
    set('openAlerts', total)
  }

  async function make(sources: MetricSources): Promise<MetricsPage> {
    await read(sources)
    return { contentType: registry.contentType, text: await registry.metrics() }
  }

  function counter(level: keyof Journal, journal: Journal): Journal[keyof Journal] {
    return (event, facts = {}) => {
      for (const count of countsOf(event, facts)) add(count)
      if (level === 'warn' || level === 'error') add({ metric: 'lines', labels: { level }, by: 1 })
      journal[level](event, facts)
    }
  }

  return {
    counting: (journal) => ({
      debug: counter('debug', journal),
      info: counter('info', journal),
      warn: counter('warn', journal),
      error: counter('error', journal),
    }),
    page: (sources) => {
      // However many ask at once, the store is asked once.
      underWay ??= make(sources).finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}

function meterOf(spec: MetricSpec, registry: Registry): Counter | Gauge | Histogram {
  const { name, help, labels, values = [], buckets = [] } = spec
  const same = { name, help, labelNames: [...labels], registers: [registry] }
  const [label] = labels
  switch (spec.type) {
    case 'counter': {
      const counter = new Counter(same)
      if (label !== undefined) for (const value of values) counter.inc({ [label]: value }, 0)
      return counter
    }
    case 'gauge':
      return new Gauge(same)
    case 'histogram':
      return new Histogram({ ...same, buckets: [...buckets] })
  }
}

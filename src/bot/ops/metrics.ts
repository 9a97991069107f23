/** The metrics of `/metrics`, in the text format of Prometheus: counted from the log, or read on request. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import { troubleKinds } from '../domain/delivery/channel-trouble.ts'
import { standingOf } from '../domain/mute/mute.ts'
import type { Health } from '../domain/request/answer.ts'
import type { Logger } from '../flow/ports/ports.ts'
import type { Store } from '../flow/ports/store.ts'
import { type Count, countsOf } from './count-event.ts'
import { cardStates, liveMuteStates, type MetricKey, type MetricSpec, metricTable } from './metric-table.ts'

export type Metrics = {
  /** A log that passes everything on and counts it. */
  counting(logger: Logger): Logger
  /** The page. */
  page(sources: MetricSources): Promise<MetricsPage>
}

type MetricsPage = { readonly contentType: string; readonly text: string }

/** Sources of the gauges. */
type MetricSources = {
  readonly store: Pick<Store, 'countCards' | 'countIgnored' | 'mutes' | 'findAlerts'>
  readonly health: () => Health
  /** Start of the outage; null if there is none. */
  readonly outageSinceMs: () => number | null
  /** Since when no card can be posted; null if one can. */
  readonly stoppedSinceMs?: () => number | null
  readonly startedMs: number
}

/** More than happen between two scrapes a minute apart, and few enough to keep. */
const waitingMax = 5_000

/**
 * Opens the metrics, in a registry of their own, so that two bots in one process do not mix. The 90 modules that render the page
 * are loaded at the first scrape, or when much is to be counted.
 */
export function openMetrics(): Metrics {
  let meters: Promise<Meters> | null = null
  let loaded: Meters | null = null
  let waiting: Count[] = []
  let underWay: Promise<MetricsPage> | null = null

  function load(): Promise<Meters> {
    meters ??= openMeters().then((opened) => {
      for (const count of waiting) opened.add(count)
      waiting = []
      loaded = opened
      return opened
    })
    return meters
  }

  function add(count: Count): void {
    if (loaded === null) waiting.push(count)
    else loaded.add(count)
    if (waiting.length >= waitingMax) void load()
  }

  async function read(
    set: Meters['set'],
    { store, health, outageSinceMs, stoppedSinceMs, startedMs }: MetricSources,
  ): Promise<void> {
    const { nowMs, lastPollMs, slack, troubles, late = [], unreadable, leftOut = 0 } = health()
    set('pollLag', Math.max(0, nowMs - (lastPollMs ?? startedMs)) / 1000)
    set('outage', Math.max(0, nowMs - (outageSinceMs() ?? nowMs)) / 1000)
    set('stopped', Math.max(0, nowMs - (stoppedSinceMs?.() ?? nowMs)) / 1000)
    for (const list of ['open', 'past'] as const) set('unreadable', unreadable?.[list] ?? 0, { list })
    set('leftOut', leftOut)
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
      set('mutes', mutes.filter((mute) => standingOf(mute) === state).length, { state })
    }
    const { total } = await store.findAlerts({ state: 'open', hostname: null, offset: 0, limit: 0 })
    set('openAlerts', total)
    set('ignored', await store.countIgnored())
  }

  async function make(sources: MetricSources): Promise<MetricsPage> {
    const opened = await load()
    await read(opened.set, sources)
    return opened.page()
  }

  function counter(level: keyof Logger, logger: Logger): Logger[keyof Logger] {
    return (event, facts = {}) => {
      for (const count of countsOf(event, facts)) add(count)
      if (level === 'warn' || level === 'error') add({ metric: 'lines', labels: { level }, by: 1 })
      logger[level](event, facts)
    }
  }

  return {
    counting: (logger) => ({
      debug: counter('debug', logger),
      info: counter('info', logger),
      warn: counter('warn', logger),
      error: counter('error', logger),
    }),
    page: (sources) => {
      // Concurrent requests share one read of the store.
      underWay ??= make(sources).finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}

type Meters = {
  add(count: Count): void
  set(metric: MetricKey, value: number, labels?: Readonly<Record<string, string>>): void
  page(): Promise<MetricsPage>
}

async function openMeters(): Promise<Meters> {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const entries = Object.entries<MetricSpec>(metricTable)
  const meters = new Map(entries.map(([key, spec]) => [key, meterOf(spec)]))

  function meterOf(spec: MetricSpec): Counter | Gauge | Histogram {
    const { name, help, labels, values, buckets = [] } = spec
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

  return {
    add: ({ metric, labels, by }) => {
      const meter = meters.get(metric)
      if (meter instanceof Counter) meter.inc({ ...labels }, by)
      else if (meter instanceof Histogram) meter.observe({ ...labels }, by)
    },
    set: (metric, value, labels = {}) => {
      const meter = meters.get(metric)
      if (meter instanceof Gauge) meter.set({ ...labels }, value)
    },
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

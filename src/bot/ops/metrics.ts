/** The metrics of `/metrics`, in the text format of Prometheus: counted from the log, or read on request. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import { version } from '../../shared/version.ts'
import { MemoryAway } from '../domain/base/failure.ts'
import { troubleKinds } from '../domain/delivery/channel-trouble.ts'
import { standingOf } from '../domain/mute/mute.ts'
import { onCallAt } from '../domain/oncall/shift.ts'
import type { Health } from '../domain/request/answer.ts'
import type { Logger } from '../flow/ports/ports.ts'
import type { Store } from '../flow/ports/store.ts'
import { type Count, countsOf } from './count-event.ts'
import { cardStates, liveMuteStates, type MetricKey, type MetricSpec, metricTable } from './metric-table.ts'

export type Metrics = {
  /** A log that passes everything on and counts it. */
  counting(logger: Logger): Logger
  /** The page. `sources` null: of a bot that stands by, and knows nothing but who leads. */
  page(sources: MetricSources | null, lead?: LeadFigures): Promise<MetricsPage>
}

/** `awaySinceMs`: since when the memory has not answered, as of `nowMs`; null while it does. */
export type LeadFigures = {
  readonly leads: boolean
  readonly term: number
  readonly standbys: number
  readonly nowMs: number
  readonly awaySinceMs: number | null
}

/** Of a memory that is a file. */
const leadsAlone: LeadFigures = { leads: true, term: 0, standbys: 0, nowMs: 0, awaySinceMs: null }

type MetricsPage = { readonly contentType: string; readonly text: string }

/** Sources of the gauges. */
type MetricSources = {
  readonly store: Pick<Store, 'countCards' | 'countIgnored' | 'livePages' | 'mutes' | 'findAlerts'>
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

  async function make(sources: MetricSources | null, lead: LeadFigures): Promise<MetricsPage> {
    const { forget, set, page } = await load()
    forget()
    setLead(set, lead)
    if (sources !== null) {
      readBot(set, sources)
      await readMemory(set, sources)
    }
    return page()
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
    page: (sources, lead = leadsAlone) => {
      // Concurrent requests share one read of the store.
      underWay ??= make(sources, lead).finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}

function readBot(set: Meters['set'], sources: MetricSources): void {
  const { health, outageSinceMs, stoppedSinceMs, startedMs } = sources
  const { nowMs, lastPollMs, slack, troubles, late = [], unreadable, leftOut = 0, pager, onCall } = health()
  set('pollLag', Math.max(0, nowMs - (lastPollMs ?? startedMs)) / 1000)
  set('outage', Math.max(0, nowMs - (outageSinceMs() ?? nowMs)) / 1000)
  set('stopped', Math.max(0, nowMs - (stoppedSinceMs?.() ?? nowMs)) / 1000)
  for (const list of ['open', 'past'] as const) set('unreadable', unreadable?.[list] ?? 0, { list })
  set('leftOut', leftOut)
  set('pagerFailing', Math.max(0, nowMs - (pager?.sinceMs ?? nowMs)) / 1000)
  if (onCall != null) {
    set('onCallAge', Math.max(0, nowMs - (onCall.readMs ?? startedMs)) / 1000)
    set('onCallKnown', onCallAt(onCall, nowMs).kind === 'unknown' ? 0 : 1)
  }
  set('sockets', slack.sockets)
  set('slackReady', slack.ready ? 1 : 0)
  set(
    'lateCards',
    late.reduce((sum, { count }) => sum + count, 0),
  )
  for (const why of troubleKinds) {
    set('troubledChannels', troubles.filter(({ kind }) => kind === why).length, { why })
  }
}

/** What stands in the memory; nothing while it is away. */
async function readMemory(set: Meters['set'], { store }: MetricSources): Promise<void> {
  try {
    const { byState, behind } = await store.countCards()
    const { mutes } = await store.mutes()
    const { total } = await store.findAlerts({ state: 'open', hostname: null, offset: 0, limit: 0 })
    const ignored = await store.countIgnored()
    const pages = await store.livePages()
    for (const state of cardStates) set('cards', byState.get(state) ?? 0, { state })
    set('cardsBehind', behind)
    set('deadLetters', byState.get('dead') ?? 0)
    for (const state of liveMuteStates) {
      set('mutes', mutes.filter((mute) => standingOf(mute) === state).length, { state })
    }
    set('openAlerts', total)
    set('ignored', ignored)
    set('pagesWaiting', pages.filter(({ events }) => events.length > 0).length)
    set('pagesRinging', pages.filter(({ isRinging }) => isRinging).length)
  } catch (error) {
    if (!(error instanceof MemoryAway)) throw error
  }
}

/** What every bot says of itself, one that stands by too. */
function setLead(set: Meters['set'], { leads, term, standbys, nowMs, awaySinceMs }: LeadFigures): void {
  set('build', 1, { version, node: process.versions.node })
  set('leads', leads ? 1 : 0)
  set('term', term)
  set('standbys', standbys)
  set('memoryAway', Math.max(0, nowMs - (awaySinceMs ?? nowMs)) / 1000)
}

type Meters = {
  add(count: Count): void
  /** Leaves out every gauge until it is set again. */
  forget(): void
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
    forget: () => {
      for (const [key, { labels }] of entries) {
        const meter = meters.get(key)
        if (!(meter instanceof Gauge)) continue
        meter.reset()
        // A reset one without labels would show 0.
        if (labels.length === 0) meter.remove()
      }
    },
    set: (metric, value, labels = {}) => {
      const meter = meters.get(metric)
      if (meter instanceof Gauge) meter.set({ ...labels }, value)
    },
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

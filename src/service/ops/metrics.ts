/** The metrics of `/metrics`, in the text format of Prometheus: counted as things happen, or read on request. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../../shared/version.ts'
import {
  type MetricSpec,
  metricTable,
  type Outcome,
  outcomes,
  type Product,
  products,
} from './metric-table.ts'

/** Receives what happens. */
export type Meter = {
  asked(product: Product, outcome: Outcome): void
  read(outcome: Outcome, seconds: number): void
  answered(operation: string, seconds: number): void
}

/** The gauges. */
export type Figures = {
  readonly openAlerts: number
  readonly hiddenAlerts: number
  readonly readingAge: number
  readonly doubts: number
  readonly silences: number
}

export type Metrics = Meter & {
  page(figures: Figures): Promise<{ readonly contentType: string; readonly text: string }>
}

export const noMeter: Meter = { asked() {}, read() {}, answered() {} }

/** In a registry of their own, so that two services in one process do not mix. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  const of = (spec: MetricSpec) => ({
    name: spec.name,
    help: spec.help,
    labelNames: [...spec.labels],
    registers: [registry],
  })
  const counter = (spec: MetricSpec): Counter => new Counter(of(spec))
  const gauge = (spec: MetricSpec): Gauge => new Gauge(of(spec))
  const histogram = (spec: MetricSpec): Histogram =>
    new Histogram({ ...of(spec), buckets: [...(spec.buckets ?? [])] })
  const gauges = {
    openAlerts: gauge(metricTable.openAlerts),
    hiddenAlerts: gauge(metricTable.hiddenAlerts),
    readingAge: gauge(metricTable.readingAge),
    doubts: gauge(metricTable.doubts),
    silences: gauge(metricTable.silences),
  } satisfies Record<keyof Figures, Gauge>
  gauge(metricTable.build).set({ version, node: process.versions.node }, 1)
  const readings = counter(metricTable.readings)
  const asked = counter(metricTable.asked)
  const readingSeconds = histogram(metricTable.readingSeconds)
  const requestSeconds = histogram(metricTable.requestSeconds)
  // Exported as 0 from the start, so that the first failure shows as an increase.
  for (const outcome of outcomes) {
    readings.inc({ outcome }, 0)
    for (const product of products) asked.inc({ product, outcome }, 0)
  }
  let hasDefaults = false

  return {
    asked: (product, outcome) => asked.inc({ product, outcome }),
    read(outcome, seconds) {
      readings.inc({ outcome })
      readingSeconds.observe(seconds)
    },
    answered: (operation, seconds) => requestSeconds.observe({ operation }, seconds),
    async page(figures) {
      // They watch the process from then on: not before somebody wants them.
      if (!hasDefaults) collectDefaultMetrics({ register: registry })
      hasDefaults = true
      for (const [key, value] of Object.entries(figures)) gauges[key as keyof Figures].set(value)
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** The table of the service's metrics: name, labels and meaning. The table in docs/metrics.md is checked against it. */

export type MetricSpec = {
  readonly name: `monbot_service_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Never values from outside: names of servers, alerts, people, tenants and keys do not become labels. */
  readonly labels: readonly string[]
  /** Buckets of a histogram, in seconds. */
  readonly buckets?: readonly number[]
}

/** How a request to a Prometheus or an Alertmanager ended, or a reading of both. */
export const outcomes = ['ok', 'slow', 'away', 'refused', 'wrong'] as const
export type Outcome = (typeof outcomes)[number]

export const products = ['prometheus', 'alertmanager'] as const
export type Product = (typeof products)[number]

const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

export const metricTable = {
  build: {
    name: 'monbot_service_build_info',
    type: 'gauge',
    help: 'Always 1; its labels say which version of the service and of Node runs',
    labels: ['version', 'node'],
  },
  openAlerts: {
    name: 'monbot_service_open_alerts',
    type: 'gauge',
    help: 'Alerts that are open',
    labels: [],
  },
  hiddenAlerts: {
    name: 'monbot_service_hidden_alerts',
    type: 'gauge',
    help: 'Alerts of the last good reading that are silenced by somebody else or inhibited at the Alertmanager',
    labels: [],
  },
  readingAge: {
    name: 'monbot_service_reading_age_seconds',
    type: 'gauge',
    help: 'Time since the last good reading of what fires, or since the start if there was none; 0 without a Prometheus',
    labels: [],
  },
  readings: {
    name: 'monbot_service_readings_total',
    type: 'counter',
    help: 'Readings of what fires by outcome: ok, slow (no answer in time), away (not reachable), refused (token or password) or wrong (an error, or not understood)',
    labels: ['outcome'],
  },
  readingSeconds: {
    name: 'monbot_service_reading_duration_seconds',
    type: 'histogram',
    help: 'How long a reading of what fires took, including failed ones',
    labels: [],
    buckets,
  },
  asked: {
    name: 'monbot_service_upstream_requests_total',
    type: 'counter',
    help: 'Requests to the Prometheus (rulers included) and to the Alertmanagers, by outcome as above',
    labels: ['product', 'outcome'],
  },
  doubts: {
    name: 'monbot_service_doubts',
    type: 'gauge',
    help: 'What is in doubt now: answers that are not complete, no rules, remarks on expressions; `targets.json` has the words',
    labels: [],
  },
  silences: {
    name: 'monbot_service_silences_held',
    type: 'gauge',
    help: 'Silences at the Alertmanager that the service renews',
    labels: [],
  },
  requestSeconds: {
    name: 'monbot_service_request_duration_seconds',
    type: 'histogram',
    help: 'How long an answer of the API took, by operation (`GET /alerts.json` is the poll of a bot)',
    labels: ['operation'],
    buckets,
  },
} as const satisfies Readonly<Record<string, MetricSpec>>

/** What the service needs to know of a Prometheus and its Alertmanagers, whether the file or the environment says it. */

/** One of their addresses. */
export type Endpoint = {
  /** Without user and password, without a slash at the end; a path may be part of it. */
  readonly url: string
  /** The whole header; a secret. */
  readonly authorization: string | null
}

export type PrometheusSettings = {
  readonly engine: Endpoint
  /** Those of one cluster; none: what fires is read from the engine's own rules, and nothing can be silenced. */
  readonly alertmanagers: readonly Endpoint[]
  /** The label that names the server, its port cut off: `instance`. */
  readonly serverLabel: string
  /** Labels whose values are roles. */
  readonly roleLabels: readonly string[]
  readonly environmentLabel: string
  /** The label whose value stands for the server where an alert has none: `job`. */
  readonly serviceless: string
  /** Metric of the API (`cpu_busy`) → PromQL in place of the usual one, with `$server` for the matcher. */
  readonly metrics: Readonly<Record<string, string>>
}

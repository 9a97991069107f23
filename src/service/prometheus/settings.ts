/** Settings for a Prometheus and its Alertmanagers, from the file or the environment. */

/** One of their addresses. */
export type Endpoint = {
  /** Without user, password and trailing slash; may have a path. */
  readonly url: string
  /** The whole header; a secret. */
  readonly authorization: string | null
}

export type PrometheusSettings = {
  readonly engine: Endpoint
  /** All of one cluster; if empty, what fires is read from the engine's own rules, and nothing can be silenced. */
  readonly alertmanagers: readonly Endpoint[]
  /** The label that names the server, without its port: `instance`. */
  readonly serverLabel: string
  /** Labels whose values are roles. */
  readonly roleLabels: readonly string[]
  readonly environmentLabel: string
  /** The label that names the server if an alert has no server label: `job`. */
  readonly serviceless: string
  /** Metric of the API (`cpu_busy`) → PromQL in place of the usual one, with `$server` for the matcher. */
  readonly metrics: Readonly<Record<string, string>>
}

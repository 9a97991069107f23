/** Settings for a Prometheus and its Alertmanagers, from the file or the environment. */

import type { TlsPart } from '../config/shapes.ts'

/** One of their addresses, and what goes along with every request to it. Paths are absolute; files are read again for each request. */
export type Endpoint = {
  /** Without user, password and trailing slash; may have a path. */
  readonly url: string
  /** The whole header; a secret. */
  readonly authorization: string | null
  /** Holds a bearer token, in place of `authorization`. */
  readonly tokenFile?: string
  /** Holds the password of this user, in place of `authorization`. */
  readonly passwordFile?: { readonly user: string; readonly path: string }
  /** By name; the values are secrets, or in files. */
  readonly headers?: Readonly<Record<string, string | { readonly file: string }>>
  /** Own certificates; else as this machine trusts. */
  readonly tls?: TlsPart
  /** What else to look at if it refuses access. */
  readonly refusedHint?: string
}

export type PrometheusSettings = {
  /** Where expressions are asked for. */
  readonly engine: Endpoint
  /** Where the rules are, if not there: several rulers, each with rules of its own or the same ones. */
  readonly rules?: readonly Endpoint[]
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
  /** What the file says of names; missing: one label names every server. */
  readonly names?: NamesSettings
  /** The cluster of the engine, where it does not tell its external labels itself. */
  readonly cluster?: string
}

export type NamesSettings = {
  /** Lists of templates for jobs by glob, in this order; null: the file does not say. */
  readonly server: readonly { readonly jobs: string; readonly templates: readonly string[] }[] | null
  /** Globs on jobs; null: the file does not say. */
  readonly reporters: readonly string[] | null
  /** Whether the file names the older form: a label. */
  readonly isByLabel: boolean
}

/**
 * The seam of the service, to be read first: what a source reads, and what it can do. `own/` measures by itself, `prometheus/` stands in
 * front of a Prometheus and its Alertmanagers. One loop reads the source that is used; the ledger keeps what it found.
 */

export type MetricType = 'cpu' | 'disk' | 'memory' | 'network' | 'process' | 'plugin' | 'custom_metric'
/** `source` is a volume, an interface, a process or a plugin; empty for `cpu` and `memory`. */
export type MetricKey = { readonly type: MetricType; readonly source: string; readonly metric: string }

/** One alert that is open at the moment of the reading, or a one-off that just happened. Times are epoch milliseconds. */
export type Found = {
  /** The same text for the same alert at every reading. */
  readonly key: string
  readonly startedMs: number
  readonly host: string
  readonly title: string
  readonly plugin: string
  readonly metric: string | null
  readonly value: number | null
  readonly units?: string
  readonly limit?: number
  /** It opens at the limit or above, or at the limit or below. */
  readonly side?: 'high' | 'low'
  readonly triggerId?: number
  readonly severity?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly description?: string
  readonly links?: readonly { readonly text: string; readonly url: string }[]
  /** Equal for the same trouble under another number, and different for any other. */
  readonly trouble?: string
  readonly mutedBy?: readonly MutedBy[]
  readonly isOneoff?: boolean
  /** What the source draws its chart from; only the source reads it. */
  readonly series?: unknown
}

/** Why an Alertmanager notifies nobody of an alert that is open. */
export type MutedBy = {
  readonly kind: 'silence' | 'inhibition'
  readonly id: string | null
  /** Who made the silence, or which alert inhibits this one: `NodeDown on node-3`. */
  readonly by: string | null
  readonly untilMs: number | null
  readonly why: string | null
  readonly isOurs: boolean
}

export type ServerKind = 'machine' | 'pushed' | 'fleet' | 'extra' | 'prometheus'
export type ReadServer = {
  readonly host: string
  readonly environment: string
  readonly roles: readonly string[]
  readonly kind: ServerKind
}

export type Trigger = {
  readonly id: number
  readonly condition: string
  readonly metric: string
  readonly maxValue: number
  readonly lowValue: number | null
  readonly durationMs: number
}

/** One look at everything. A source that cannot read throws a `Refusal` (502 to 504): then nothing is known, and nothing closes. */
export type Reading = {
  readonly atMs: number
  readonly alerts: readonly Found[]
  readonly servers: readonly ReadServer[]
  readonly triggers: readonly Trigger[]
  /** Why this may not be all, in a sentence; null where nothing says so. */
  readonly doubt: string | null
  /** Does this very reading prove that the alert, which it lacks, is over? */
  isOver(alert: StoredAlert): boolean
}

/** An alert as the ledger keeps it. */
export type StoredAlert = Found & {
  /** The API's number: made of key and start, so that a lost ledger makes no new ones. */
  readonly id: number
  readonly endedMs: number | null
}

export type Window = { readonly fromMs: number; readonly stepMs: number; readonly count: number }
export type Point = readonly [min: number, average: number, max: number]
/** One point for each step of the window; null where nothing was measured. */
export type Block = { readonly label: string; readonly points: readonly (Point | null)[] }
export type Course = { readonly units: string; readonly precision: number; readonly blocks: readonly Block[] }

/** A mute that a client asked for; in front of an Alertmanager it is kept there as a silence. */
export type Mute = {
  /** `account`, `server:<host>`, or the name that the client gave. */
  readonly id: string
  readonly kind: 'account' | 'server' | 'alert'
  readonly host?: string
  /** In the Alertmanager's words, one each: `namespace="pay"`. */
  readonly matchers?: readonly string[]
  readonly trouble?: string
  readonly untilMs: number | null
  readonly by: string
  readonly why: string
}

/** One that is active, whoever made it. */
export type Silence = {
  readonly id: string
  readonly isOurs: boolean
  readonly by: string | null
  readonly startsMs: number
  readonly untilMs: number | null
  readonly why: string | null
  readonly matchers: readonly string[]
  /** Open alerts that it hides, by number. */
  readonly alerts: readonly number[]
}

export type Source = {
  readonly everyMs: number
  /** In how many rounds a reading must prove an end before it is believed. */
  readonly proofs: number
  read(): Promise<Reading>
  /** Brings the silences in line with the mutes; `asked`: the one that somebody just asked for, whose failure is thrown. */
  reconcileMutes(mutes: () => readonly Mute[], asked?: string): Promise<void>
  /** Only in front of an Alertmanager. */
  readonly mutes: {
    list(): Promise<readonly Silence[]>
    matchersOf(alert: StoredAlert): readonly string[]
    hides(matchers: readonly string[]): readonly number[]
    end(id: string): Promise<boolean>
  } | null
  /** A metric of servers; null: nobody knows it. */
  series(key: MetricKey, hosts: readonly string[], window: Window): Promise<Course | null>
  /** The metric of an alert; null where it has none. */
  course(alert: StoredAlert, window: Window): Promise<Course | null>
  deleteServer(host: string): void
  deleteMetrics(names: readonly string[]): readonly string[]
  state(): object
  stop(): Promise<void>
}

/** A request that cannot be done; `message` says what was expected and what came, and never holds a key. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 422 | 501 | 502 | 503 | 504
  /** What an engine behind answered; null: nothing. */
  readonly answered: number | null

  constructor(status: Refusal['status'], message: string, answered: number | null = null) {
    super(message)
    this.status = status
    this.answered = answered
  }
}

/** A text of somebody in quotes, cut, fit for a message. */
export function quoted(text: unknown): string {
  const said = typeof text === 'string' ? text : String(text)
  return JSON.stringify(said.length > 60 ? `${said.slice(0, 59)}…` : said)
}

/** How a service is opened: what it listens on, what it remembers, what it watches, and whose clock it follows. */
import type { AlertForm, AlertOrder } from './alerts/alert-log.ts'
import type { TriggerRule } from './alerts/triggers.ts'
import type { FleetConfig } from './config/read-config.ts'
import { fleetSizeMax } from './metrics/fleet.ts'
import type { PrometheusSettings } from './prometheus/settings.ts'
import { isKey, keyRule } from './store/keys.ts'
import { openUpClock } from './up-clock.ts'

export type ServiceOptions = {
  /** 0, the default: any free one. */
  readonly port?: number
  /** The address to listen on; default 127.0.0.1. The control API answers this machine only, whatever it is. */
  readonly host?: string
  /** The account's key, or several; one of the two is given. */
  readonly key?: string
  readonly keys?: readonly string[]
  /** Default `flip`. */
  readonly form?: AlertForm
  /** Default `newest`. */
  readonly order?: AlertOrder
  /** Path of a SQLite file; without it the state ends with the process. */
  readonly file?: string
  /** Whether this machine is measured; default true. */
  readonly sample?: boolean
  /** Between two evaluations, and two samples of this machine; default 2,000. Null: only `tick` evaluates. */
  readonly sampleMs?: number | null
  /** The name of this machine; default is what the system says. */
  readonly hostname?: string
  /** How many servers are simulated; true is twelve, the default is none. */
  readonly fleet?: boolean | number
  /** What the fleet's numbers are made from; the same seed makes the same fleet. */
  readonly seed?: number
  /** Instead of the default triggers. */
  readonly triggers?: readonly TriggerRule[]
  /** The servers to scrape, triggers of one's own, custom metrics; default is none of them. */
  readonly config?: FleetConfig
  /** The Prometheus that stands behind the API in place of what the service measures; default is none. */
  readonly prometheus?: PrometheusSettings
  /** What links in alerts begin with; default is the listening address. */
  readonly publicUrl?: string
  /** The clock; default is the real one. */
  readonly nowMs?: () => number
  /** A clock that nobody sets, in milliseconds; default is `nowMs` where that is given, else the system's. */
  readonly upMs?: () => number
  /** Where trouble is told, in one line or a stack; default is nowhere. Never given a key. */
  readonly report?: (line: string) => void
  /** Told in one sentence that the file cannot be used any more, and nothing more kept; by default that ends the process. */
  readonly onLost?: (sentence: string) => void
}

export type Settings = Omit<
  Required<ServiceOptions>,
  'key' | 'file' | 'hostname' | 'publicUrl' | 'fleet' | 'triggers' | 'prometheus'
> & {
  readonly prometheus: PrometheusSettings | null
  readonly triggers: readonly TriggerRule[] | null
  readonly file: string | null
  readonly hostname: string | null
  readonly publicUrl: string | null
  readonly fleetSize: number
}

const noConfig: FleetConfig = { scrape: null, triggers: null, customMetrics: [], prometheus: null }
const fleetSizeUsual = 12
const sampleMsUsual = 2_000
const sampleMsMin = 200

/** Fills in the defaults. Throws an error that names every wrong option, but never a key. */
export function settle(options: ServiceOptions): Settings {
  const keys = [...(options.key === undefined ? [] : [options.key]), ...(options.keys ?? [])]
  const fleetSize =
    typeof options.fleet === 'number' ? options.fleet : options.fleet === true ? fleetSizeUsual : 0
  const sampleMs = options.sampleMs === undefined ? sampleMsUsual : options.sampleMs
  const problems = [
    ...(keys.length > 0 ? [] : ['key: expected a key; came none']),
    ...(keys.every(isKey) ? [] : [`key: expected ${keyRule}; came something else`]),
    ...(Number.isInteger(fleetSize) && fleetSize >= 0 && fleetSize <= fleetSizeMax
      ? []
      : [`fleet: expected 0 to ${fleetSizeMax} servers; came ${fleetSize}`]),
    ...(sampleMs === null || sampleMs >= sampleMsMin
      ? []
      : [`sampleMs: expected at least ${sampleMsMin} ms; came ${sampleMs}`]),
    ...(options.publicUrl === undefined || isHttp(options.publicUrl)
      ? []
      : ['publicUrl: expected an address with http:// or https://; came something else']),
  ]
  if (problems.length > 0) throw new Error(`the service cannot open: ${problems.join('; ')}`)
  return {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    keys: [...new Set(keys)],
    form: options.form ?? 'flip',
    order: options.order ?? 'newest',
    file: options.file ?? null,
    sample: options.sample ?? options.prometheus === undefined,
    sampleMs,
    hostname: options.hostname ?? null,
    fleetSize,
    seed: options.seed ?? 1,
    triggers: options.triggers ?? null,
    config: options.config ?? noConfig,
    prometheus: options.prometheus ?? null,
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    nowMs: options.nowMs ?? Date.now,
    upMs: options.upMs ?? options.nowMs ?? openUpClock(),
    report: options.report ?? (() => {}),
    onLost: options.onLost ?? endProcess,
  }
}

/** Outside of whatever was just done, so that nobody takes it for an error of that alone. */
function endProcess(sentence: string): void {
  setImmediate(() => {
    throw new Error(sentence)
  })
}

export function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

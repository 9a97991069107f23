/** Options of a service: where it listens, what it stores, what it watches, and which clock it uses. */
import type { AlertForm, AlertOrder } from './alerts/alert-log.ts'
import type { TriggerRule } from './alerts/triggers.ts'
import { openUpClock } from './clocks.ts'
import { forgetUsualMs } from './config/fleet-shape.ts'
import type { FleetConfig } from './config/read-config.ts'
import { fleetSizeMax } from './metrics/fleet.ts'
import type { PrometheusSettings } from './prometheus/settings.ts'
import { isKey, keyRule } from './store/keys.ts'

export type ServiceOptions = {
  /** 0, the default, takes any free one. */
  readonly port?: number
  /** The address to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Where the control API listens, on loopback whatever `host` is; 0 takes any free one. Null, the default: it is off. */
  readonly controlPort?: number | null
  /** The account's key, or several; exactly one of the two is required. */
  readonly key?: string
  readonly keys?: readonly string[]
  /** Default `flip`. */
  readonly form?: AlertForm
  /** Default `newest`. */
  readonly order?: AlertOrder
  /** Path of a SQLite file; without it the state is lost when the process ends. */
  readonly file?: string
  /** Whether this machine is measured; default true. */
  readonly sample?: boolean
  /** Interval of evaluations and of samples of this machine; default 2,000. Null: only `tick` evaluates. */
  readonly sampleMs?: number | null
  /** The name of this machine; default is the system's hostname. */
  readonly hostname?: string
  /** Number of simulated servers; true means twelve, default is none. */
  readonly fleet?: boolean | number
  /** Seed of the fleet's numbers; the same seed gives the same fleet. */
  readonly seed?: number
  /** Instead of the default triggers. */
  readonly triggers?: readonly TriggerRule[]
  /** The servers to scrape, own triggers, custom metrics; default is none. */
  readonly config?: FleetConfig
  /** The Prometheus behind the API instead of the service's own measurements; default is none. */
  readonly prometheus?: PrometheusSettings
  /** Base of the links in alerts; default is the listening address. */
  readonly publicUrl?: string
  /** The wall clock; default is the real one. */
  readonly nowMs?: () => number
  /** A monotonic clock, in milliseconds; default is `nowMs` if that is given, else the system's. */
  readonly upMs?: () => number
  /** Receives trouble reports, one line or a stack each; default is none. Never receives a key. */
  readonly report?: (line: string) => void
  /** Receives one sentence if the file becomes unusable and nothing more is stored; by default that ends the process. */
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

const noConfig: FleetConfig = {
  scrape: null,
  triggers: null,
  customMetrics: [],
  prometheus: null,
  forgetMs: forgetUsualMs,
}
const fleetSizeUsual = 12
const sampleMsUsual = 2_000
const sampleMsMin = 200

/** Fills in the defaults. Throws an error that names every wrong option, but never shows a key. */
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
    controlPort: options.controlPort ?? null,
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

/** Outside the current call, so that it is not handled as an error of that call. */
function endProcess(sentence: string): void {
  setImmediate(() => {
    throw new Error(sentence)
  })
}

export function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

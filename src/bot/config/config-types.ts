/** The settings of the process, as `env.ts` reads them: checked, complete, secrets wrapped. */
import type { Secret } from './secret.ts'

export type Config = {
  readonly monitor: { readonly url: string; readonly key: Secret }
  readonly slack: {
    readonly botToken: Secret
    /** Exactly one of the two: Socket Mode, or HTTP mode. */
    readonly appToken: Secret | null
    readonly signingSecret: Secret | null
    readonly apiUrl: string
    /** For alerts that no route matches; null where the policy routes everything. */
    readonly channel: string | null
  }
  readonly database:
    | { readonly kind: 'sqlite'; readonly path: string }
    | { readonly kind: 'postgres'; readonly url: Secret; readonly connections: number }
  readonly replicaName: string
  readonly pollCron: string
  readonly host: string
  readonly port: number
  /** `''` or `/monbot`: below it everything answers too. */
  readonly basePath: string
  readonly policyPath: string | null
  readonly heartbeatUrl: Secret | null
  readonly proxy: {
    readonly https: Secret | null
    readonly http: Secret | null
    readonly none: readonly string[]
  }
  readonly caFile: string | null
  readonly pager:
    | { readonly kind: 'pagerduty'; readonly routingKey: Secret; readonly url: string }
    | { readonly kind: 'webhook'; readonly url: Secret; readonly secret: Secret }
    | null
  readonly onCallIcalUrl: Secret | null
  readonly pagerdutyApi: { readonly token: Secret | null; readonly url: string }
  readonly logLevel: string
}

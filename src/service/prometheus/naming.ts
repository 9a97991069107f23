/** What a server is: how labels name one, and which matchers find the alerts that are named so. */
import { hostnameFault } from '../store/registry.ts'
import type { PrometheusSettings } from './settings.ts'

export type Labels = Readonly<Record<string, string>>

/** Used if an alert names neither a server nor a service. */
export const everywhere = 'global'

/** `server`: one that may be deleted; `service`: a job or a namespace as a whole; `none`: nothing names it. */
export type NamedBy = 'server' | 'service' | 'none'

export type Named = {
  readonly hostname: string
  readonly by: NamedBy
  /**
   * How the name arose (the text of `WayPart`s), where templates make it: one server may be named in several ways, and each takes
   * a silence of its own. Stays the same while the pods of a workload come and go.
   */
  readonly way?: string
  /** The labels that the name is made of, without `cluster`. */
  readonly used: readonly string[]
  /** It is a pod, and nothing tells to which workload that belongs. */
  readonly isLonePod?: boolean
  /** What it depends on was not there when names were read last. */
  readonly isUnsure?: boolean
}

/** One condition of a way. `port`: with any port; `pods`: any pod of a workload; `jobs`: any job of a CronJob; `some`: not empty. */
export type WayPart =
  | readonly ['=' | 'port', label: string, value: string]
  | readonly ['pods' | 'jobs', label: string, workload: string]
  | readonly ['some', label: string]

/** How the labels of alerts, targets and series become the names of servers. */
export type Naming = {
  of(labels: Labels): Named
  /** The way in which a server with a name of earlier is found by one alert of it: by what names that now, and no more of it. */
  underFormer(hostname: string, labels: Labels): Named
  /** Matches each alert that is named in this way. At least one matcher does not match an empty label. */
  matchersOf(named: Named): readonly Matcher[]
  /** The most telling label of the name, with the regular expression of its values: what a query for it selects by. */
  selectorOf(named: Named): { readonly label: string; readonly regex: string } | null
  /** What a query must keep of the series of a rule, and of those of hosts, so that they can be named. */
  readonly ruleLabels: readonly string[]
  readonly hostLabels: readonly string[]
}

/** `web-1:9100` is web-1; an address without a port, or an IPv6 one without brackets, stays as it is. */
export function withoutPort(instance: string): string {
  const [, host] = /^([^:]+|\[[^\]]*\]):\d+$/.exec(instance) ?? []
  return host ?? instance
}

/** A matcher of labels; a regular expression is anchored at both ends, and an empty value means that the label is absent. */
export type Matcher = {
  readonly name: string
  readonly value: string
  readonly isRegex: boolean
  readonly isEqual: boolean
}

export const equals = (name: string, value: string): Matcher => ({
  name,
  value,
  isRegex: false,
  isEqual: true,
})

export const matches = (name: string, value: string): Matcher => ({
  name,
  value,
  isRegex: true,
  isEqual: true,
})

type ByLabel = Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>

/** The older form: one label names the server, another one (`serviceless`) takes its place where it is missing. */
export function namingByLabel({ serverLabel, serviceless }: ByLabel): Naming {
  return {
    // A label that cannot be a hostname (too long, control characters) counts as missing.
    of(labels) {
      const server = withoutPort(labels[serverLabel] ?? '')
      if (hostnameFault(server) === null) return { hostname: server, by: 'server', used: [serverLabel] }
      const service = labels[serviceless] ?? ''
      if (hostnameFault(service) === null) return { hostname: service, by: 'service', used: [serviceless] }
      return { hostname: everywhere, by: 'none', used: [] }
    },
    underFormer: (hostname) => ({ hostname, by: 'server', used: [serverLabel] }),
    matchersOf({ hostname, by }) {
      switch (by) {
        case 'server':
          return [matches(serverLabel, serverRegex([hostname]))]
        case 'service':
          return [equals(serverLabel, ''), equals(serviceless, hostname)]
        case 'none':
          return [equals(serverLabel, ''), equals(serviceless, ''), matches('alertname', '.+')]
      }
    },
    selectorOf: ({ hostname }) => ({ label: serverLabel, regex: serverRegex([hostname]) }),
    ruleLabels: [serverLabel, serviceless],
    hostLabels: [serverLabel],
  }
}

/** Finds the server labels of these servers, with any port. */
export function serverRegex(hostnames: readonly string[]): string {
  const names = hostnames.map(escapeRegex)
  return `${names.length === 1 ? names[0] : `(?:${names.join('|')})`}(:[0-9]+)?`
}

/** For RE2, which accepts a backslash before any punctuation. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
}

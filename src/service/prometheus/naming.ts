/** Which server of the API a set of labels is about, and how a Prometheus and an Alertmanager are asked for that server. */
import { hostnameFault } from '../store/registry.ts'
import type { PrometheusSettings } from './settings.ts'

export type Labels = Readonly<Record<string, string>>

/** Where an alert names neither a server nor a service. */
export const everywhere = 'global'

/** `server`: by the server label; `service`: by the label that stands in for it; `none`: by neither. */
export type NamedBy = 'server' | 'service' | 'none'

export type Named = { readonly hostname: string; readonly by: NamedBy }

type Names = Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>

/** `web-1:9100` is web-1; an address without a port, and one of IPv6 without brackets, stays as it is. */
export function withoutPort(instance: string): string {
  const [, host] = /^([^:]+|\[[^\]]*\]):\d+$/.exec(instance) ?? []
  return host ?? instance
}

/** A label that cannot be a hostname (too long, control characters) counts as none. */
export function nameOf(labels: Labels, names: Names): Named {
  const server = withoutPort(labels[names.serverLabel] ?? '')
  if (hostnameFault(server) === null) return { hostname: server, by: 'server' }
  const service = labels[names.serviceless] ?? ''
  if (hostnameFault(service) === null) return { hostname: service, by: 'service' }
  return { hostname: everywhere, by: 'none' }
}

/** A matcher of labels; a regular expression is anchored at both ends, and an empty value stands for no such label. */
export type Matcher = {
  readonly name: string
  readonly value: string
  readonly isRegex: boolean
  readonly isEqual: boolean
}

const equals = (name: string, value: string): Matcher => ({ name, value, isRegex: false, isEqual: true })

/** Matches each alert that `nameOf` calls by this name in this way. At least one of them matches no empty label. */
export function matchersOf({ hostname, by }: Named, { serverLabel, serviceless }: Names): readonly Matcher[] {
  switch (by) {
    case 'server':
      return [{ ...equals(serverLabel, serverRegex([hostname])), isRegex: true }]
    case 'service':
      return [equals(serverLabel, ''), equals(serviceless, hostname)]
    case 'none':
      return [
        equals(serverLabel, ''),
        equals(serviceless, ''),
        { name: 'alertname', value: '.+', isRegex: true, isEqual: true },
      ]
  }
}

/** Finds the server labels of these servers, with any port. */
export function serverRegex(hostnames: readonly string[]): string {
  const names = hostnames.map(escapeRegex)
  return `${names.length === 1 ? names[0] : `(?:${names.join('|')})`}(:[0-9]+)?`
}

/** For RE2, which takes a backslash before any punctuation. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
}

/** Maps labels to a server of the API, and a server to matchers for Prometheus and Alertmanager. */
import { hostnameFault } from '../store/registry.ts'
import type { PrometheusSettings } from './settings.ts'

export type Labels = Readonly<Record<string, string>>

/** Used if an alert names neither a server nor a service. */
export const everywhere = 'global'

/** `server`: by the server label; `service`: by the label that replaces it; `none`: by neither. */
export type NamedBy = 'server' | 'service' | 'none'

export type Named = { readonly hostname: string; readonly by: NamedBy }

type Names = Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>

/** `web-1:9100` is web-1; an address without a port, or an IPv6 one without brackets, stays as it is. */
export function withoutPort(instance: string): string {
  const [, host] = /^([^:]+|\[[^\]]*\]):\d+$/.exec(instance) ?? []
  return host ?? instance
}

/** A label that cannot be a hostname (too long, control characters) counts as missing. */
export function nameOf(labels: Labels, names: Names): Named {
  const server = withoutPort(labels[names.serverLabel] ?? '')
  if (hostnameFault(server) === null) return { hostname: server, by: 'server' }
  const service = labels[names.serviceless] ?? ''
  if (hostnameFault(service) === null) return { hostname: service, by: 'service' }
  return { hostname: everywhere, by: 'none' }
}

/** A matcher of labels; a regular expression is anchored at both ends, and an empty value means that the label is absent. */
export type Matcher = {
  readonly name: string
  readonly value: string
  readonly isRegex: boolean
  readonly isEqual: boolean
}

const equals = (name: string, value: string): Matcher => ({ name, value, isRegex: false, isEqual: true })

/** Matches each alert to which `nameOf` gives this name in this way. At least one matcher does not match an empty label. */
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

/** For RE2, which accepts a backslash before any punctuation. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
}

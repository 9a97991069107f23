/** Which alerts a rule of the policy means, how severe one is, and which are the same trouble. */
import { globMatcher } from '../../shared/glob.ts'
import type { Match, Policy } from '../config/policy.ts'
import type { Alert, Severity } from '../world/types.ts'
import type { World } from '../world/world.ts'

type Matched = Pick<
  Alert,
  'host' | 'server' | 'plugin' | 'metric' | 'title' | 'severity' | 'isOneoff' | 'details'
>

type Unrated = Omit<Matched, 'severity'>

/** By host, of one listing of roles; it is an object of its own each time it is read. */
const hostsByListing = new WeakMap<object, ReadonlyMap<string, readonly string[]>>()
const noRoles: readonly string[] = []

/** The roles of a server by the last listing that could be read. */
export function rolesOf(world: World, host: string): readonly string[] {
  const servers = world.fact('roles')?.servers
  if (servers === undefined) return noRoles
  let hosts = hostsByListing.get(servers)
  if (hosts === undefined) {
    const pairs = Object.entries(servers).flatMap(([role, named]) => named.map((one) => ({ role, one })))
    const grouped = [...Map.groupBy(pairs, ({ one }) => one)]
    hosts = new Map(grouped.map(([one, some]) => [one, [...new Set(some.map(({ role }) => role))]]))
    hostsByListing.set(servers, hosts)
  }
  return hosts.get(host) ?? noRoles
}

export function isMatch(match: Match, alert: Matched, roles: readonly string[]): boolean {
  const fits = (globs: readonly string[] | undefined, texts: readonly (string | null)[]) =>
    globs === undefined ||
    globs.some((glob) => texts.some((text) => text !== null && isGlobMatch(glob, text)))
  return (
    fits(match.role, roles) &&
    fits(match.server, [alert.host, alert.server]) &&
    fits(match.plugin, [alert.plugin]) &&
    fits(match.metric, [alert.metric]) &&
    fits(match.title, [alert.title]) &&
    fits(match.severity, [alert.severity, alert.details.severity]) &&
    (match.lifecycle === undefined || (match.lifecycle === 'oneoff') === alert.isOneoff) &&
    Object.entries(match.labels ?? {}).every(([label, globs]) =>
      fits(globs, [ownLabel(alert.details.labels, label)]),
    )
  )
}

/** Critical, warning or info: by the policy, else as the service says, else warning. */
export function severityOf({ severity }: Policy, alert: Unrated, roles: readonly string[]): Severity {
  const said = severityOfWord(alert.details.severity)
  return severity.find(({ match }) => isMatch(match, { ...alert, severity: said }, roles))?.is ?? said
}

function ownLabel(labels: Readonly<Record<string, string>>, label: string): string | null {
  return Object.hasOwn(labels, label) ? (labels[label] ?? null) : null
}

function severityOfWord(word: string | null): Severity {
  const said = word?.toLowerCase() ?? ''
  if (['critical', 'page', 'emergency', 'fatal', 'high'].includes(said)) return 'critical'
  if (['info', 'none', 'low', 'notice'].includes(said)) return 'info'
  return 'warning'
}

const matchers = new Map<string, (text: string) => boolean>()
const matchersMax = 2000

/** As `globMatcher`, of which each glob is compiled once. */
export function isGlobMatch(glob: string, text: string): boolean {
  let matcher = matchers.get(glob)
  if (matcher === undefined) {
    if (matchers.size >= matchersMax) matchers.clear()
    matcher = globMatcher(glob)
    matchers.set(glob, matcher)
  }
  return matcher(text)
}

type Described = Pick<Alert, 'host' | 'plugin' | 'metric' | 'title' | 'value' | 'details'>

/** Records never change, so what was derived from one stays right. */
const troubles = new WeakMap<Described, string>()

/**
 * The same text for the same trouble, however often it opens. Only the metric's own value may differ within one trouble: `/data1` is
 * not `/data2`.
 */
export function troubleOf(alert: Described): string {
  const known = troubles.get(alert)
  if (known !== undefined) return known
  const { host, plugin, metric, title, value, details } = alert
  const trouble =
    details.trouble === null
      ? JSON.stringify([host, plugin, metric, details.triggerId, withoutValue(title, value)])
      : `t ${details.trouble}`
  troubles.set(alert, trouble)
  return trouble
}

/** What a list is a list of: alerts of one plugin and metric. */
export function kindOf({ plugin, metric }: Pick<Alert, 'plugin' | 'metric'>): string {
  return JSON.stringify([plugin, metric])
}

/** Is a server's name a word of a title? Then it is not said again. */
export function isNamedIn(title: string, server: string): boolean {
  return ` ${title} `.toLowerCase().includes(` ${server.toLowerCase()} `)
}

/** What the history calls an alert. */
export function namedAlert({ title, server }: Pick<Alert, 'title' | 'server'>): string {
  return isNamedIn(title, server) ? title : `${title} on ${server}`
}

/** The title with its own value taken out, however it was rounded. */
export function withoutValue(title: string, value: number | null): string {
  if (value === null) return title
  return title.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => {
    const decimals = number.split('.')[1]?.length ?? 0
    return Math.abs(Number(number) - value) < 10 ** -decimals ? '#' : number
  })
}

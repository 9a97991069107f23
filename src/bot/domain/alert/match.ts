/** Applies the rules of the policy to an alert: its severity and its channel. */
import { globMatcher } from '../../../shared/glob.ts'
import type { Alert } from './alert.ts'
import { withoutRemark } from './remark.ts'
import { meantBy, type SaidSeverity, type Severity, usualSeverity } from './severity.ts'

/** What a rule matches. Every given part must match; globs support `*` and `?`, and ignore case. */
export type AlertMatch = {
  /** A role of the server, exact. */
  readonly role?: string
  /** The hostname or the server's display name, a glob. */
  readonly server?: string
  /** The plugin's name, a glob. */
  readonly plugin?: string
  /** The metric's name, a glob; an alert without a metric matches none. */
  readonly metric?: string
  /** The alert's title, a glob. */
  readonly title?: string
  readonly lifecycle?: 'start' | 'oneoff'
  /** `none`: what the API calls so, whatever the policy makes of it. */
  readonly severity?: SaidSeverity
  /** A glob for the value of each of these labels. A label that the alert does not have, or that is empty, matches none. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The fields of an alert that are matched. */
export type Matched = Pick<
  Alert,
  | 'hostname'
  | 'serverName'
  | 'plugin'
  | 'metric'
  | 'title'
  | 'state'
  | 'severity'
  | 'saidSeverity'
  | 'roles'
  | 'details'
>

export function isMatch(alert: Matched, match: AlertMatch): boolean {
  if (match.role !== undefined && !alert.roles.includes(match.role)) return false
  if (match.severity === 'none' && !isForNobody(alert)) return false
  if (match.severity !== undefined && match.severity !== 'none' && match.severity !== alert.severity) {
    return false
  }
  if (match.lifecycle !== undefined && (alert.state === 'oneoff') !== (match.lifecycle === 'oneoff')) {
    return false
  }
  if (match.metric !== undefined && alert.metric === null) return false
  const is = globsOf(match)
  return (
    is.plugin(alert.plugin) &&
    is.metric(alert.metric ?? '') &&
    (is.server(alert.hostname) || is.server(alert.serverName)) &&
    is.title(withoutRemark(alert.title)) &&
    is.labels.every(([name, isValue]) => {
      const value = labelOf(alert, name)
      return value !== null && isValue(value)
    })
  )
}

/** Some services give the word in a label alone. */
function isForNobody(alert: Matched): boolean {
  return alert.saidSeverity === 'none' || labelOf(alert, 'severity')?.trim().toLowerCase() === 'none'
}

/** The value of a label; null where the alert has none, or an empty one, which Prometheus takes for the same. */
export function labelOf({ details }: Pick<Alert, 'details'>, name: string): string | null {
  return (details !== undefined && Object.hasOwn(details.labels, name) && details.labels[name]) || null
}

type Globs = Readonly<Record<'plugin' | 'metric' | 'server' | 'title', (text: string) => boolean>> & {
  readonly labels: readonly (readonly [string, (text: string) => boolean])[]
}

/** Compiled once for each rule: compiling for every alert took 18 s with two hundred routes and a thousand alerts. */
const read = new WeakMap<AlertMatch, Globs>()

function globsOf(match: AlertMatch): Globs {
  const known = read.get(match)
  if (known !== undefined) return known
  const { plugin, metric, server, title, labels = {} } = match
  const globs = {
    plugin: globOf(plugin),
    metric: globOf(metric),
    server: globOf(server),
    title: globOf(title),
    labels: Object.entries(labels).map(([name, glob]) => [name, globMatcher(glob)] as const),
  }
  read.set(match, globs)
  return globs
}

function globOf(glob: string | undefined): (text: string) => boolean {
  return glob === undefined ? () => true : globMatcher(glob)
}

/** One rule of the policy; the first that matches wins. */
export type SeverityRule = { readonly match: AlertMatch; readonly is: Severity }

/** An alert's severity: that of the first matching rule, else the API's, else a warning. */
export function gradeOf(alert: Matched, rules: readonly SeverityRule[]): Severity {
  return rules.find(({ match }) => isMatch(alert, match))?.is ?? meantBy(alert.saidSeverity) ?? usualSeverity
}

/** A rule of what is shown nowhere. */
export type IgnoreRule = { readonly match: AlertMatch }

export function isIgnored(alert: Matched, rules: readonly IgnoreRule[]): boolean {
  return rules.some(({ match }) => isMatch(alert, match))
}

/** What the policy makes of an alert. */
export type AlertRules = {
  readonly severity: readonly SeverityRule[]
  readonly ignore: readonly IgnoreRule[]
}

export type Route = {
  readonly match: AlertMatch
  /** A Slack channel id. */
  readonly channel: string
  /** Who the card's text mentions, in Slack's own notation (`<!subteam^S123>`); null mentions nobody. */
  readonly mention: string | null
}

export type Destination = { readonly channel: string; readonly mention: string | null }

/**
 * An alert's channel: that of the first matching route, else the default; null only if there is neither. If that channel is
 * `gone`, the alert goes where it would without it, and mentions the same people; if there is no other channel, it waits.
 */
export function route(
  alert: Matched,
  routes: readonly Route[],
  defaultChannel: string | null,
  gone: ReadonlySet<string> = new Set(),
): Destination | null {
  const first = routes.find(({ match }) => isMatch(alert, match))
  const channel = first?.channel ?? defaultChannel
  if (channel === null) return null
  const mention = first?.mention ?? null
  if (!gone.has(channel)) return { channel, mention }
  const other = routes.find((one) => !gone.has(one.channel) && isMatch(alert, one.match))
  const rest = defaultChannel === null || gone.has(defaultChannel) ? channel : defaultChannel
  return { channel: other?.channel ?? rest, mention }
}

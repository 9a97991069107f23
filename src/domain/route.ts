/** Which channel an alert belongs to: the first route that matches, else the default channel. */
import { RE2JS } from 're2js'
import type { Alert } from './alert.ts'

/** What a route asks of an alert; every part that is given must match. Globs know `*` and `?`, and ignore case. */
export type RouteMatch = {
  /** A role of the server, exact. */
  readonly role?: string
  /** The hostname or the server's display name, a glob. */
  readonly server?: string
  /** The plugin's name, exact. */
  readonly plugin?: string
  /** The metric's name, exact. */
  readonly metric?: string
  /** The alert's title, a glob. */
  readonly title?: string
  readonly lifecycle?: 'start' | 'oneoff'
}

export type Route = {
  readonly match: RouteMatch
  /** A Slack channel id. */
  readonly channel: string
  /** Who is called by the card's text, in Slack's own notation (`<!subteam^S123>`); null calls nobody. */
  readonly mention: string | null
}

/** The facts of an alert that routes look at. */
type Routed = Pick<Alert, 'hostname' | 'serverName' | 'plugin' | 'metric' | 'title' | 'state' | 'roles'>

export type Destination = { readonly channel: string; readonly mention: string | null }

/** The destination of an alert; null only when no route matches and there is no default channel. */
export function route(
  alert: Routed,
  routes: readonly Route[],
  defaultChannel: string | null,
): Destination | null {
  const found = routes.find((candidate) => isMatch(alert, candidate.match))
  if (found) return { channel: found.channel, mention: found.mention }
  return defaultChannel === null ? null : { channel: defaultChannel, mention: null }
}

function isMatch(alert: Routed, match: RouteMatch): boolean {
  if (match.role !== undefined && !alert.roles.includes(match.role)) return false
  if (match.server !== undefined) {
    const glob = match.server
    if (!isGlobMatch(glob, alert.hostname) && !isGlobMatch(glob, alert.serverName)) return false
  }
  if (match.plugin !== undefined && match.plugin !== alert.plugin) return false
  if (match.metric !== undefined && match.metric !== alert.metric) return false
  if (match.title !== undefined && !isGlobMatch(match.title, alert.title)) return false
  if (match.lifecycle !== undefined) return (alert.state === 'oneoff') === (match.lifecycle === 'oneoff')
  return true
}

/**
 * Does the whole text match the glob (`*` any run, `?` one character, case ignored)? Linear time whatever the pattern:
 * the globs come from people, the texts from outside, and both can be made to hang a backtracking engine.
 */
export function isGlobMatch(glob: string, text: string): boolean {
  return globMatcher(glob)(text)
}

/** `isGlobMatch` for one glob and many texts: the glob is read once. */
export function globMatcher(glob: string): (text: string) => boolean {
  const source = [...glob]
    .map((char) => (char === '*' ? '.*' : char === '?' ? '.' : RE2JS.quote(char)))
    .join('')
  const compiled = RE2JS.compile(`^(?:${source})$`, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL)
  return (text) => compiled.matches(text)
}

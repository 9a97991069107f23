/** Which channel an alert belongs to: the first route that matches, else the default channel. */

import { globMatcher } from '../base/glob.ts'
import type { Alert } from './alert.ts'

/** What a route matches; every part that is given must match. Globs support `*` and `?`, and ignore case. */
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
  /** Who the card's text mentions, in Slack's own notation (`<!subteam^S123>`); null mentions nobody. */
  readonly mention: string | null
}

/** The fields of an alert that routes match. */
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
  if (match.plugin !== undefined && match.plugin !== alert.plugin) return false
  if (match.metric !== undefined && match.metric !== alert.metric) return false
  if (match.lifecycle !== undefined && (alert.state === 'oneoff') !== (match.lifecycle === 'oneoff')) {
    return false
  }
  const { isServer, isTitle } = globsOf(match)
  return (isServer(alert.hostname) || isServer(alert.serverName)) && isTitle(alert.title)
}

type Globs = Readonly<Record<'isServer' | 'isTitle', (text: string) => boolean>>

/** Compiled once for each route: compiling for every alert took 18 s with two hundred routes and a thousand alerts. */
const read = new WeakMap<RouteMatch, Globs>()

function globsOf(match: RouteMatch): Globs {
  const known = read.get(match)
  if (known !== undefined) return known
  const globs = { isServer: globOf(match.server), isTitle: globOf(match.title) }
  read.set(match, globs)
  return globs
}

function globOf(glob: string | undefined): (text: string) => boolean {
  return glob === undefined ? () => true : globMatcher(glob)
}

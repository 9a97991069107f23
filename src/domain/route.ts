/** Which channel an alert belongs to: the first route that matches, else the default channel. */

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

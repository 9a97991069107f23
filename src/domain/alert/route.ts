/** Which channel an alert belongs to: the first route that matches, else the default channel. */
import { type AlertMatch, isMatch, type Matched } from './match.ts'

export type Route = {
  readonly match: AlertMatch
  /** A Slack channel id. */
  readonly channel: string
  /** Who the card's text mentions, in Slack's own notation (`<!subteam^S123>`); null mentions nobody. */
  readonly mention: string | null
}

export type Destination = { readonly channel: string; readonly mention: string | null }

/** The destination of an alert; null only when no route matches and there is no default channel. */
export function route(
  alert: Matched,
  routes: readonly Route[],
  defaultChannel: string | null,
): Destination | null {
  const found = routes.find((candidate) => isMatch(alert, candidate.match))
  if (found) return { channel: found.channel, mention: found.mention }
  return defaultChannel === null ? null : { channel: defaultChannel, mention: null }
}

/** Does an alert stand where people read of it? Channels are archived, put the bot out, or are routed around. */
import type { Alert } from '../alert/alert.ts'
import { type Route, route } from '../alert/match.ts'
import { type Severity, severities } from '../alert/severity.ts'

/** Where alerts go by the settings of today, and which of those channels can take nothing. */
export type Routing = {
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  readonly gone: ReadonlySet<string>
}

/** The same over time: channels go and come back. */
export type LiveRouting = Omit<Routing, 'gone'> & { readonly gone: () => ReadonlySet<string> }

export function routingNow({ routes, defaultChannel, gone }: LiveRouting): Routing {
  return { routes, defaultChannel, gone: gone() }
}

/** Everything that decides where an alert goes; kept, to notice at a start that somebody changed it. */
export function routingText({ routes, defaultChannel }: Omit<Routing, 'gone'>): string {
  return JSON.stringify([defaultChannel, routes.map(({ match, channel }) => [match, channel])])
}

/** May people be expected to read this channel: do the settings name it for alerts, and does it take anything? */
export function isRead(channel: string, { routes, defaultChannel, gone }: Routing): boolean {
  if (gone.has(channel)) return false
  return channel === defaultChannel || routes.some((one) => one.channel === channel)
}

/**
 * Must this alert be told anew? `channels`: where it has a card. Where the policy is the same (`isRerouted` false), any channel
 * that people read will do: one that comes back gets no second card. Otherwise it must be where the policy now puts it, whichever
 * severity it had when it was told. What became critical belongs where criticals go. What nothing takes waits where it is.
 */
export function isToBeMoved(
  alert: Alert,
  channels: readonly string[],
  routing: Routing,
  isRerouted: boolean,
): boolean {
  const { routes, defaultChannel, gone } = routing
  const to = route(alert, routes, defaultChannel, gone)
  if (to === null || gone.has(to.channel)) return false
  const placeAt = (severity: Severity) => route({ ...alert, severity }, routes, defaultChannel, gone)?.channel
  const standsAs = (severity: Severity) => channels.includes(placeAt(severity) ?? '')
  if (alert.severity === 'critical' && !standsAs('critical') && severities.some(standsAs)) return true
  if (!isRerouted) return !channels.some((channel) => isRead(channel, routing))
  return !severities.some(standsAs)
}

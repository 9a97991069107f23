/** Decides whether an alert has a card where people read it: channels are archived, remove the bot, or lose their route. */
import type { Alert } from '../alert/alert.ts'
import { type Route, route } from '../alert/match.ts'
import { type Severity, severities } from '../alert/severity.ts'
import { calledNow } from '../oncall/mention.ts'

/** Where alerts go by the current settings, and which of those channels take nothing. */
export type Routing = {
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  readonly gone: ReadonlySet<string>
  /** Whom `oncall` mentions; absent where the policy has no calendar. */
  readonly onCall?: string | undefined
}

/** Routing over time, because channels go and come back, and shifts change. */
export type LiveRouting = Omit<Routing, 'gone' | 'onCall'> & {
  readonly gone: () => ReadonlySet<string>
  readonly onCallNow?: () => string
}

export function routingNow({ routes, defaultChannel, gone, onCallNow }: LiveRouting): Routing {
  return { routes: routesNow({ routes, onCallNow }), defaultChannel, gone: gone(), onCall: onCallNow?.() }
}

/** The routes, with whoever is on call now in place of `oncall`. */
export function routesNow({
  routes,
  onCallNow,
}: {
  readonly routes: readonly Route[]
  readonly onCallNow?: (() => string) | undefined
}): readonly Route[] {
  if (onCallNow === undefined) return routes
  const now = onCallNow()
  return routes.map((one) => ({ ...one, mention: calledNow(one.mention, now) }))
}

/** Everything that decides where an alert goes, as text; stored, to notice at a start that somebody changed it. */
export function routingText({ routes, defaultChannel }: Omit<Routing, 'gone'>): string {
  return JSON.stringify([defaultChannel, routes.map(({ match, channel }) => [match, channel])])
}

/** Can people read alerts in this channel? The settings name it for alerts, and it takes messages. */
export function isRead(channel: string, { routes, defaultChannel, gone }: Routing): boolean {
  if (gone.has(channel)) return false
  return channel === defaultChannel || routes.some((one) => one.channel === channel)
}

/** Does its card stand in a channel that lost its route, while another takes it? It is told there in a moment (`isToBeMoved`). */
export function isLeaving(alert: Alert, channel: string, routing: Routing): boolean {
  const { routes, defaultChannel, gone } = routing
  if (gone.has(channel) || isRead(channel, routing)) return false
  const to = route(alert, routes, defaultChannel, gone)
  return to !== null && !gone.has(to.channel)
}

/**
 * Must this alert be announced again? `channels`: where it has a card. If the policy is the same (`isRerouted` false), any
 * channel that people read is enough, so an unarchived channel gets no second card. Otherwise it must be where the policy now
 * puts it, whatever severity it had when it was announced. One that became critical belongs where critical alerts go. If no
 * channel takes it, it waits.
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

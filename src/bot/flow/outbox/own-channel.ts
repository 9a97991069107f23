/**
 * Decides which alerts and mutes a channel lists: those that are in it, or would be if no mute hid them. Others are only counted,
 * because its readers may not be concerned. The default channel has everything that has no other channel.
 */
import type { Alert } from '../../domain/alert/alert.ts'
import { route } from '../../domain/alert/match.ts'
import type { StoredView } from '../../domain/card/kinds.ts'
import { isRead, type LiveRouting, type Routing, routingNow } from '../../domain/card/reach.ts'
import { type Mute, mutedServer, mutesHiding } from '../../domain/mute/mute.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Store } from '../ports/store.ts'

/** Newest first: enough to know where each of the servers that somebody names belongs. */
const alertsRead = 500

type Narrow = <View extends StoredView>(view: View, channel: string) => Promise<View>

/** Does an alert concern the channel that is asked about? */
type IsHere = (alert: Alert) => boolean

export function openOwnChannel(
  { store }: { readonly store: Pick<Store, 'carded' | 'findAlerts'> },
  routing: LiveRouting,
) {
  const { defaultChannel, routes } = routing
  const isOnlyOne = routes.every(({ channel }) => channel === (defaultChannel ?? routes[0]?.channel))

  async function isHereIn(channel: string, alerts: readonly Alert[]): Promise<IsHere> {
    const now = routingNow(routing)
    const carded = await store.carded(alerts.map(({ alertId }) => alertId))
    return (alert) => channelsFor(alert, carded.get(alert.alertId) ?? [], now).includes(channel)
  }

  async function narrowed(view: StoredView, channel: string): Promise<StoredView> {
    switch (view.kind) {
      case 'board': {
        const { open, lost = [], mutes, planned = [] } = view
        const isHere = await isHereIn(channel, [...open, ...lost])
        const openHere = open.filter(isHere)
        const hosts = new Set(openHere.map(({ hostname }) => hostname))
        const hiding = new Set(openHere.flatMap((alert) => mutesHiding(alert, mutes)))
        const isOverHere = (mute: Mute) => hiding.has(mute) || hosts.has(mutedServer(mute) ?? '')
        const mutesHere = mutes.filter((mute) => isOverHere(mute) || isOfChannel(mute, channel, routing))
        const elsewhere = { open: open.length - openHere.length, muted: mutes.length - mutesHere.length }
        const plannedHere = planned.filter((one) => one.channel === channel)
        const muted = { mutes: mutesHere, planned: plannedHere }
        return { ...view, open: openHere, lost: lost.filter(isHere), ...muted, elsewhere }
      }
      case 'mute_expiring':
      case 'mute_ended': {
        const isHere = await isHereIn(channel, [...view.open, ...view.oneoffs])
        const open = view.open.filter(isHere)
        const elsewhere = view.open.length - open.length
        const picture = view.kind === 'mute_expiring' && elsewhere === 0 ? { picture: view.picture } : {}
        const own = { ...view, open, oneoffs: view.oneoffs.filter(isHere), elsewhere }
        // Its alert may be announced elsewhere.
        return own.kind === 'mute_expiring' ? { ...own, picture: null, ...picture } : own
      }
      case 'notice':
        return view.topic === 'change_notice'
          ? { ...view, entry: await namesHere(view.entry, channel) }
          : view
      case 'alert': {
        const isHere = await isHereIn(channel, view.alsoOpen)
        return { ...view, alsoOpen: view.alsoOpen.filter(isHere) }
      }
      default:
        return view
    }
  }

  /** Of several servers the names of those that concern the channel; of none, if what it heard of them is forgotten: all. */
  async function namesHere(entry: AuditEntry, channel: string): Promise<AuditEntry> {
    const { names = [] } = entry.detail
    if (names.length < 2 || entry.channel === channel) return entry
    const known = { state: 'all', hostname: names, offset: 0, limit: alertsRead } as const
    const { alerts } = await store.findAlerts(known)
    const isHere = await isHereIn(channel, alerts)
    const hosts = new Set(alerts.filter(isHere).map(({ hostname }) => hostname))
    const here = names.filter((name) => hosts.has(name))
    return here.length === 0 ? entry : { ...entry, detail: { ...entry.detail, names: here } }
  }

  return (async (view, channel) => (isOnlyOne ? view : narrowed(view, channel))) as Narrow
}

/** The channels where an alert has a card that people read; if there are none, where it would be announced. */
function channelsFor(alert: Alert, standing: readonly string[], now: Routing): readonly string[] {
  const read = standing.filter((channel) => isRead(channel, now))
  if (read.length > 0) return read
  const to = route(alert, now.routes, now.defaultChannel, now.gone)
  return to === null ? [] : [to.channel]
}

/**
 * The channels that list a mute: the account's concerns everybody, another the channel where it was made, else the default one.
 */
function isOfChannel(
  { subject, channel: of }: Mute,
  channel: string,
  { routes, defaultChannel }: LiveRouting,
): boolean {
  if (subject === null || of === channel) return true
  return channel === defaultChannel && !routes.some((one) => one.channel === of)
}

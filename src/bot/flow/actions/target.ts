/** Finds what a change is about: servers by name, glob or alert; alerts by id or server; where the change is announced. */

import type { Alert } from '../../domain/alert/alert.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { alertWords, hostnameOf as hostnameOfMute, type Mute, type Place } from '../../domain/mute/mute.ts'
import type { Target } from '../../domain/request/action.ts'
import { aboutOf, type Change, renamed } from '../../domain/request/actions.ts'
import { handGiven } from '../../domain/request/alert-actions.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import type { Request } from '../../domain/request/intent.ts'
import type { OneServer, OpenForm, ServerRef } from '../../domain/request/named.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { alertMeant } from '../episode-meant.ts'
import { placeOf } from '../mute/places.ts'
import type { Servers } from '../servers.ts'
import { alertsOnCard, openOf, threadsOf } from './card-alerts.ts'
import type { ActionContext, ActionStore, Found, Subject } from './context.ts'

export type Channels = {
  /** Every channel that alerts go to. */
  readonly all: readonly string[]
  readonly default: string
}

/** The server of a given name (already looked up by `withHostnames`), or of an alert. */
export async function hostnameOf(ref: OneServer, store: ActionStore): Promise<Found<string>> {
  if (ref.by === 'name') {
    const name = ref.name.trim()
    return name === ''
      ? { ok: false, refusal: { why: 'invalid', wanted: 'server', came: '' } }
      : { ok: true, found: name }
  }
  const [alert] = await store.recallByIds([ref.alertId])
  return alert === undefined
    ? { ok: false, refusal: { why: 'unknown_card', alert: numberOf(ref.alertId) } }
    : { ok: true, found: alert.hostname }
}

/** Of several names: those that nobody knows, with what may have been meant. */
export async function unknownServers(
  { act, unread }: Pick<Extract<Refusal, { why: 'unknown_servers' }>, 'act' | 'unread'>,
  names: readonly string[],
  servers: Pick<Servers, 'similar'>,
): Promise<Refusal> {
  const similar = await servers.similar(names)
  const each = names.map((server, at) => ({ server, similar: similar[at] ?? [] }))
  return { why: 'unknown_servers', act, servers: each, unread }
}

export type Known = { readonly store: ActionStore; readonly servers: Servers }

type MeantAlert = {
  readonly text: string
  /** Pressed on a card, which knows the exact episode of a number. */
  readonly isPressed: boolean
}

/** The alert that a change names: as already found for the audit; looked up again where it had changed by the time of writing. */
export async function alertFor(
  { alert }: { readonly alert: string },
  { subject, request }: Pick<ActionContext, 'subject' | 'request'>,
  ports: Known,
  tries = 1,
): Promise<Found<Alert>> {
  const known = tries === 1 ? subject.alert : undefined
  return known ?? alertOf({ text: alert, isPressed: isPressedOn(request) }, ports)
}

/** A button may also carry a command, which names an alert as people do. */
function isPressedOn({ card, via }: Request): boolean {
  return card !== null && via !== 'command'
}

/** The alert with this number (`123`, `#123`), or the only open one of the server with this name. */
export async function alertOf(
  { text, isPressed }: MeantAlert,
  { store, servers }: Known,
): Promise<Found<Alert>> {
  const wanted = text.trim()
  const [byId] = isPressed ? await store.recallByIds([wanted.replace(/^#/, '')]) : []
  if (byId !== undefined) return { ok: true, found: byId }
  // Whatever else has the number by now, or is called so, is not what the card shows.
  if (isPressed) return { ok: false, refusal: { why: 'unknown_card', alert: numberOf(wanted) } }
  const meant = await alertMeant(wanted, store)
  if (meant?.is === 'one') return { ok: true, found: meant.alert }
  if (meant?.is === 'several') {
    return { ok: false, refusal: { why: 'many_alerts', server: null, alerts: meant.alerts } }
  }
  if (wanted.startsWith('#')) return { ok: false, refusal: { why: 'unknown_alert', alert: wanted } }
  const [server = wanted] = await servers.meant([wanted])
  const open = await store.openAlerts([server])
  const [only, ...others] = open
  if (only !== undefined && others.length === 0) return { ok: true, found: only }
  return { ok: false, refusal: await noneOf(wanted, { server, open }, { store, servers }) }
}

async function noneOf(
  alert: string,
  { server, open }: { readonly server: string; readonly open: readonly Alert[] },
  { store, servers }: Known,
): Promise<Refusal> {
  if (open.length > 0) return { why: 'many_alerts', server, alerts: open }
  const page = { offset: 0, limit: 1 }
  const { alerts } = await store.findAlerts({ state: 'closed', hostname: server, ...page })
  const [last = null] = alerts
  if (last !== null || (await servers.book()).has(server)) return { why: 'none_open', server, last }
  const [similar = []] = await servers.similar([alert])
  return { why: 'unknown_alert', alert, similar }
}

/** Looks up the names of its servers once, all together. Alerts are found by `alertOf`, where an id comes first. */
export async function withHostnames(change: Change, servers: Pick<Servers, 'meant'>): Promise<Change> {
  const typed = new Set<string>()
  renamed(change.kind, change, (name) => {
    typed.add(name)
    return name
  })
  if (typed.size === 0) return change
  const names = [...typed]
  const meant = await servers.meant(names)
  const hostnames = new Map(names.map((name, at) => [name, meant[at] ?? name]))
  return renamed(change.kind, change, (name) => hostnames.get(name) ?? name)
}

/** A change as somebody asks for it, and the mute that it is to change; null if it changes none, or none that is known. */
type AskedChange = { readonly change: Change; readonly request: Request; readonly mute: Mute | null }

export async function askedBy(request: Request, change: Change, store: ActionStore): Promise<AskedChange> {
  const { target } = aboutOf(change.kind, change)
  return { change, request, mute: target.of === 'mute' ? await store.muteById(target.muteId) : null }
}

/** For the audit, before anything is decided: what cannot be found is left out, and the action says why. */
export async function subjectOf({ change, request, mute }: AskedChange, known: Known): Promise<Subject> {
  const { store } = known
  const { target, detail } = aboutOf(change.kind, change)
  switch (target.of) {
    case 'server':
      return serverSubject(target.server, detail, store)
    case 'servers': {
      const { servers, names = [] } = target
      return about(null, { ...detail, names: names.length > 0 ? names : await namesOf(servers, store) })
    }
    case 'alert':
      return alertSubject({ text: target.alert, isPressed: isPressedOn(request) }, detail, known)
    case 'mute': {
      const { muteId, auditId } = target
      const entry = auditId === undefined ? null : await store.auditById(auditId)
      if (entry !== null) return about(null, { names: entry.detail.names ?? [] })
      if (mute === null) return about(null, { muteId })
      const own = mute.alert === null ? {} : { alert: alertWords(mute.alert) }
      return {
        ...about(hostnameOfMute(mute), { muteId, ...own }),
        alertId: mute.alert?.about?.alertId ?? null,
      }
    }
    // How many of a card's alerts it affects is known only afterwards.
    case 'card':
    case 'account':
      return about(null, detail)
  }
}

/** For a form that somebody may not even open. */
export async function formSubject(
  { form, alertId, given }: Omit<OpenForm, 'kind'>,
  known: Known,
): Promise<Subject> {
  if (alertId !== null) return serverSubject({ by: 'alert', alertId }, {}, known.store)
  switch (form) {
    case 'mute_server':
    case 'mute_alert':
    case 'add_roles':
    case 'delete_server':
      return about(given, {})
    case 'hand_to':
      return given === null
        ? about(null, {})
        : alertSubject({ text: handGiven(given).alert, isPressed: false }, {}, known)
    case 'add_note':
      return given === null ? about(null, {}) : alertSubject({ text: given, isPressed: false }, {}, known)
    case 'delete_metrics':
      return about(null, given === null ? {} : { names: given.split(',').map((name) => name.trim()) })
    case 'add_marker':
    case 'mute_account':
      return about(null, {})
  }
}

function refName(ref: OneServer): string {
  return ref.by === 'name' ? ref.name : `#${numberOf(ref.alertId)}`
}

async function namesOf(refs: readonly ServerRef[], store: ActionStore): Promise<readonly string[]> {
  const names = refs.map(async (ref) =>
    ref.by === 'card'
      ? openOf((await alertsOnCard(ref.cardId, store)) ?? []).map(({ hostname }) => hostname)
      : [refName(ref)],
  )
  return [...new Set((await Promise.all(names)).flat())]
}

function about(hostname: string | null, detail: AuditDetail): Subject {
  return { hostname, alertId: null, detail }
}

async function serverSubject(ref: OneServer, detail: AuditDetail, store: ActionStore): Promise<Subject> {
  const server = await hostnameOf(ref, store)
  const hostname = server.ok ? server.found : ref.by === 'name' ? ref.name : null
  return { hostname, alertId: ref.by === 'alert' ? ref.alertId : null, detail, server }
}

async function alertSubject(meant: MeantAlert, detail: AuditDetail, known: Known): Promise<Subject> {
  const alert = await alertOf(meant, known)
  const { hostname, alertId } = alert.ok ? alert.found : { hostname: null, alertId: null }
  return { hostname, alertId, detail, alert }
}

/**
 * Where a change is announced: in the thread of the pressed card (of its root, if the card is itself a reply) or of the alert
 * it names, in the thread where its mute is discussed, or in the channel of the request if alerts go there.
 */
export async function tellingPlace(
  { request, change, mute }: AskedChange,
  store: ActionStore,
  channels: Channels,
): Promise<Place> {
  const { target } = aboutOf(change.kind, change)
  const cardId = request.card?.cardId ?? cardOf(target)
  const pressed = cardId === null ? null : await store.cardById(cardId)
  // A reminder in another channel, or a direct message, is about a card that has its own thread.
  const isElsewhere = pressed?.topic === 'unacknowledged' || pressed?.topic === 'handed'
  const about = isElsewhere && pressed.parentId === null ? pressed.subjectId : null
  const root = about === null ? pressed : ((await store.cardById(about)) ?? pressed)
  if (root !== null) return { channel: root.channel, cardId: root.parentId ?? root.cardId }
  if (mute !== null) return placeOf(mute, store)
  const isOfAlert = target.of === 'server' && target.server.by === 'alert'
  const cards = isOfAlert ? await threadsOf(target.server.alertId, store) : []
  const card = cards.find(({ channel }) => channel === request.channel) ?? cards[0]
  if (card !== undefined) return { channel: card.channel, cardId: card.cardId }
  const isOurs = request.channel !== null && channels.all.includes(request.channel)
  return { channel: isOurs ? request.channel : channels.default, cardId: null }
}

/** The card of several whose servers or alerts are meant: a confirmed receipt is not itself a card. */
function cardOf(target: Target): string | null {
  if (target.of === 'card') return target.cardId
  const first = target.of === 'servers' ? target.servers[0] : undefined
  return first?.by === 'card' ? first.cardId : null
}

/** Finds what a change is about: servers by name, glob or alert; alerts by id or server; where the change is told. */

import type { Alert } from '../../domain/alert/alert.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { Place } from '../../domain/card/thread-cards.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import type { Change, Intent, OneServer, Request, ServerRef } from '../../domain/request/intent.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { episodeMeant } from '../episode-meant.ts'
import { placeOf } from '../mute/place.ts'
import type { CardPlace, Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'
import { alertsOnCard, openOf, threadsOf } from './card-alerts.ts'
import type { Subject } from './context.ts'

export type Channels = {
  /** Every channel that alerts go to. */
  readonly all: readonly string[]
  readonly default: string
}

export type Found<T> =
  | { readonly ok: true; readonly found: T }
  | { readonly ok: false; readonly refusal: Refusal }

/** The server of a name as it was given (`withHostnames` has looked it up), or of an alert. */
export async function hostnameOf(ref: OneServer, store: Store): Promise<Found<string>> {
  if (ref.by === 'name') {
    const name = ref.name.trim()
    return name === ''
      ? { ok: false, refusal: { why: 'invalid', expected: 'the name of a server', came: 'nothing' } }
      : { ok: true, found: name }
  }
  const [alert] = await store.recallByIds([ref.alertId])
  return alert === undefined
    ? { ok: false, refusal: { why: 'unknown_alert', alert: numberOf(ref.alertId) } }
    : { ok: true, found: alert.hostname }
}

export type Known = { readonly store: Store; readonly servers: Servers }

type MeantAlert = {
  readonly text: string
  /** On a card, which knows the very episode of a number. */
  readonly isPressed: boolean
}

export function meantBy(text: string, { card }: Pick<Request, 'card'>): MeantAlert {
  return { text, isPressed: card !== null }
}

/** The alert with this number (`123`, `#123`), or the only open one of the server that this name means. */
export async function alertOf(
  { text, isPressed }: MeantAlert,
  { store, servers }: Known,
): Promise<Found<Alert>> {
  const wanted = text.trim()
  const id = wanted.replace(/^#/, '')
  const [byId] = isPressed ? await store.recallByIds([id]) : []
  const byNumber = byId ?? (await episodeMeant(id, store))
  if (byNumber !== null) return { ok: true, found: byNumber }
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

/** For the audit, before anything is decided: what cannot be found is left out, and the act says why. */
export async function subjectOf(
  { change, request }: { readonly change: Change; readonly request: Pick<Request, 'card'> },
  known: Known,
): Promise<Subject> {
  const { store } = known
  switch (change.kind) {
    case 'mute_server': {
      const [ref, ...others] = change.servers
      const detail = change.reason === '' ? {} : { reason: change.reason }
      if (ref?.by !== 'card' && ref !== undefined && others.length === 0) {
        return serverSubject(ref, detail, store)
      }
      const shown = change.shown?.servers ?? []
      const names = shown.length > 0 ? shown : await namesOf(change.servers, store)
      return about(null, { ...detail, names })
    }
    case 'unmute_server':
      return change.servers === undefined
        ? serverSubject(change.server, {}, store)
        : about(null, { names: change.servers.flatMap(refName) })
    case 'add_roles':
      return serverSubject(change.server, { roles: change.roles }, store)
    case 'mute_account':
      return about(null, change.reason === '' ? {} : { reason: change.reason })
    case 'unmute_account':
      return about(null, {})
    case 'extend_mute':
    case 'undo_mute': {
      const together = change.kind === 'undo_mute' ? change.auditId : undefined
      const entry = together === undefined ? null : await store.auditById(together)
      if (entry !== null) return about(null, { names: entry.detail.names ?? [] })
      const mute = await store.muteById(change.muteId)
      return about(mute?.hostname ?? null, { muteId: change.muteId })
    }
    case 'add_marker':
      return about(null, { text: change.text })
    // How many they are is known once it is done.
    case 'acknowledge_all':
      return about(null, {})
    case 'acknowledge':
      return alertSubject(meantBy(change.alert, request), {}, known)
    case 'add_note':
      return alertSubject(meantBy(change.alert, request), { text: change.text }, known)
    case 'set_no_data':
      return about(change.server, { group: change.group })
    case 'delete_server':
      return about(change.server, {})
    case 'delete_metrics':
      return about(null, { names: change.names })
  }
}

/** Of a form that somebody may not even open. */
export async function formSubject(
  { form, alertId, given }: Omit<Extract<Intent, { kind: 'open_form' }>, 'kind'>,
  known: Known,
): Promise<Subject> {
  if (alertId !== null) return serverSubject({ by: 'alert', alertId }, {}, known.store)
  switch (form) {
    case 'mute_server':
    case 'add_roles':
    case 'delete_server':
      return about(given, {})
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

async function namesOf(refs: readonly ServerRef[], store: Store): Promise<readonly string[]> {
  const names = refs.map(async (ref) =>
    ref.by === 'card'
      ? openOf(await alertsOnCard(ref.cardId, store)).map(({ hostname }) => hostname)
      : [refName(ref)],
  )
  return [...new Set((await Promise.all(names)).flat())]
}

function about(hostname: string | null, detail: AuditDetail): Subject {
  return { hostname, alertId: null, detail }
}

async function serverSubject(ref: OneServer, detail: AuditDetail, store: Store): Promise<Subject> {
  const server = await hostnameOf(ref, store)
  const hostname = server.ok ? server.found : ref.by === 'name' ? ref.name : null
  return { hostname, alertId: ref.by === 'alert' ? ref.alertId : null, detail }
}

async function alertSubject(meant: MeantAlert, detail: AuditDetail, known: Known): Promise<Subject> {
  const alert = await alertOf(meant, known)
  if (!alert.ok) return about(null, detail)
  return { hostname: alert.found.hostname, alertId: alert.found.alertId, detail }
}

/**
 * Where a change is told: in the thread of the card that was pressed (of its root, where it is a reply itself) or of the
 * alert that was meant, where its mute is talked of, or in the channel it was asked in if alerts go there.
 */
export async function tellingPlace(
  { request, change }: { readonly request: Request; readonly change: Change },
  store: Store,
  channels: Channels,
): Promise<Place> {
  const cardId = request.card?.cardId ?? meantCard(change)
  const pressed = cardId === null ? null : await store.cardById(cardId)
  if (pressed !== null) return rootOf(pressed)
  if (change.kind === 'extend_mute' || change.kind === 'undo_mute') {
    const mute = await store.muteById(change.muteId)
    if (mute !== null) return placeOf(mute, store)
  }
  const alertId = meantAlert(change)
  const cards = alertId === null ? [] : await threadsOf(alertId, store)
  const card = cards.find(({ channel }) => channel === request.channel) ?? cards[0]
  if (card !== undefined) return { channel: card.channel, cardId: card.cardId }
  const isOurs = request.channel !== null && channels.all.includes(request.channel)
  return { channel: isOurs ? request.channel : channels.default, cardId: null }
}

function rootOf({ channel, parentId, cardId }: CardPlace): Place {
  return { channel, cardId: parentId ?? cardId }
}

/** The card of many whose servers or alerts are meant: its receipt, which is confirmed, is no card. */
function meantCard(change: Change): string | null {
  if (change.kind === 'acknowledge_all') return change.cardId
  const ref = change.kind === 'mute_server' ? change.servers[0] : undefined
  return ref?.by === 'card' ? ref.cardId : null
}

function meantAlert(change: Change): string | null {
  const ref =
    change.kind === 'mute_server' && change.servers.length === 1
      ? change.servers[0]
      : change.kind === 'unmute_server' || change.kind === 'add_roles'
        ? change.server
        : undefined
  return ref?.by === 'alert' ? ref.alertId : null
}

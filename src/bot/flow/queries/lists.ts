/** Answers queries with lists, a page at a time: alerts, mutes, roles, triggers, and the audit. */

import { nearest } from '../../../shared/nearest.ts'
import type { Alert } from '../../domain/alert/alert.ts'
import { isMatch } from '../../domain/alert/match.ts'
import { byName } from '../../domain/base/by-name.ts'
import { mutedElsewhere } from '../../domain/mute/hiding.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { comingFirst } from '../../domain/mute/planned.ts'
import type { Paged } from '../../domain/request/answer.ts'
import type { Ask } from '../../domain/request/queries.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { type AskPorts, answered, refused, serversMeant } from './query-ports.ts'

type AskFor<Kind extends Ask['kind']> = Extract<Ask, { kind: Kind }>

/** Words that somebody may have mistyped where a server was read. */
const alertStates = ['open', 'closed', 'all', 'mine'] as const
const perPage = { alerts: 10, mutes: 10, roles: 20, serversOfRole: 80, triggers: 20, audit: 10 }

export async function listAlerts(ask: AskFor<'alerts'>, ports: AskPorts, userId: string): Promise<Reply> {
  const { store, health } = ports
  const { labels = [] } = ask
  const meant = ask.server === null ? null : await serversMeant(ask.server, ports)
  if (meant?.ok === false) {
    const { refusal } = meant
    if (refusal.why !== 'unknown_server') return refused(refusal)
    const states = nearest(refusal.server, alertStates)
    return refused({ ...refusal, similar: [...states, ...refusal.similar] })
  }
  const [first, ...rest] = meant?.hostnames ?? []
  const hostname = first === undefined || rest.length > 0 ? (meant?.hostnames ?? null) : first
  const list = await readPage(ask.page, perPage.alerts, async (offset, limit) => {
    const owner = ask.isMine === true ? { ackedBy: userId } : {}
    const asked = { state: ask.state, ...owner, hostname, labels, offset, limit }
    const { alerts, total } = await store.findAlerts(asked)
    return { items: alerts, total }
  })
  const { mutes } = await store.mutes()
  const isListed = (alert: Alert) =>
    (ask.isMine !== true || alert.ackedBy === userId) &&
    labels.every(({ name, value }) => isMatch(alert, { labels: { [name]: value } }))
  const { length: lost } = (await store.lostAlerts(meant?.hostnames ?? null)).filter(isListed)
  return answered({ kind: 'alerts', ask, list, lost, mutes, health: health() })
}

export async function listMutes(ask: AskFor<'mutes'>, { store }: AskPorts): Promise<Reply> {
  const { mutes } = await store.mutes()
  const outside = mutedElsewhere(await store.openAlerts(null), mutes)
  const all = [...mutes.toSorted(byEnd), ...outside.silences, ...comingFirst(await store.planned())]
  return answered({ kind: 'mutes', ask, list: pageOf(all, ask.page, perPage.mutes), outside })
}

/** Order of mutes: the account's first, because it hides everything; then by end; those without an end last. */
function byEnd(a: Mute, b: Mute): number {
  if ((a.subject === null) !== (b.subject === null)) return a.subject === null ? -1 : 1
  const sooner = (a.untilMs ?? Number.MAX_SAFE_INTEGER) - (b.untilMs ?? Number.MAX_SAFE_INTEGER)
  return sooner || byName(a.subject ?? '', b.subject ?? '')
}

/** May throw an `OutsideFailure`: roles are read live. */
export async function listRoles(ask: AskFor<'roles'>, { monitor, servers }: AskPorts): Promise<Reply> {
  const { about, page } = ask
  const { roles: read, skipped: unreadable } = await monitor.roles()
  const roles = [...read].map(([role, hosts]) => ({ role, servers: hosts.toSorted(byName) })).sort(byRole)
  const all = (items: typeof roles) =>
    answered({ kind: 'roles', ask, list: pageOf(items, page, perPage.roles), unreadable })
  if (about === null) return all(roles)

  const named = roles.find(({ role }) => role === about) ?? roles.find(({ role }) => isSame(role, about))
  if (named !== undefined) {
    // The pages of one role are pages of its servers.
    const { items, ...place } = pageOf(named.servers, page, perPage.serversOfRole)
    const list = { ...place, items: [{ role: named.role, servers: items }] }
    return answered({ kind: 'roles', ask: { ...ask, about: named.role }, list, unreadable })
  }
  const known = await servers.names()
  const server = [...known, ...roles.flatMap((role) => role.servers)].find((name) => isSame(name, about))
  if (server !== undefined) return all(roles.filter((role) => role.servers.includes(server)))
  const names = roles.map(({ role }) => role)
  const [similar = []] = await servers.similar([about], names)
  return refused({ why: 'unknown_server', server: about, similar, mayBeRole: true })
}

function byRole(a: { role: string }, b: { role: string }): number {
  return byName(a.role, b.role)
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** May throw an `OutsideFailure`. */
export async function listTriggers(ask: AskFor<'triggers'>, { monitor }: AskPorts): Promise<Reply> {
  const { triggers, skipped: unreadable } = await monitor.triggers()
  const wanted = ask.filter?.toLowerCase() ?? ''
  const found = triggers
    .filter(({ condition, metric }) => `${condition}\n${metric}`.toLowerCase().includes(wanted))
    .map(({ condition, metric }) => ({ condition, metric }))
  return answered({ kind: 'triggers', ask, list: pageOf(found, ask.page, perPage.triggers), unreadable })
}

/** May throw an `OutsideFailure`, if it names a server without any audit entry. */
export async function listAudit(ask: AskFor<'audit'>, ports: AskPorts): Promise<Reply> {
  const list = await readPage(ask.page, perPage.audit, async (offset, limit) => {
    const found = await ports.store.audit({ hostname: ask.server, sinceMs: 0, offset, limit })
    return { items: found.entries, total: found.total }
  })
  // A deleted server still has a past, so its name is questioned only if it has none.
  if (list.total > 0 || ask.server === null) return answered({ kind: 'audit', ask, list })
  const meant = await serversMeant(ask.server, ports)
  if (!meant.ok) return refused(meant.refusal)
  const [server] = meant.hostnames
  return server === ask.server
    ? answered({ kind: 'audit', ask, list })
    : refused({ why: 'unknown_server', server: ask.server, similar: meant.hostnames.slice(0, 3) })
}

/** The page, or the last one if the list has become shorter. */
async function readPage<Item>(
  page: number,
  size: number,
  read: (offset: number, limit: number) => Promise<{ items: readonly Item[]; total: number }>,
): Promise<Paged<Item>> {
  const asked = await read(offsetOf(page, size), size)
  const pages = pagesOf(asked.total, size)
  if (page <= pages) return { ...asked, page, pages }
  return { ...(await read(offsetOf(pages, size), size)), page: pages, pages }
}

/** Where a page begins, for a source that is read by offset. `page` counts from 1. */
function offsetOf(page: number, perPage: number): number {
  return (page - 1) * perPage
}

/** How many pages there are; an empty list has one. */
function pagesOf(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage))
}

/** One page of a complete list; beyond the last page it is the last one, because lists shrink between two clicks. */
function pageOf<Item>(all: readonly Item[], page: number, perPage: number): Paged<Item> {
  const pages = pagesOf(all.length, perPage)
  const shown = Math.min(Math.max(1, page), pages)
  const offset = offsetOf(shown, perPage)
  return { items: all.slice(offset, offset + perPage), page: shown, pages, total: all.length }
}

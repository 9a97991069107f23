/** Changes the monitoring service besides mutes: roles, markers, the no-data group, and deletions. */

import { rolesMarker } from '../../domain/mute/marker.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { type OddRole, oddRoles } from '../../domain/request/nearest.ts'
import { metricsDeletedMax, roleCharsMax, rolesAddedMax } from '../../domain/request/service-actions.ts'
import { attempt } from '../attempt.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { planEnds } from '../mute/ends.ts'
import { triesMax } from './alert-actions.ts'
import { doAtApi } from './at-api.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  notTried,
  outdated,
  refused,
  replyOnly,
  serverOf,
} from './context.ts'
import { openForm } from './form.ts'
import { deletedSince } from './stale.ts'

/** A poll may change an alert between reading and writing, but hardly so often in a row. */
const showTriesMax = 5

/** Roles that the server already has are left out of the call; if it has all of them, there is no call. */
export async function addRoles(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'add_roles'>,
): Promise<Acted> {
  const { monitor, servers } = ports
  const server = serverOf(context)
  if (!server.ok) return refused(server.refusal)
  const hostname = server.found
  const wanted = [...new Set(change.roles.map((role) => role.trim()))]
  const wrong = wanted.find((role) => role === '' || role.includes(',') || role.length > roleCharsMax)
  if (wrong !== undefined || wanted.length === 0 || wanted.length > rolesAddedMax) {
    return refused({ why: 'invalid', wanted: 'roles', came: change.roles.join(', ') })
  }
  // Read live, not from the cache: the answer says which of them are new.
  const known = await attempt(() => monitor.roles())
  if (!known.ok) return notTried(context, known.failure)
  // Somebody who chose an existing role did not mean to create it.
  const gone = change.existing?.find((role) => !known.value.roles.has(role))
  if (gone !== undefined) return refused({ why: 'invalid', wanted: 'existing_roles', came: gone })
  const already = wanted.filter((role) => known.value.roles.get(role)?.includes(hostname) === true)
  const roles = wanted.filter((role) => !already.includes(role))
  const created = roles.filter((role) => !known.value.roles.has(role))
  const reply = { kind: 'done', act: 'add_roles', server: hostname, roles, created, already } as const
  if (roles.length === 0) return { reply, row: { outcome: 'nothing', why: 'already' } }
  const odd = change.isConfirmed === true ? [] : oddRoles(created, known.value.roles.keys())
  if (odd.length > 0) return askAboutRoles(ports, context, { change, server: hostname, roles: wanted, odd })
  const acted = await doAtApi(ports, context, {
    call: () => monitor.addRoles(hostname, roles),
    reply,
    server: hostname,
    detail: { roles },
    marker: rolesMarker(hostname, roles, context.request.userId),
    also: { dirtySubjects: [hostname] },
  })
  servers.forget()
  if (acted.reply.kind === 'done') await showRoles(ports, hostname, roles)
  return acted
}

/** The question before an odd role is added; with a second button if each odd name resembles an existing one. */
async function askAboutRoles(
  { store, clock, ids }: ActPorts,
  { request: { userId } }: ActionContext,
  asked: {
    readonly change: ChangeOf<'add_roles'>
    readonly server: string
    readonly roles: readonly string[]
    readonly odd: readonly OddRole[]
  },
): Promise<Acted> {
  const { change, server, roles, odd } = asked
  const keep = async (meant: readonly string[]) => {
    const pendingId = ids.make()
    const confirmed = { ...change, roles: meant, isConfirmed: true } as const
    await store.keepPending({ pendingId, userId, change: confirmed, atMs: clock.nowMs() })
    return pendingId
  }
  const pendingId = await keep(roles)
  const question = { kind: 'confirm_roles', server, odd, pendingId } as const
  const similar = odd.flatMap((one) => one.similar ?? [])
  if (similar.length < odd.length) return replyOnly(question)
  const others = roles.filter((role) => !odd.some((one) => one.role === role))
  const instead = [...new Set([...others, ...similar])]
  return replyOnly({ ...question, instead: { pendingId: await keep(instead), roles: instead } })
}

/** The open alerts of the server show the new roles as well; the channels that they are in stay. */
async function showRoles(
  { store, clock }: ActPorts,
  hostname: string,
  roles: readonly string[],
): Promise<void> {
  await retryWhenStale(showTriesMax, async () => {
    const open = await store.openAlerts([hostname])
    return store.commit({
      ...emptyPlan(clock.nowMs()),
      alerts: open.map((alert) => ({
        alert: { ...alert, roles: [...new Set([...alert.roles, ...roles])], version: alert.version + 1 },
        was: alert.version,
      })),
      dirty: open.map(({ alertId }) => alertId),
    })
  })
}

export async function addMarker(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'add_marker'>,
): Promise<Acted> {
  const text = change.text.trim()
  if (text === '') return refused({ why: 'invalid', wanted: 'marker', came: '' })
  return doAtApi(ports, context, {
    call: () => ports.monitor.addMarker(text),
    reply: { kind: 'done', act: 'add_marker', text },
    server: null,
    detail: { text },
  })
}

export async function setNoData(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'set_no_data'>,
): Promise<Acted> {
  const server = change.server.trim()
  const group = change.group.trim()
  if (server === '' || group === '') return refused({ why: 'invalid', wanted: 'no_data_group', came: '' })
  // The path is a guess (docs/api.md#not-specified), so a 404 says nothing of a server that is known.
  const isKnown = (await ports.servers.book()).has(server)
  return doAtApi(ports, context, {
    call: () => ports.monitor.setNoDataGroup(server, group),
    reply: { kind: 'done', act: 'set_no_data', server, group },
    server: isKnown ? null : server,
    detail: { group },
  })
}

/** Deletes a server, if its name was retyped exactly. */
export async function deleteServer(
  ports: ActPorts,
  context: ActionContext,
  { server, typed, shownMs }: ChangeOf<'delete_server'>,
  limits: Limits,
): Promise<Acted> {
  const { userId } = context.request
  if (server === '') return refused({ why: 'invalid', wanted: 'server', came: '' })
  if (typed === null) {
    return replyOnly(
      await openForm(ports, { form: 'delete_server', alertId: null, given: server, userId }, limits),
    )
  }
  if (typed !== server) return refused({ why: 'name_differs', expected: server, typed })
  const changed = await deletedSince(shownMs, { names: [server], act: 'delete_server' }, ports.store)
  if (changed !== null) return outdated(changed, ports.clock.nowMs())
  const acted = await doAtApi(ports, context, {
    call: () => ports.monitor.deleteServer(server),
    reply: { kind: 'done', act: 'delete_server', server },
    server,
  })
  ports.servers.forget()
  if (acted.reply.kind === 'done') await endMuteOf(ports, server)
  return acted
}

/** Nobody can unmute what is deleted. */
async function endMuteOf(ports: ActPorts, server: string): Promise<void> {
  const { store, clock, hidden, switches } = ports
  const ended = await retryWhenStale(triesMax, async () => {
    const { mutes } = await store.mutes(server)
    const live = mutes.find(({ subject: hostname }) => hostname === server)
    if (live === undefined) return []
    const end = { by: 'gone', userId: null, nowMs: clock.nowMs(), auditId: null, places: [] } as const
    const plan = await planEnds(ports, [live], end)
    // It was deleted, so a 404 needs no second one minutes later.
    const gone = plan.switches.map(({ next, was }) => ({ next: { ...next, goneMs: 0 }, was }))
    return (await store.commit({ ...plan, switches: gone })) === 'stale' ? 'stale' : [live]
  })
  if (ended === 'stale' || ended.length === 0) return
  await switches.tell([server])
  await hidden.sweep([server])
}

export async function deleteMetrics(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'delete_metrics'>,
  limits: Limits,
): Promise<Acted> {
  const { userId } = context.request
  const names = [...new Set(change.names.map((name) => name.trim()))]
  const wrong = names.some((name) => name === '' || name.includes(','))
  if (wrong || names.length === 0 || names.length > metricsDeletedMax) {
    return refused({ why: 'invalid', wanted: 'metrics', came: change.names.join(', ') })
  }
  const expected = names.join(', ')
  if (change.typed === null) {
    return replyOnly(
      await openForm(ports, { form: 'delete_metrics', alertId: null, given: expected, userId }, limits),
    )
  }
  if (withoutSpaces(change.typed) !== withoutSpaces(expected)) {
    return refused({ why: 'name_differs', expected, typed: change.typed })
  }
  const changed = await deletedSince(change.shownMs, { names, act: 'delete_metrics' }, ports.store)
  if (changed !== null) return outdated(changed, ports.clock.nowMs())
  return doAtApi(ports, context, {
    call: () => ports.monitor.deleteCustomMetrics(names),
    reply: { kind: 'done', act: 'delete_metrics', names },
    server: null,
    detail: { names },
  })
}

/** Spaces next to the commas are ignored; those inside a name belong to it. */
function withoutSpaces(text: string): string {
  return text.trim().replace(/\s*,\s*/g, ',')
}

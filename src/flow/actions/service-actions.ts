/** What people change at the monitoring service besides mutes: roles, markers, the no-data group. */

import { rolesMarker } from '../../domain/mute/marker-text.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { roleCharsMax, rolesAddedMax } from '../../domain/request/service-actions.ts'
import { attempt } from '../attempt.ts'
import { doAtApi } from './at-api.ts'
import { type Acted, type ActionContext, type ActPorts, notTried, refused } from './context.ts'
import { hostnameOf } from './target.ts'

/** Roles that the server already has are left out of the call; if it has all of them, there is no call. */
export async function addRoles(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'add_roles'>,
): Promise<Acted> {
  const { monitor, servers } = ports
  const server = await hostnameOf(change.server, ports.store)
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
  const acted = await doAtApi(ports, context, {
    call: () => monitor.addRoles(hostname, roles),
    reply,
    server: hostname,
    detail: { roles },
    marker: rolesMarker(hostname, roles, context.request.userId),
    also: { dirtyServers: [hostname] },
  })
  servers.forget()
  return acted
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
  return doAtApi(ports, context, {
    call: () => ports.monitor.setNoDataGroup(server, group),
    reply: { kind: 'done', act: 'set_no_data', server, group },
    server,
    detail: { group },
  })
}

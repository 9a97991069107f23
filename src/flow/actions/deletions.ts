/** Deletions: only of a name that was retyped exactly. */
import type { Limits } from '../../domain/mute/limits.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import { metricsDeletedMax } from '../../domain/request/service-actions.ts'
import { doAtApi } from './at-api.ts'
import { type Acted, type ActionContext, type ActPorts, outdated, refused, said } from './context.ts'
import { openForm } from './form.ts'
import { deletedSince } from './stale.ts'

export async function deleteServer(
  ports: ActPorts,
  context: ActionContext,
  { server, typed, shownMs }: ChangeOf<'delete_server'>,
  limits: Limits,
): Promise<Acted> {
  if (server === '') return refused({ why: 'invalid', wanted: 'server', came: '' })
  if (typed === null) {
    return said(await openForm(ports, { form: 'delete_server', alertId: null, given: server }, limits))
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
  return acted
}

export async function deleteMetrics(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'delete_metrics'>,
  limits: Limits,
): Promise<Acted> {
  const names = [...new Set(change.names.map((name) => name.trim()))]
  const wrong = names.some((name) => name === '' || name.includes(','))
  if (wrong || names.length === 0 || names.length > metricsDeletedMax) {
    return refused({ why: 'invalid', wanted: 'metrics', came: change.names.join(', ') })
  }
  const expected = names.join(', ')
  if (change.typed === null) {
    return said(await openForm(ports, { form: 'delete_metrics', alertId: null, given: expected }, limits))
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

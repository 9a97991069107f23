/** What is told of planned mutes: rows of the audit, and messages in the thread in which the plan was told. */
import { isGlob } from '../../../shared/glob.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import { alertWords } from '../../domain/mute/mute.ts'
import type { MuteWindow, PlannedMute, PlannedWhat } from '../../domain/mute/planned.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import type { Clock, Ids } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

type Made = { readonly ids: Ids; readonly clock: Clock }

/** How the audit names what is planned: one server by its name, several or globs together, an alert, the account. */
export function plannedTitle(
  what: PlannedWhat,
  servers: readonly string[] = what.of === 'servers' ? what.names : [],
): Pick<AuditEntry, 'hostname' | 'alertId'> & { readonly detail: AuditDetail } {
  if (what.of === 'account') return { hostname: null, alertId: null, detail: {} }
  if (what.of === 'alert') {
    const { about } = what.muted
    const alert = alertWords(what.muted)
    return { hostname: about?.hostname ?? null, alertId: about?.alertId ?? null, detail: { alert } }
  }
  const [only = null, ...others] = servers
  return others.length === 0 && only !== null && !isGlob(only)
    ? { hostname: only, alertId: null, detail: {} }
    : { hostname: null, alertId: null, detail: { names: servers } }
}

export function plannedDetail(
  { plannedId, rule, zone, reason }: PlannedMute,
  { startMs, endMs }: MuteWindow,
): AuditDetail {
  return { plannedId, rule, zone, fromMs: startMs, untilMs: endMs, ...(reason === '' ? {} : { reason }) }
}

type OwnAct = 'plan_mute' | 'cancel_planned' | 'planned_soon' | 'planned_missed'

/** What monbot says of a window by itself. `servers`: those that are meant now. */
export function plannedNews(
  planned: PlannedMute,
  window: MuteWindow,
  of: {
    readonly act: OwnAct
    readonly why?: string
    readonly servers?: readonly string[]
    readonly open?: number
  },
  { ids, clock }: Made,
): Pick<Plan, 'audit' | 'cards'> {
  const { userId, channel } = planned
  const { act, why = null, servers, open } = of
  const { detail, ...title } = plannedTitle(planned.what, servers)
  const entry: AuditEntry = {
    ...title,
    auditId: act === 'planned_soon' ? soonId(planned, window) : ids.make(),
    atMs: clock.nowMs(),
    userId: null,
    via: 'monbot',
    act,
    channel,
    outcome: 'done',
    why,
    detail: {
      ...detail,
      ...plannedDetail(planned, window),
      ...(userId === null ? {} : { owner: userId }),
      ...(open === undefined ? {} : { alerts: open }),
    },
  }
  return { audit: [entry], cards: [changeNotice(entry, planned)] }
}

/** The row of a window that begins, which the API's answers settle. `left`: servers that stay muted for longer; `hides`: open alerts. */
export function beginEntry(
  planned: PlannedMute,
  { endMs }: MuteWindow,
  of: { readonly servers: readonly string[]; readonly left: readonly string[]; readonly hides: number },
  { ids, clock }: Made,
): AuditEntry {
  const { what, plannedId, reason, userId, channel } = planned
  const { detail, ...title } = plannedTitle(what, of.servers)
  const acts = { servers: 'mute_server', alert: 'mute_alert', account: 'mute_account' } as const
  return {
    ...title,
    auditId: ids.make(),
    atMs: clock.nowMs(),
    userId,
    via: 'monbot',
    act: acts[what.of],
    channel,
    outcome: 'unknown',
    why: 'unanswered',
    detail: {
      ...detail,
      mode: 'timed',
      untilMs: endMs,
      ...(reason === '' ? {} : { reason }),
      plannedId,
      ...(of.left.length === 0 ? {} : { left: of.left }),
      ...(of.hides === 0 ? {} : { alerts: of.hides }),
    },
  }
}

/** The id of the row that tells of one window before it begins. */
function soonId({ plannedId }: PlannedMute, { startMs }: MuteWindow): string {
  return `soon:${plannedId}:${startMs}`
}

/** What was told before the window has its answer: its button goes. */
export async function soonClosed(
  planned: PlannedMute,
  window: MuteWindow,
  store: Pick<Store, 'auditById'>,
): Promise<Pick<Plan, 'audit' | 'dirtyCards'>> {
  const entry = await store.auditById(soonId(planned, window))
  if (entry === null) return { audit: [], dirtyCards: [] }
  return {
    audit: [{ ...entry, outcome: 'nothing', why: 'already' }],
    dirtyCards: [changeNotice(entry, planned).cardId],
  }
}

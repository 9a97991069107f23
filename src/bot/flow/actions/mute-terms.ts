/** A mute before it is made: the terms that a request means, and the receipt of what they would do. */

import { weekMs } from '../../domain/base/duration.ts'
import { wallClock } from '../../domain/base/wall-clock.ts'
import { type MuteTerms, muteMinMs } from '../../domain/mute/mute.ts'
import { type Difference, differenceOf, muteFingerprint, type Shown } from '../../domain/mute/shown.ts'
import { untilOf } from '../../domain/mute/until.ts'
import { othersMutes } from '../../domain/mute/wide.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import type { AlertAsked, Receipt } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { type Acted, type ActionContext, type ActPorts, notTried, refused } from './context.ts'

/** What a request for a mute comes to: its terms, and the receipt for the servers that it means (null: the account). */
type Proposal = {
  readonly terms: MuteTerms
  readonly receiptOf: (servers: readonly string[] | null, alert?: AlertAsked & Hides) => Promise<Receipt>
}

/** The answer instead, where there are no such terms. */
export async function proposalFor(
  ports: ActPorts,
  context: ActionContext,
  change: Receipt['change'],
  limits: { readonly defaultMs: number; readonly maxMs: number; readonly zone: string | undefined },
): Promise<Proposal | Acted> {
  const { clock, directory } = ports
  const { userId } = context.request
  const { end, reason } = change
  const isClock = end.kind === 'at'
  const zone = isClock
    ? await attempt(() => directory.zoneOf(userId))
    : { ok: true as const, value: 'Etc/UTC' }
  // A clock time means nothing without the person's zone.
  if (!zone.ok) return notTried(context, zone.failure)
  // A clock time is relative to when it was requested; a duration counts from when the mute is made.
  const atMs = clock.nowMs()
  const nowMs = isClock ? context.askedMs : atMs
  const until = untilOf(end, { ...limits, nowMs, zone: zone.value })
  if ('why' in until) return refused(until)
  const { untilMs } = until
  if (untilMs !== null && untilMs - atMs < muteMinMs) {
    // The receipt was confirmed so late that the time has passed.
    return refused({ why: 'too_short', minMs: muteMinMs })
  }
  const terms = { ...until, userId, reason: reason.trim() }
  // Named on the receipt if clocks there show something else than the channels'.
  const isElsewhere =
    isClock && untilMs !== null && wallClock(zone.value)(untilMs) !== wallClock(limits.zone ?? 'UTC')(untilMs)
  const shown = { change, terms, ...(isElsewhere ? { zone: zone.value } : {}) }
  return { terms, receiptOf: (servers, alert) => receiptFor(ports, context, { ...shown, servers, alert }) }
}

/** The terms as the audit stores them. */
export function detailOf({ mode, untilMs, reason }: MuteTerms): AuditDetail {
  return { mode, ...(untilMs === null ? {} : { untilMs }), ...(reason === '' ? {} : { reason }) }
}

/** Shown first, and stored, so that only what was shown can be confirmed. `servers` null: the account. */
async function receiptFor(
  { store, clock }: ActPorts,
  { request }: ActionContext,
  of: Pick<Receipt, 'change' | 'zone'> & {
    readonly terms: MuteTerms
    readonly servers: readonly string[] | null
    readonly alert: (AlertAsked & Hides) | undefined
  },
): Promise<Receipt> {
  const { change, terms, servers, alert } = of
  const subjects = alert === undefined ? servers : [alert.subject]
  const { mutes } = await store.mutes(subjects ?? [null])
  return {
    change,
    servers: servers ?? [],
    mode: terms.mode,
    untilMs: terms.untilMs,
    ...(of.zone === undefined ? {} : { zone: of.zone }),
    ...(alert === undefined ? await hiddenBy(servers, store, clock.nowMs()) : hidesOf(alert)),
    isDefaultEnd: change.end.kind === 'default',
    others: othersMutes(request.userId, subjects, mutes),
  }
}

/** What a mute hides now, and would have hidden; `lastWeek` null: nobody knows. */
type Hides = Pick<Receipt, 'open' | 'lastWeek'>

function hidesOf({ open, lastWeek, subject, muted, alertIds }: AlertAsked & Hides) {
  return { open, lastWeek, alert: { subject, muted, alertIds } }
}

/** Servers or troubles; null: the account. */
export async function hiddenBy(
  subjects: readonly string[] | null,
  store: ActPorts['store'],
  nowMs: number,
): Promise<{ readonly open: number; readonly lastWeek: number }> {
  const [open, lastWeek] = await Promise.all([
    store.openAlerts(subjects),
    store.countAlerts({ subjects, sinceMs: nowMs - weekMs }),
  ])
  return { open: open.length, lastWeek }
}

/** Null if the effect now is still what was shown. */
export function differenceFrom(shown: Shown, receipt: Receipt): Difference | null {
  return differenceOf(shown, { ...receipt, mutes: receipt.others })
}

/** `difference`: it was already confirmed, but things have changed since. */
export async function askToMute(
  { store, clock, ids }: Pick<ActPorts, 'store' | 'clock' | 'ids'>,
  { request }: ActionContext,
  receipt: Receipt,
  difference?: Difference,
): Promise<Acted> {
  const { servers, open, others, change } = receipt
  const shown = { servers, open, mutes: others.map(muteFingerprint) }
  const pendingId = ids.make()
  const atMs = clock.nowMs()
  await store.keepPending({ pendingId, userId: request.userId, change: { ...change, shown }, atMs })
  return {
    reply: { kind: 'confirm', receipt, pendingId, ...(difference === undefined ? {} : { difference }) },
    row: difference === undefined ? null : { outcome: 'nothing', why: 'changed' },
  }
}

/** A mute before it is made: the terms that a request means, and the receipt of what they would do. */
import type { OutsideFailure } from '../../domain/base/failure.ts'
import { wallClock } from '../../domain/base/wall-clock.ts'
import type { MuteTerms } from '../../domain/mute/mute.ts'
import { type Difference, differenceOf, markOf, type Shown } from '../../domain/mute/shown.ts'
import { muteMinMs, untilOf } from '../../domain/mute/until.ts'
import { othersMutes } from '../../domain/mute/wide.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import type { MuteEnd } from '../../domain/request/named.ts'
import type { Receipt, Refusal } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import type { Acted, ActionContext, ActPorts } from './context.ts'

export type Terms =
  /** `zone`: of a clock time, if clocks there show something else than the channels'. */
  | { readonly ok: true; readonly terms: MuteTerms; readonly zone?: string }
  | { readonly ok: false; readonly refusal: Refusal }
  /** The person's zone could not be looked up, and a clock time means nothing without it. */
  | { readonly ok: false; readonly failure: OutsideFailure }

export async function termsFor(
  { clock, directory }: Pick<ActPorts, 'clock' | 'directory'>,
  { request, askedMs }: ActionContext,
  ask: { readonly end: MuteEnd; readonly reason: string },
  limits: { readonly defaultMs: number; readonly maxMs: number; readonly zone: string | undefined },
): Promise<Terms> {
  const { end } = ask
  const zone =
    end.kind === 'at'
      ? await attempt(() => directory.zoneOf(request.userId))
      : { ok: true as const, value: 'Etc/UTC' }
  if (!zone.ok) return zone
  // A clock time is relative to when it was requested; a duration counts from when the mute is made.
  const nowMs = end.kind === 'at' ? askedMs : clock.nowMs()
  const until = untilOf(end, { ...limits, nowMs, zone: zone.value })
  if ('why' in until) return { ok: false, refusal: until }
  if (until.untilMs !== null && until.untilMs - clock.nowMs() < muteMinMs) {
    // The receipt was confirmed so late that the time has passed.
    return { ok: false, refusal: { why: 'too_short', minMs: muteMinMs } }
  }
  const terms = { ...until, userId: request.userId, reason: ask.reason.trim() }
  const isElsewhere =
    end.kind === 'at' &&
    until.untilMs !== null &&
    wallClock(zone.value)(until.untilMs) !== wallClock(limits.zone ?? 'UTC')(until.untilMs)
  return { ok: true, terms, ...(isElsewhere ? { zone: zone.value } : {}) }
}

/** The terms as the audit stores them. */
export function detailOf({ mode, untilMs, reason }: MuteTerms): AuditDetail {
  return { mode, ...(untilMs === null ? {} : { untilMs }), ...(reason === '' ? {} : { reason }) }
}

const weekMs = 7 * 24 * 60 * 60_000

/** Shown first, and stored, so that only what was shown can be confirmed. `servers` null: the account. */
export async function receiptFor(
  { store, clock }: ActPorts,
  { request }: ActionContext,
  of: Pick<Receipt, 'change' | 'zone'> & {
    readonly terms: MuteTerms
    readonly servers: readonly string[] | null
  },
): Promise<Receipt> {
  const { change, terms, servers } = of
  const { mutes } = await store.mutes(servers ?? [null])
  return {
    change,
    servers: servers ?? [],
    mode: terms.mode,
    untilMs: terms.untilMs,
    ...(of.zone === undefined ? {} : { zone: of.zone }),
    ...(await hiddenBy(servers, store, clock.nowMs())),
    isDefaultEnd: change.end.kind === 'default',
    others: othersMutes(request.userId, servers, mutes),
  }
}

/** `hostnames` null: the account. */
export async function hiddenBy(
  hostnames: readonly string[] | null,
  store: ActPorts['store'],
  nowMs: number,
): Promise<Pick<Receipt, 'open' | 'lastWeek'>> {
  const [open, lastWeek] = await Promise.all([
    store.openAlerts(hostnames),
    store.countAlerts({ hostnames, sinceMs: nowMs - weekMs }),
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
  const shown = { servers, open, mutes: others.map(markOf) }
  const pendingId = ids.make()
  const atMs = clock.nowMs()
  await store.keepPending({ pendingId, userId: request.userId, change: { ...change, shown }, atMs })
  return {
    reply: { kind: 'confirm', receipt, pendingId, ...(difference === undefined ? {} : { difference }) },
    row: difference === undefined ? null : { outcome: 'nothing', why: 'changed' },
  }
}

/** Turns a request into a mute's terms. */

import type { OutsideFailure } from '../../domain/base/failure.ts'
import { wallClock } from '../../domain/base/wall-clock.ts'
import type { MuteTerms } from '../../domain/mute/mute.ts'
import { muteMinMs, untilOf } from '../../domain/mute/until.ts'
import type { AuditDetail } from '../../domain/request/audit.ts'
import type { MuteEnd } from '../../domain/request/named.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import type { ActionContext, ActPorts } from './context.ts'

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

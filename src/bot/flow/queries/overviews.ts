/** Answers queries with an overview: the current status, a handoff, a report. */

import { isHidden, mutedElsewhere } from '../../domain/mute/hiding.ts'
import { outageTimes } from '../../domain/outage/outage.ts'
import type { Handoff } from '../../domain/request/answer.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { barsInWords, reportBars, reportWindow } from '../../domain/request/report-window.ts'
import type { Store } from '../ports/store.ts'
import { alertFile, happenedIn } from './happened.ts'
import { type AskPorts, answered } from './query-ports.ts'

/** At most this many actions of the last shift are read. */
const timelineMax = 500

export async function tellStatus({ store, health }: AskPorts): Promise<Reply> {
  const [open, lost, ignored, { mutes }, cards, unshown] = await Promise.all([
    store.openAlerts(null),
    store.lostAlerts(null),
    store.countIgnored(),
    store.mutes(),
    store.countCards(),
    store.countUnshown(),
  ])
  const unacknowledged = open.filter((alert) => alert.ackedBy === null && !isHidden(alert, mutes))
  return answered({
    kind: 'status',
    status: {
      ...health(),
      unshown,
      open: open.length,
      critical: open.filter(({ severity }) => severity === 'critical').length,
      lost: lost.length,
      ignored,
      unacknowledged: unacknowledged.length,
      mutes,
      outside: mutedElsewhere(open, mutes),
      cards: cards.byState,
      behind: cards.behind,
      behindIn: cards.behindIn,
    },
  })
}

export async function tellHandoff({ ms }: { readonly ms: number }, ports: HandoffPorts): Promise<Reply> {
  return answered({ kind: 'handoff', handoff: await handoffSince(ports.clock.nowMs() - ms, ports) })
}

export type HandoffPorts = {
  readonly store: Pick<
    Store,
    'audit' | 'countUnshown' | 'happened' | 'lostAlerts' | 'mutes' | 'openAlerts' | 'outagesSince' | 'unrest'
  >
} & Pick<AskPorts, 'clock' | 'health'>

/** All that the next person has to know of the time since then, as it is now. */
export async function handoffSince(fromMs: number, { store, clock, health }: HandoffPorts): Promise<Handoff> {
  const nowMs = clock.nowMs()
  const [open, { length: lost }, { mutes }, { happened, outage }, audit, unrest] = await Promise.all([
    store.openAlerts(null),
    store.lostAlerts(null),
    store.mutes(),
    happenedIn({ fromMs, toMs: nowMs }, { store, clock }),
    store.audit({ hostname: null, sinceMs: fromMs, offset: 0, limit: timelineMax }),
    store.unrest(fromMs),
  ])
  const done = audit.entries.filter(
    ({ userId, outcome, act }) => userId !== null && outcome === 'done' && act !== 'rate_alert',
  )
  const now = { ...health(), unshown: await store.countUnshown() }
  return { nowMs, open, lost, mutes, happened, done, ...unrest, outage, health: now }
}

export async function tellReport(
  ask: { readonly ms: number; readonly zone: string },
  { store, clock, draw, health }: AskPorts,
): Promise<Reply> {
  const { fromMs, toMs, partMs, startsMs } = reportWindow({ nowMs: clock.nowMs(), ...ask })
  const counted = await store.report(fromMs, toMs, startsMs)
  const report = { ...counted, ...(await happenedIn({ fromMs, toMs }, { store, clock })) }
  if (report.opened + report.oneoffs === 0)
    return answered({ kind: 'report', report, ms: ask.ms, drawing: null, health: health() })
  const bars = reportBars(report, partMs, ask.zone)
  const drawing = { png: await draw.bars(bars), alt: barsInWords(bars) }
  return answered({ kind: 'report', report, ms: ask.ms, drawing, health: health() })
}

/** The alerts of a handoff or a report one by one, in a file. */
export async function tellFile(
  ask: { readonly kind: 'handoff' | 'report'; readonly ms: number; readonly zone: string },
  { store, clock, health }: AskPorts,
): Promise<Reply> {
  const nowMs = clock.nowMs()
  const { fromMs, toMs } =
    ask.kind === 'handoff' ? { fromMs: nowMs - ask.ms, toMs: nowMs } : reportWindow({ nowMs, ...ask })
  const made = await alertFile({ fromMs, toMs }, ask.zone, { store, clock })
  const outage = outageTimes(await store.outagesSince(fromMs), fromMs, toMs)
  return answered({ kind: 'file', ...made, fromMs, toMs, outage, health: health() })
}

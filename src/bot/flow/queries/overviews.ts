/** Answers queries with an overview: the current status, a handoff, a report. */

import { isHidden, mutedElsewhere } from '../../domain/mute/hiding.ts'
import { outageTimes } from '../../domain/outage/outage.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { barsInWords, reportBars, reportWindow } from '../../domain/request/report-window.ts'
import { type AskPorts, answered } from './query-ports.ts'

const handoffMs = 12 * 3_600_000
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

export async function tellHandoff({
  store,
  clock,
  health,
}: Pick<AskPorts, 'store' | 'clock' | 'health'>): Promise<Reply> {
  const nowMs = clock.nowMs()
  const [open, { length: lost }, { mutes }, outages, audit, unrest] = await Promise.all([
    store.openAlerts(null),
    store.lostAlerts(null),
    store.mutes(),
    store.outagesSince(nowMs - handoffMs),
    store.audit({ hostname: null, sinceMs: nowMs - handoffMs, offset: 0, limit: timelineMax }),
    store.unrest(nowMs - handoffMs),
  ])
  const outage = outageTimes(outages, nowMs - handoffMs, nowMs)
  const done = audit.entries.filter(({ userId, outcome }) => userId !== null && outcome === 'done')
  const now = { ...health(), unshown: await store.countUnshown() }
  return answered({
    kind: 'handoff',
    handoff: { nowMs, open, lost, mutes, done, ...unrest, outage, health: now },
  })
}

export async function tellReport(
  ask: { readonly ms: number; readonly zone: string },
  { store, clock, draw, health }: AskPorts,
): Promise<Reply> {
  const { fromMs, toMs, partMs, startsMs } = reportWindow({ nowMs: clock.nowMs(), ...ask })
  const counted = await store.report(fromMs, toMs, startsMs)
  const report = { ...counted, outage: outageTimes(await store.outagesSince(fromMs), fromMs, toMs) }
  if (report.opened + report.oneoffs === 0)
    return answered({ kind: 'report', report, drawing: null, health: health() })
  const bars = reportBars(report, partMs, ask.zone)
  const drawing = { png: await draw.bars(bars), alt: barsInWords(bars) }
  return answered({ kind: 'report', report, drawing, health: health() })
}

/** Reads what happened in a time for a handoff or a report: its alerts by rule or one by one, and what may be missing. */
import { alertsKeptMs } from '../../domain/base/retention.ts'
import { type OutageTimes, outageTimes } from '../../domain/outage/outage.ts'
import { csvLines, csvRowsMax } from '../../domain/request/alert-csv.ts'
import type { TextFile } from '../../domain/request/answer.ts'
import type { Happened } from '../../domain/request/rule-counts.ts'
import type { Clock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

export type Span = { readonly fromMs: number; readonly toMs: number }

/** What is counted, and the part of the time that was not observed live. */
export async function happenedIn(
  { fromMs, toMs }: Span,
  {
    store,
    clock,
  }: { readonly store: Pick<Store, 'happened' | 'outagesSince'>; readonly clock: Pick<Clock, 'nowMs'> },
): Promise<{ readonly happened: Happened; readonly outage: OutageTimes }> {
  const beforeMs = fromMs - (toMs - fromMs)
  const outages = await store.outagesSince(beforeMs)
  const isKept = beforeMs >= clock.nowMs() - alertsKeptMs
  const isBeforeKnown = isKept && outageTimes(outages, beforeMs, fromMs).isSure
  return {
    happened: await store.happened(fromMs, toMs, isBeforeKnown),
    outage: outageTimes(outages, fromMs, toMs),
  }
}

export type AlertFile = { readonly file: TextFile; readonly rows: number; readonly total: number }

/** So many lines are written before others have their turn. */
const turnLines = 1_000

/** One row an alert, as CSV. `zone`: of its times, IANA. */
export async function alertFile(
  { fromMs, toMs }: Span,
  zone: string,
  { store, clock }: { readonly store: Pick<Store, 'openedAlerts'>; readonly clock: Pick<Clock, 'wait'> },
): Promise<AlertFile> {
  const { alerts, total } = await store.openedAlerts(fromMs, toMs, csvRowsMax)
  const lines: string[] = []
  for (const line of csvLines(alerts, zone)) {
    if (lines.push(line) % turnLines === 0) await clock.wait(0)
  }
  const name = `alerts-${nameOf(fromMs)}-${nameOf(toMs)}.csv`
  return { file: { name, bytes: Buffer.from(lines.join(''), 'utf8') }, rows: alerts.length, total }
}

/** A time in the name of a file, UTC. */
export function nameOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}Z`
}

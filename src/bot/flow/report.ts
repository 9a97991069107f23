/**
 * Posts the report at its time, once for each: the audit row and the card are named for it. One that was missed while nothing ran is
 * posted late, or not at all after a few hours.
 */
import { backoffMs } from '../domain/base/backoff.ts'
import { isFinal } from '../domain/base/failure.ts'
import { reportCard } from '../domain/card/thread-cards.ts'
import { emptyPlan } from '../domain/plan.ts'
import type { AuditEntry } from '../domain/request/audit.ts'
import { lastOccurrence, type Occurrence, type ReportTimes } from '../domain/request/report-times.ts'
import { attempt } from './attempt.ts'
import { type Job, openWatch } from './concurrency/watch.ts'
import { attachFile } from './outbox/attach.ts'
import type { Chat, Clock, Logger } from './ports/ports.ts'
import type { Store } from './ports/store.ts'
import { alertFile, happenedIn, type Span } from './queries/happened.ts'

/** Later than that nobody waits for it. */
const lateMaxMs = 3 * 3_600_000
/** Without its file rather than later. */
const fileWaitMaxMs = 10 * 60_000
const lookEveryMs = 10 * 60_000
/** What it is remembered by (see `Plan.state`): when it was due last, and by which setting. */
const fact = 'report'

export type ReportSettings = {
  readonly times: ReportTimes
  readonly channel: string
  /** IANA. */
  readonly zone: string
}

type ReportPorts = {
  readonly store: Pick<Store, 'state' | 'commit' | 'report' | 'happened' | 'openedAlerts' | 'outagesSince'>
  readonly chat: Pick<Chat, 'attach' | 'isTakenIn'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onChanged: () => void
}

export function openReport(ports: ReportPorts, settings: ReportSettings): Job {
  const { store, clock, logger } = ports
  const { times, zone, channel } = settings
  const setting = JSON.stringify([times, zone, channel])
  let failures = 0

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const due = lastOccurrence(times, nowMs, zone)
    const untilNextMs = () => Math.min(due.nextMs - clock.nowMs(), lookEveryMs)
    const kept = readFact((await store.state(fact)).get(''))
    // A new setting begins with its next time: nobody asked for the one before.
    if (kept === null || kept.setting !== setting) {
      await note(due)
      return untilNextMs()
    }
    if (kept.atMs >= due.atMs) return untilNextMs()
    if (nowMs - due.atMs > lateMaxMs) {
      logger.warn('report:skipped', { dueMs: due.atMs, lateMs: nowMs - due.atMs })
      await note(due)
      return untilNextMs()
    }
    return (await make(due, nowMs)) ? untilNextMs() : backoffMs(failures - 1)
  }

  function note({ atMs }: Occurrence): Promise<unknown> {
    return store.commit({ ...emptyPlan(clock.nowMs()), state: [kept(atMs)] })
  }

  function kept(atMs: number) {
    return { name: fact, value: JSON.stringify({ atMs, setting }) }
  }

  /** False: Slack did not take the file, and it is tried again. */
  async function make(due: Occurrence, nowMs: number): Promise<boolean> {
    const span = { fromMs: due.fromMs, toMs: due.atMs }
    const made = await alertFile(span, zone, ports)
    const came = await attempt(() => attachFile(made.file, ports))
    const isOver = nowMs - due.atMs > fileWaitMaxMs
    if (!came.ok && !isOver && !isFinal(came.failure)) {
      failures += 1
      logger.warn('report:delayed', { why: came.failure.message })
      return false
    }
    failures = 0
    const { rows, total } = made
    const file = came.ok ? { ...fileOf(came.value), rows, total } : undefined
    const entry = entryOf(due, {
      channel,
      atMs: clock.nowMs(),
      why: came.ok ? null : came.failure.message,
      detail: { report: await numbersOf(span, ports), ...(file === undefined ? {} : { file }) },
    })
    await store.commit({
      ...emptyPlan(entry.atMs),
      audit: [entry],
      cards: [reportCard(entry, channel)],
      state: [kept(due.atMs)],
    })
    logger.info('report:made', { dueMs: due.atMs, lateMs: entry.atMs - due.atMs, alerts: total })
    ports.onChanged()
    return true
  }

  return openWatch('report', { clock, logger }, round)
}

function fileOf({ name, permalink, bytes }: Awaited<ReturnType<Chat['attach']>>) {
  return { name, permalink, bytes }
}

function entryOf(
  { atMs: dueMs }: Occurrence,
  of: Pick<AuditEntry, 'atMs' | 'channel' | 'why' | 'detail'>,
): AuditEntry {
  return {
    ...of,
    // Another occurrence is another report; the same one, written twice, is one.
    auditId: `report:${dueMs}`,
    userId: null,
    via: 'monbot',
    act: 'report',
    hostname: null,
    alertId: null,
    outcome: 'done',
  }
}

/** As many rules as a message lists. */
const rulesKept = 20

async function numbersOf({ fromMs, toMs }: Span, { store, clock }: ReportPorts) {
  const counted = await store.report(fromMs, toMs, [fromMs])
  const { happened, outage } = await happenedIn({ fromMs, toMs }, { store, clock })
  return { ...counted, happened: { ...happened, rules: happened.rules.slice(0, rulesKept) }, outage }
}

function readFact(value: string | undefined): { readonly atMs: number; readonly setting: string } | null {
  if (value === undefined) return null
  const read: unknown = JSON.parse(value)
  const { atMs, setting } = Object(read) as { atMs?: unknown; setting?: unknown }
  return typeof atMs === 'number' && typeof setting === 'string' ? { atMs, setting } : null
}

/** Processes that share a lease on a real Postgres: each has a network and clocks of its own, and time passes as a test says. */
import { setImmediate as soon } from 'node:timers/promises'
import { type Lease, type Led, openLease } from '../../src/bot/store/postgres/lease.ts'
import { type LeaseRows, openLeaseRows } from '../../src/bot/store/postgres/lease-rows.ts'
import { openPostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../src/shared/clock.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { patienceMs } from './patience.ts'
import { type Postgres, sharedPostgres } from './postgres.ts'
import { fencedDatabase } from './postgres-memory.ts'
import { openTcpGate, type TcpGate } from './tcp-gate.ts'

export type Process = {
  readonly lease: Lease
  readonly clock: ManualClock
  readonly gate: TcpGate
  /** What `lead` resolved to; undefined while it has not. */
  led(): Led | null | undefined
  /** What it was told, in order. */
  readonly told: string[]
  reachesSlack: boolean
  /** Its clocks go on, but it does nothing: as if stopped by SIGSTOP. */
  isFrozen: boolean
  /** Its statements are not waited for, because nothing comes back. */
  isCutOff: boolean
  /** `lead` ends without having led. */
  leave(): void
}

export type LeaseWorld = {
  readonly postgres: Postgres
  readonly database: string
  /** Starts one that stands by. */
  start(name: string, port?: number): Promise<Process>
  /** Time passes for all, in steps of a quarter of a second, and every statement is answered in between. */
  pass(ms: number): Promise<void>
  /** Waits until no process waits for an answer. */
  settle(): Promise<void>
  row(): Promise<Record<string, unknown>>
  query<Row extends object>(sql: string): Promise<Row[]>
  close(): Promise<void>
}

const stepMs = 250

export async function openLeaseWorld(given?: Postgres): Promise<LeaseWorld> {
  const postgres = given ?? (await sharedPostgres())
  const database = await fencedDatabase(postgres)
  await postgres.query("update leader set holder = '', term = 0, free = true", database)
  const processes: Process[] = []
  const asking = new Map<Process, number>()
  let isOver = false

  async function settle(): Promise<void> {
    const untilMs = Date.now() + patienceMs
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await soon()
      const isBusy = processes.some((one) => (asking.get(one) ?? 0) > 0 && !one.isCutOff && !one.isFrozen)
      if (!isBusy) continue
      quiet = -1
      if (Date.now() > untilMs) throw new Error('A statement got no answer')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  async function start(name: string, port = postgres.port): Promise<Process> {
    const gate = await openTcpGate(port)
    const clock = manualClock()
    const leaving = new AbortController()
    const told: string[] = []
    let led: Led | null | undefined
    const counted = countAsking(
      openLeaseRows(
        openPostgresPool(postgres.url(database, gate.port), { clock: realClock, connections: 1 }),
      ),
      (change) => asking.set(one, (asking.get(one) ?? 0) + change),
    )
    const say = (event: string) => void told.push(event)
    const one: Process = {
      lease: openLease({
        rows: counted,
        holder: `${name}-${processes.length}`,
        name,
        url: `http://${name}`,
        clock,
        logger: { debug: say, info: say, warn: say, error: say },
        reachesSlack: () => one.reachesSlack,
        onDeposed: () => told.push('onDeposed'),
        onForgotten: () => told.push('onForgotten'),
      }),
      clock,
      gate,
      led: () => led,
      told,
      reachesSlack: true,
      isFrozen: false,
      isCutOff: false,
      leave: () => leaving.abort(),
    }
    processes.push(one)
    void one.lease.lead(leaving.signal).then((came) => {
      led = came
    })
    await settle()
    return one
  }

  return {
    postgres,
    database,
    start,
    settle,
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= stepMs) {
        const step = Math.min(stepMs, left)
        for (const { clock, isFrozen } of processes) if (!isFrozen) clock.advance(step)
        await settle()
      }
    },
    row: async () => (await postgres.query('select * from leader', database))[0] ?? {},
    query: (sql) => postgres.query(sql, database),
    close: async () => {
      if (isOver) return
      isOver = true
      for (const one of processes) {
        one.leave()
        one.gate.cut()
        await one.lease.release()
        await one.gate.close()
      }
    },
  }
}

function countAsking(rows: LeaseRows, change: (by: 1 | -1) => void): LeaseRows {
  const counted =
    <Given extends unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      change(1)
      try {
        return await ask(...given)
      } finally {
        change(-1)
      }
    }
  return {
    look: counted(rows.look),
    take: counted(rows.take),
    renew: counted(rows.renew),
    free: counted(rows.free),
    noteTimeline: counted(rows.noteTimeline),
    appear: counted(rows.appear),
    standbys: counted(rows.standbys),
    disappear: counted(rows.disappear),
    close: rows.close,
  }
}

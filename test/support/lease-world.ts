/** Processes that share a lease on a real Postgres: each has a network and clocks of its own, and time passes as a test says. */
import { setImmediate as soon } from 'node:timers/promises'
import pg from 'pg'
import { type Lease, type Led, openLease } from '../../src/bot/store/postgres/lease.ts'
import { type LeaderRow, type LeaseRows, openLeaseRows } from '../../src/bot/store/postgres/lease-rows.ts'
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
  /** Its clocks go on, but it does nothing, as if stopped by SIGSTOP; until it is thawed. */
  freeze(): void
  thaw(): void
  /** Its statements are not waited for, because nothing comes back. */
  isCutOff: boolean
  /** `lead` ends without having led. */
  leave(): void
}

export type LeaseWorld = {
  readonly postgres: Postgres
  readonly database: string
  /** Starts one that stands by. */
  start(name: string): Promise<Process>
  /** All networks lead to this server from their next connection on. */
  leadTo(port: number): void
  /** Time passes for all, in steps of a quarter of a second, and every statement is answered in between. */
  pass(ms: number): Promise<void>
  /** Waits until no process waits for an answer. */
  settle(): Promise<void>
  row(): Promise<LeaderRow>
  query<Row extends object>(sql: string): Promise<Row[]>
  /** Holds the row as a claim or a commit does. */
  claim(): Promise<{ commit(): Promise<void> }>
  /** Waits until so many statements wait for a lock. */
  waiting(count: number): Promise<void>
  close(): Promise<void>
}

const stepMs = 250

/** On the tests' shared server, or on one of its own; with a pooler, through that. */
export async function openLeaseWorld(
  given?: Postgres,
  pooler?: { readonly port: number },
): Promise<LeaseWorld> {
  const postgres = given ?? (await sharedPostgres())
  let to = pooler?.port ?? postgres.port
  const database = await fencedDatabase(postgres)
  await postgres.query("update leader set holder = '', term = 0, free = true", database)
  const processes: Process[] = []
  const asking = new Map<Process, number>()
  const missed = new Map<Process, number>()

  async function settle(): Promise<void> {
    const untilMs = Date.now() + patienceMs
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await soon()
      const isBusy = processes.some((one) => (asking.get(one) ?? 0) > 0 && !one.isCutOff && !missed.has(one))
      if (!isBusy) continue
      quiet = -1
      if (Date.now() > untilMs) throw new Error('A statement got no answer')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  async function start(name: string): Promise<Process> {
    const gate = await openTcpGate(() => to)
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
      freeze: () => void missed.set(one, 0),
      thaw: () => {
        const missedMs = missed.get(one) ?? 0
        missed.delete(one)
        clock.advance(missedMs)
      },
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
    leadTo: (port) => {
      to = port
    },
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= stepMs) {
        const step = Math.min(stepMs, left)
        for (const one of processes) {
          const missedMs = missed.get(one)
          if (missedMs === undefined) one.clock.advance(step)
          else missed.set(one, missedMs + step)
        }
        await settle()
      }
    },
    row: async () => {
      const [row] = await postgres.query<LeaderRow>('select * from leader', database)
      if (row === undefined) throw new Error('No row')
      return { ...row, term: Number(row.term), beat: Number(row.beat) }
    },
    query: (sql) => postgres.query(sql, database),
    claim: async () => {
      const client = new pg.Client(postgres.url(database))
      await client.connect()
      await client.query('begin; select 1 from leader for key share')
      return {
        commit: async () => {
          await client.query('commit')
          await client.end()
        },
      }
    },
    waiting: async (count) => {
      const untilMs = Date.now() + patienceMs
      const ask = `select 1 from pg_stat_activity where datname = '${database}' and wait_event_type = 'Lock'`
      while ((await postgres.query(ask)).length < count)
        if (Date.now() > untilMs) throw new Error('They do not wait')
    },
    close: async () => {
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

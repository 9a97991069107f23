/**
 * The right to write to a shared Postgres, for 15 s at a time. Whoever holds it acts only while it is fresh by two clocks: a suspended
 * machine stops the one, and a person sets the other.
 */
import { type Clock, second } from '../clock.ts'
import type { Pool } from './postgres.ts'
import { type Lease, LostLead, type Row } from './store.ts'

/** A lower term than ours is a database that forgot that we took the lead, and holds nothing of what was acknowledged: -1. */
const before = '(select case when term = $2 then batch else -1 end as held from leader) as before'
const renewed = `until = now() + $3 * interval '1 ms', holder = $1, term = $2`
const renew = `update leader set ${renewed}, batch = case when term < $2 then 0 else batch end from ${before}
  where holder = $1 and term = $2 or term < $2 returning held::float8`
const write = `with mine as (update leader set ${renewed}, batch = $4 from ${before}
    where holder = $1 and term = $2 and batch < $4 or term < $2 returning held),
  rows as (select * from unnest($5::text[], $6::text[], $7::boolean[], $8::bigint[], $9::text[])
    as given (kind, id, live, at_ms, doc) where exists (select from mine)),
  gone as (delete from records using rows where records.kind = rows.kind and records.id = rows.id and rows.doc is null),
  put as (insert into records select * from rows where doc is not null on conflict (kind, id)
    do update set live = excluded.live, at_ms = excluded.at_ms, doc = excluded.doc)
  select held::float8 from mine`
const free = `update leader set until = now() - interval '1 ms' where holder = $1 and term = $2`
const batchOf = 'select batch::float8 from leader where holder = $1 and term = $2'

const writeMs = 20 * second
const freeMs = second

export type Terms = {
  readonly leaseMs: number
  readonly clock: Clock
  readonly pool: Pool
  /** A connection for the lease alone. */
  readonly lane: Pool
}
type Sent = { readonly steadyMs: number; readonly wallMs: number }
type Held = { readonly held: number }
/** `sent`: when the request that took the lead was sent, and the lease is younger than that. */
type Taken = { readonly holder: string; readonly term: number; readonly sent: Sent }

/** Keeps the lease until it is freed or lost. */
export function holdLease({ leaseMs, clock, pool, lane }: Terms, taken: Taken): Lease {
  const { holder, term } = taken
  const renewMs = leaseMs / 3
  /** What is under way when it ends takes a moment more, before another one may begin. */
  const freshMs = leaseMs - leaseMs / 7.5
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let sent = taken.sent
  let batch = 0
  let acknowledged = 0
  let hasForgotten = false

  const now = (): Sent => ({ steadyMs: clock.steadyMs(), wallMs: clock.nowMs() })

  function end(): void {
    stopping.abort()
    lose()
  }

  /** The database holds an older batch than it has acknowledged before this request was sent. */
  function confirm(at: Sent, { held }: Held, known: number): void {
    if (at.steadyMs > sent.steadyMs) sent = at
    if (held < known) hasForgotten = true
  }

  async function keep(): Promise<void> {
    let waitMs = renewMs
    while (!stopping.signal.aborted) {
      await clock.wait(waitMs, stopping.signal)
      if (stopping.signal.aborted) return
      const [at, known] = [now(), acknowledged]
      try {
        const [row] = await lane.ask<Held>(renew, [holder, term, leaseMs], renewMs)
        if (row === undefined) return end()
        confirm(at, row, known)
        waitMs = renewMs
      } catch {
        // It is away: nobody else leads meanwhile, or whoever does is found once it is back.
        waitMs = renewMs / 5
      }
    }
  }

  async function writeBatch(rows: readonly Row[]): Promise<void> {
    batch += 1
    const number = batch
    const [at, known] = [now(), acknowledged]
    const columns = [
      rows.map(({ kind }) => kind),
      rows.map(({ id }) => id),
      rows.map(({ live }) => live),
      rows.map(({ atMs }) => atMs),
      rows.map(({ doc }) => doc),
    ]
    const [row] = await pool.ask<Held>(write, [holder, term, leaseMs, number, ...columns], writeMs)
    if (row !== undefined) {
      confirm(at, row, known)
      acknowledged = number
      return
    }
    const [there] = await pool.ask<{ batch: number }>(batchOf, [holder, term])
    if (there === undefined) {
      end()
      throw new LostLead('another bot leads')
    }
    batch = Math.max(batch, there.batch)
    throw new Error(`batch ${number} came after batch ${there.batch}`)
  }

  void keep()
  return {
    term,
    lost,
    write: writeBatch,
    isFresh: () => {
      const { steadyMs, wallMs } = now()
      return !stopping.signal.aborted && steadyMs - sent.steadyMs < freshMs && wallMs - sent.wallMs < freshMs
    },
    hasForgotten: () => {
      const did = hasForgotten
      hasForgotten = false
      return did
    },
    free: async () => {
      stopping.abort()
      await lane.ask(free, [holder, term], freeMs).catch(() => [])
    },
  }
}

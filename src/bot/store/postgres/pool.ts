/**
 * Connections to a Postgres, a few of them, each used by one at a time. One that failed, or whose answer did not come in time, is
 * destroyed and never given to anybody again: `pg` would leave it half open.
 */
import pg from 'pg'
import type { SteadyClock } from '../../../shared/clock.ts'
import { StoreError } from '../open/store-error.ts'
import { connectFailureOf, isBroken } from './failures.ts'

/** A person hears within 3 s that the memory is away. */
const connectMs = 2_500
/** A statement's own limit is 20 s, and Postgres says so itself if it is there. */
const answerMsMax = 22_000
/** Firewalls forget what was idle for longer, and tell neither end. */
const idleMaxMs = 60_000
/** How long a server may take to say goodbye. */
const goodbyeMs = 1_000

export type PoolOptions = {
  /** Real time, even where the world's clock is one of a test: Postgres has its own. */
  readonly clock: SteadyClock
  /** How many connections at most. */
  readonly connections?: number
  /** Of a test: how long an answer may take. */
  readonly answerMs?: number
}

export type Answer = {
  readonly rows: Record<string, unknown>[]
  readonly command: string
  readonly count: number
}

/** One connection, taken by one caller. */
export type Link = {
  /** One statement, unnamed, with values in `$1`; or several in one message, without values. Throws what `pg` throws. */
  run(text: string, values?: readonly unknown[], limitMs?: number): Promise<Answer[]>
  /** Was it used before? Then it may have died since, and a new one may be fine. */
  readonly isUsed: boolean
  /** Of the server's process, as it was told when it connected; a pooler tells a number of its own. */
  readonly serverPid: number | null
  /** Gives it back; with `isLost`, or after any failure of the connection, it is destroyed instead. */
  release(isLost?: boolean): void
}

export type PostgresPool = {
  /** `host:port/database`, without user and password, for sentences. */
  readonly address: string
  readonly clock: SteadyClock
  /** So long is waited for an answer; then the connection is destroyed. */
  readonly answerMs: number
  /**
   * Waits for one that is free. Throws `MemoryAway` if Postgres cannot be reached, and until it was reached once a `StoreError` if a
   * person must mend a setting.
   */
  take(): Promise<Link>
  /** How many are open now, how many of these are taken, and how many callers wait. */
  counts(): { readonly open: number; readonly taken: number; readonly waiting: number }
  /** Destroys those that are idle: they lead to a server that is of no use, such as one that was failed over. */
  renew(): void
  /** Ends all of them, also those that are in use. */
  close(): Promise<void>
}

type Waiter = { readonly go: (client: Held) => void; readonly fail: (error: unknown) => void }
type Held = { readonly client: pg.Client; isBroken: boolean; isUsed: boolean; sinceMs: number }

/**
 * Opens no connection yet. `url`: `postgres://user:password@host:port/database`, with `sslmode` and `sslrootcert` as libpq knows
 * them. Throws a `StoreError` if it cannot be read.
 */
export function openPostgresPool(
  url: string,
  { clock, connections = 6, answerMs = answerMsMax }: PoolOptions,
): PostgresPool {
  const { address, config } = configOf(url)
  const all = new Set<Held>()
  const idle: Held[] = []
  const waiting: Waiter[] = []
  let opening = 0
  let wasReached = false
  let isClosed = false

  async function open(): Promise<Held> {
    opening += 1
    let client: pg.Client | null = null
    try {
      client = new pg.Client(config)
      const held: Held = { client, isBroken: false, isUsed: false, sinceMs: 0 }
      client.on('error', () => {
        held.isBroken = true
      })
      client.on('end', () => drop(held))
      all.add(held)
      await client.connect()
      wasReached = true
      return held
    } catch (error) {
      const failure = connectFailureOf(error, address, !wasReached)
      for (const held of all) if (held.client === client) destroy(held)
      // Nobody else would fare better.
      for (const { fail } of waiting.splice(0)) fail(failure)
      throw failure
    } finally {
      opening -= 1
    }
  }

  function drop(held: Held): void {
    held.isBroken = true
    all.delete(held)
    const place = idle.indexOf(held)
    if (place !== -1) idle.splice(place, 1)
  }

  function destroy(held: Held): void {
    drop(held)
    held.client.connection.stream.destroy()
  }

  /** One that is idle and may still be of use. */
  function fromIdle(): Held | null {
    for (let held = idle.pop(); held !== undefined; held = idle.pop()) {
      if (!held.isBroken && clock.steadyMs() - held.sinceMs < idleMaxMs) return held
      destroy(held)
    }
    return null
  }

  function giveBack(held: Held): void {
    held.isUsed = true
    held.sinceMs = clock.steadyMs()
    const next = waiting.shift()
    if (isClosed || held.isBroken) {
      destroy(held)
      // There is room for a new one now.
      if (next !== undefined) open().then(next.go, next.fail)
    } else if (next !== undefined) next.go(held)
    else idle.push(held)
  }

  return {
    address,
    clock,
    answerMs,
    take: async () => {
      if (isClosed) throw new Error('The pool of connections is closed')
      const held = fromIdle()
      if (held !== null) return linkOf(held, answerMs, giveBack)
      if (all.size < connections) return linkOf(await open(), answerMs, giveBack)
      return linkOf(await new Promise<Held>((go, fail) => waiting.push({ go, fail })), answerMs, giveBack)
    },
    counts: () => ({ open: all.size, taken: all.size - idle.length - opening, waiting: waiting.length }),
    renew: () => {
      for (const held of [...idle]) destroy(held)
    },
    close: async () => {
      isClosed = true
      const leaving = idle.splice(0)
      const gone = leaving.map(({ client }) => client.end())
      for (const held of all) if (!leaving.includes(held)) destroy(held)
      const waited = new AbortController()
      await Promise.race([Promise.all(gone), clock.wait(goodbyeMs, waited.signal)])
      waited.abort()
      for (const held of leaving) destroy(held)
    },
  }
}

function linkOf(held: Held, answerMs: number, giveBack: (held: Held) => void): Link {
  let isTaken = true
  return {
    isUsed: held.isUsed,
    // The types of `pg` lack it.
    serverPid: (held.client as pg.Client & { readonly processID: number | null }).processID,
    run: async (text, values = [], limitMs = answerMs) => {
      // `pg` would wait behind a statement that is never answered.
      if (held.isBroken) throw new Error('Connection terminated')
      try {
        const query = { text, values: [...values], query_timeout: Math.max(1, limitMs) }
        const result: pg.QueryResult | pg.QueryResult[] = await held.client.query(query)
        return (Array.isArray(result) ? result : [result]).map(answerOf)
      } catch (error) {
        if (isBroken(error)) held.isBroken = true
        throw error
      }
    },
    release: (isLost = false) => {
      if (!isTaken) return
      isTaken = false
      if (isLost) held.isBroken = true
      giveBack(held)
    },
  }
}

function answerOf({ rows, command, rowCount }: pg.QueryResult): Answer {
  return { rows, command, count: rowCount ?? 0 }
}

/** int8 and numeric are numbers, as on SQLite: times and counts, far below 2^53. */
const numbers = new Set([20, 1700])
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    numbers.has(oid) && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
}

function configOf(url: string): { readonly address: string; readonly config: pg.ClientConfig } {
  try {
    const parsed = new URL(url)
    if (!/^postgres(?:ql)?:$/.test(parsed.protocol)) throw new Error('not a postgres:// address')
    // `sslmode` as libpq and everybody's documentation have it; `pg` alone takes `require` for `verify-full`.
    parsed.searchParams.set('uselibpqcompat', 'true')
    const config = {
      connectionString: parsed.href,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
    }
    // Reads the certificate that it names, so that a wrong path is told here.
    const { host, port, database } = new pg.Client(config)
    return { address: `${host}:${port}/${database ?? ''}`, config }
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : null
    const words =
      path === null
        ? 'DATABASE_URL cannot be read as postgres://user:password@host:port/database: mend it, and start monbot again.'
        : `The certificate ${path} of DATABASE_URL cannot be read: check its path, and that monbot may read it.`
    throw new StoreError(words, null, true)
  }
}

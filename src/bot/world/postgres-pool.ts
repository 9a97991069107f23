/** Connections to a Postgres. What goes wrong on one never ends the process, and is told in words without a user or a password. */
import pg from 'pg'
import { minute, second } from '../clock.ts'
import { RefusedRows, UnfitStore } from './store.ts'

/** A person hears within 3 s that the database is away. */
const connectMs = 2.5 * second
const answerMs = 5 * second
/** Firewalls forget what was idle for longer, and tell neither end. */
const idleMs = minute
const goodbyeMs = second

export type Pool = {
  /** `host:port/database` */
  readonly address: string
  /** One statement. Throws `UnfitStore` at the start, `RefusedRows`, or else an error with a sentence. */
  ask<Row>(sql: string, values?: readonly unknown[], limitMs?: number): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Opens no connection yet. Throws an `UnfitStore` where the address, or the certificate that it names, cannot be read. After the start a
 * setting was right once, and whatever a server says is passing.
 */
export function openPool(url: string, connections: number, isStart: () => boolean): Pool {
  const { address, config } = configOf(url)
  const pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: idleMs })
  pool.on('error', () => {})
  // Of one that is in use, `pg` tells its query and then everybody: without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    address,
    ask: async <Row>(sql: string, values: readonly unknown[] = [], limitMs = answerMs) => {
      let client: pg.PoolClient | null = null
      try {
        client = await pool.connect()
        const query = { text: sql, values: [...values], query_timeout: limitMs }
        const { rows } = await client.query(query)
        client.release()
        return rows as Row[]
      } catch (error) {
        // Of a connection that did not answer it is not known what it would still say.
        client?.release(!isSaid(error))
        throw failureOf(error, address, isStart())
      }
    },
    close: () =>
      Promise.race([pool.end(), new Promise<void>((resolve) => setTimeout(resolve, goodbyeMs).unref())]),
  }
}

function configOf(url: string): { readonly address: string; readonly config: pg.PoolConfig } {
  try {
    const parsed = new URL(url)
    // `sslmode` as libpq and everybody's documentation have it: for `pg` alone `require` is `verify-full`.
    parsed.searchParams.set('uselibpqcompat', 'true')
    // No `options` and no `statement_timeout`: PgBouncer refuses a connection that begins with them.
    const config = {
      connectionString: parsed.href,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * second,
    }
    const { host, port, database } = new pg.Client(config)
    return { address: `${host}:${port}/${database ?? ''}`, config }
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : null
    throw new UnfitStore(
      path === null
        ? 'DATABASE_URL: expected postgres://USER:PASSWORD@HOST/DATABASE, percent-encoded; it cannot be read.'
        : `DATABASE_URL: expected a readable file of certificates as sslrootcert; ${path} cannot be read.`,
    )
  }
}

/** By SQLSTATE or its class: what a person must mend before a start. Later a server may say so for a moment, as it fails over. */
const unfit: Readonly<Record<string, string>> = {
  '28': 'refuses the user or the password of DATABASE_URL',
  '3D': 'has no database of that name: create it, with encoding UTF8',
  '3F': 'has no schema for monbot: create one in the search_path of its user',
  '42501': 'does not let the user of DATABASE_URL make or write tables: make it the owner of its database',
}
const away: Readonly<Record<string, string>> = {
  '08': 'broke the connection',
  '25006': 'is read-only now, as a standby server is',
  '53': 'is short of room, memory or connections',
  '57': 'is starting, stopping or busy',
}
/** Data, constraints and limits: the same rows would be refused again. */
const refusals = /^(22|23|54)/

function failureOf(error: unknown, address: string, isStart: boolean): Error {
  const code = codeOf(error)
  const named = `The Postgres at ${address}`
  const inBrackets = code === '' ? '' : ` (${code})`
  const wrong = isSaid(error) ? (unfit[code] ?? unfit[code.slice(0, 2)]) : tlsWords(error)
  if (isStart && wrong !== undefined) return new UnfitStore(`${named} ${wrong}${inBrackets}.`)
  if (isSaid(error) && refusals.test(code)) return new RefusedRows(`${named} refuses it${inBrackets}`)
  if (isSaid(error)) {
    const words = away[code] ?? away[code.slice(0, 2)] ?? (error as Error).message
    return new Error(`${named} ${words}${inBrackets}`)
  }
  const isSlow = error instanceof Error && /timeout/i.test(error.message)
  return new Error(`${named} ${isSlow ? 'does not answer' : 'cannot be reached'}${inBrackets}`)
}

function tlsWords(error: unknown): string | undefined {
  if (error instanceof Error && error.message === 'The server does not support SSL connections')
    return 'speaks no TLS: turn it on there, or leave sslmode out of DATABASE_URL'
  return /CERT|ERR_TLS|UNABLE_TO/.test(codeOf(error))
    ? 'has a certificate that is not trusted: name its authority as sslrootcert in DATABASE_URL'
    : undefined
}

/** Did Postgres say this, or a pooler before it, and not Node? */
function isSaid(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && codeOf(error) !== ''
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

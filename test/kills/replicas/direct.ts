/** The judge's own way to the memory, past every gate: what the bots remember, and who of them leads. */
import type { Selectable } from 'kysely'
import pg from 'pg'
import type { AlertRow } from '../../../src/bot/store/open/schema.ts'
import type { Memory } from '../memory.ts'

/** The row of the lease. */
export type Lead = {
  readonly holder: string
  readonly name: string
  readonly term: number
  readonly beat: number
  readonly free: boolean
}

export type Direct = {
  /** Throws while Postgres is away. */
  rows<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  /** Null while nobody has ever led, or Postgres is away. */
  lead(): Promise<Lead | null>
  recall(): Promise<Memory>
  close(): Promise<void>
}

const answerWithinMs = 5_000
const [int8, numeric] = [20, 1700]
/** As the store has them: all numbers are numbers. */
const types = {
  getTypeParser: (id: number, format?: 'text') =>
    id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format),
} as pg.CustomTypesConfig

/** `url` is asked at each new connection: after a failover it is another one. */
export function openDirect(url: () => string): Direct {
  let opening: Promise<pg.Client> | null = null

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url(),
      types,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
    })
    client.on('error', () => {
      opening = null
    })
    await client.connect()
    return client
  }

  async function drop(): Promise<void> {
    const last = opening
    opening = null
    await last?.then((client) => client.end()).catch(() => undefined)
  }

  // One at a time: a client takes no second query while it answers the first.
  let turn: Promise<unknown> = Promise.resolve()
  function rows<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const answered = turn.then(() => ask<Row>(sql))
    turn = answered.catch(() => undefined)
    return answered
  }

  async function ask<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    opening ??= connected()
    try {
      const client = await opening
      const result = (await client.query<Row>(sql)) as pg.QueryResult<Row> | pg.QueryResult<Row>[]
      return Array.isArray(result) ? result.flatMap((one) => one.rows) : result.rows
    } catch (error) {
      await drop()
      throw error
    }
  }

  /** One statement, so that all of it is of one moment, and nobody's begin meets another's. */
  async function recall(): Promise<Memory> {
    const parts = Object.entries(asked).map(
      ([name, sql]) => `(select coalesce(json_agg(one), '[]') from (${sql}) as one) as "${name}"`,
    )
    type Found = Omit<Memory, 'alerts'> & { readonly alerts: readonly Selectable<AlertRow>[] }
    const [found] = await rows<Found>(`select ${parts.join(', ')}`)
    if (found === undefined) throw new Error('Postgres answers nothing')
    return { ...found, alerts: new Map(found.alerts.map((row) => [row.alert_id, row])) }
  }

  return {
    rows,
    lead: async () => {
      try {
        const [row] = await rows<Lead>('select holder, name, term, beat, free from leader')
        return row ?? null
      } catch {
        return null
      }
    },
    recall,
    close: drop,
  }
}

/** As `readMemory` of memory.ts. */
const asked = {
  alerts: 'select * from alerts',
  cards: 'select * from cards',
  members: 'select * from card_alerts order by place',
  mutes: `select * from mutes where state = 'active' or confirmation <> 'confirmed'`,
  switches:
    'select * from switches where said_revision < revision or asked_ms is not null or doubt_ms is not null',
  done: `select * from audit where outcome = 'done'`,
} as const

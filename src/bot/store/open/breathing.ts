/**
 * SQLite answers synchronously, and promises that resolve at once give nobody else a turn: committing five thousand cards, or
 * reading fifty thousand rows, would block everything. So after a number of statements and rows the process gives others
 * their turn. Meanwhile Kysely lets nobody else use the database, in or out of transactions.
 */
import { setImmediate as othersFirst } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely'

/** A few milliseconds. */
const workMax = 1_000
/** A statement counts as this many rows, and each of its values as one. */
const statementWork = 10

/** Converts each row that was read, giving others turns in between. */
export async function eachOf<Row, Made>(rows: readonly Row[], make: (row: Row) => Made): Promise<Made[]> {
  const made: Made[] = []
  for (const row of rows) {
    if (made.push(make(row)) % workMax === 0) await othersFirst()
  }
  return made
}

export function breathingDialect(database: SqliteDatabase): SqliteDialect {
  const breath = openBreath()
  const dialect = new SqliteDialect({ database })
  dialect.createDriver = () => new BreathingDriver(database, breath)
  dialect.createQueryCompiler = () => new OncePrepared()
  return dialect
}

/**
 * If a value could matter for the query plan, as in a join, SQLite plans again for each value, which takes ten times as long
 * as the query. A plus in front, which changes nothing, makes it ignore the value.
 */
class OncePrepared extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

class BreathingDriver extends SqliteDriver {
  readonly #connection: DatabaseConnection

  constructor(database: SqliteDatabase, breath: Breath) {
    super({ database })
    this.#connection = connectionOf(database, breath)
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
}

function connectionOf(database: SqliteDatabase, breath: Breath): DatabaseConnection {
  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      if (breath.isDue(statementWork + parameters.length)) await othersFirst()
      const statement = database.prepare(sql)
      if (!statement.reader) {
        const { changes, lastInsertRowid } = statement.run(parameters)
        return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
      }
      const rows: Row[] = []
      for (const row of statement.iterate(parameters)) {
        rows.push(row as Row)
        if (breath.isDue(1)) await othersFirst()
      }
      return { rows }
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed')
    },
  }
}

type Breath = ReturnType<typeof openBreath>

/** Counts the work of one turn of the event loop, and restarts in the next one. */
function openBreath() {
  let work = 0
  const rest = () => {
    work = 0
  }
  return {
    isDue: (more: number): boolean => {
      if (work === 0) setImmediate(rest)
      work += more
      return work > workMax
    },
  }
}

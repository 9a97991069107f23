/**
 * Kysely's SQLite driver, which yields to the event loop. SQLite answers synchronously, and promises that resolve at once let
 * nothing else run: without this a first start with 50,000 open alerts blocks everything for 2.4 s, and their end for 7 s.
 * So it yields after a number of statements and rows. Meanwhile Kysely lets nobody else use the database, in or out of
 * transactions.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely'
import { WordedSqliteAdapter } from '../sql/sqlite.ts'

/** A few milliseconds. */
const workMax = 1_000
/** A statement counts as this many rows, and each of its values as one. */
const statementWork = 10

/** Converts each row that was read, and yields in between. */
export async function eachOf<Row, Made>(rows: readonly Row[], make: (row: Row) => Made): Promise<Made[]> {
  const made: Made[] = []
  for (const row of rows) {
    if (made.push(make(row)) % workMax === 0) await nextTurn()
  }
  return made
}

/** Kysely's SQLite dialect with a driver that yields. */
export function yieldingDialect(database: SqliteDatabase): SqliteDialect {
  const turn = openTurn()
  const dialect = new SqliteDialect({ database })
  dialect.createAdapter = () => new WordedSqliteAdapter()
  dialect.createDriver = () => new YieldingDriver(database, turn)
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

class YieldingDriver extends SqliteDriver {
  readonly #connection: DatabaseConnection

  constructor(database: SqliteDatabase, turn: Turn) {
    super({ database })
    this.#connection = connectionOf(database, turn)
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
}

function connectionOf(database: SqliteDatabase, turn: Turn): DatabaseConnection {
  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      if (turn.isOver(statementWork + parameters.length)) await nextTurn()
      const statement = database.prepare(sql)
      if (!statement.reader) {
        const { changes, lastInsertRowid } = statement.run(parameters)
        return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
      }
      const rows: Row[] = []
      for (const row of statement.iterate(parameters)) {
        rows.push(row as Row)
        if (turn.isOver(1)) await nextTurn()
      }
      return { rows }
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed')
    },
  }
}

type Turn = ReturnType<typeof openTurn>

/** Counts the work of one turn of the event loop, and restarts in the next one. */
function openTurn() {
  let work = 0
  const rest = () => {
    work = 0
  }
  return {
    isOver: (more: number): boolean => {
      if (work === 0) setImmediate(rest)
      work += more
      return work > workMax
    },
  }
}

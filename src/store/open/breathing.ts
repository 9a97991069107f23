/**
 * SQLite answers at once, and a promise that is kept at once lets nobody else have a turn: a commit of five thousand cards, or
 * a question whose answer has fifty thousand rows, would be one long silence. So every so many statements and rows the process
 * sees to others first. Kysely lets nobody else at the database meanwhile, in and out of transactions.
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
/** A statement is as much work as so many rows, and so is each of its values as one. */
const statementWork = 10

/** Each of what was read, made into something else; nobody waits for all of it. */
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
 * Where a value could matter for the plan, as in a join, SQLite makes the plan anew whenever it is given one: that takes ten
 * times as long as to answer. Behind a plus, which changes nothing, it does not look at the value.
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

/** Counts the work of one turn of the event loop; in the next one it begins anew. */
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

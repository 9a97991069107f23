/** What a Postgres must be to keep monbot's memory, and whether it is; each refusal is a sentence with what to do. */
import { StoreError } from '../open/store-error.ts'

/** The oldest that its makers still mend. */
const versionMin = 14

/** The rows of one statement. Throws as a store does. */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

type Server = {
  readonly version: string
  readonly number: number
  readonly encoding: string
  readonly fsync: string
  readonly commit: string
  readonly inRecovery: boolean
  readonly schema: string | null
  /** May it ask in which history the server is? Some who rent out a Postgres keep that to themselves. */
  readonly tellsHistory: boolean
}

const asked = `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
  current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commit, pg_is_in_recovery() as "inRecovery", current_schema() as schema,
  (select bool_and(coalesce(has_function_privilege(to_regprocedure(name), 'execute'), false))
     from unnest(array['pg_control_system()', 'pg_current_wal_lsn()', 'pg_walfile_name(pg_lsn)']) as name) as "tellsHistory"`

/** Throws a `StoreError` if this server must not be used, whatever is in its database; else resolves to its version. */
export async function assertServer(ask: Ask, address: string): Promise<string> {
  const [server] = (await ask(asked)) as [Server]
  const why = refusal(server)
  // A recovery may be over in a moment; nothing but a person changes the others.
  if (why !== null) throw new StoreError(`The Postgres at ${address} ${why}.`, null, !server.inRecovery)
  return server.version
}

function refusal(server: Server): string | null {
  const { version, number, encoding, fsync, commit, inRecovery, schema } = server
  if (number < versionMin * 10_000) return `is version ${version}: monbot needs ${versionMin} or newer`
  if (encoding !== 'UTF8') {
    return `keeps its database as ${encoding}, which cannot hold every text: create one with encoding 'UTF8'`
  }
  if (fsync === 'off' || commit === 'off') {
    const setting = fsync === 'off' ? 'fsync' : 'synchronous_commit'
    return `would lose what is written in a power cut: set ${setting} = on`
  }
  if (inRecovery) return 'is a standby server, or still recovering: name the primary in DATABASE_URL'
  if (schema === null) return 'has no schema that monbot may use: create one in the search_path of its user'
  if (!server.tellsHistory) {
    return 'does not let the user of DATABASE_URL ask whether it failed over: grant it execute on pg_control_system(), pg_current_wal_lsn() and pg_walfile_name(pg_lsn)'
  }
  return null
}

/** Throws a `StoreError` if the tables in its schema are another program's. Our own always come with a gate. */
export async function assertOurs(ask: Ask, address: string, tables: readonly string[]): Promise<void> {
  const [foreign] = await ask(
    `select relname from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and relname = any($1)
        and not exists (select from pg_class where relnamespace = current_schema()::regnamespace and relname = 'gate')
      order by relname limit 1`,
    [[...tables, 'kysely_migration']],
  )
  if (foreign === undefined) return
  const why = `holds a table ${foreign.relname} of another program: create a database for monbot alone`
  throw new StoreError(`The Postgres at ${address} ${why}.`, null, true)
}

/** Throws a `StoreError` if one of these tables cannot be read or written. */
export async function assertMayWrite(ask: Ask, address: string, tables: readonly string[]): Promise<void> {
  const rights = ['select', 'insert', 'update', 'delete']
  const [locked] = await ask(
    `select relname from pg_class
      where relnamespace = current_schema()::regnamespace and relname = any($1)
        and not (${rights.map((right) => `has_table_privilege(oid, '${right}')`).join(' and ')})
      order by relname limit 1`,
    [tables],
  )
  if (locked === undefined) return
  const why = `does not let the user of DATABASE_URL read and write the table ${locked.relname}`
  throw new StoreError(
    `The Postgres at ${address} ${why}: make that user the owner of its tables.`,
    '42501',
    true,
  )
}

/** Throws a `StoreError` if tables cannot be made, or one of these cannot be changed, as a migration does. */
export async function assertMayMigrate(ask: Ask, address: string, tables: readonly string[]): Promise<void> {
  const [found] = await ask(
    `select has_schema_privilege(current_schema(), 'create') as "mayCreate",
      (select min(relname) from pg_class
        where relnamespace = current_schema()::regnamespace and relname = any($1) and not pg_has_role(relowner, 'usage')) as other`,
    [tables],
  )
  if (found?.mayCreate === true && found.other === null) return
  const why =
    found?.mayCreate === true
      ? `does not let the user of DATABASE_URL change the table ${found.other}: make that user the owner of its tables`
      : 'does not let the user of DATABASE_URL make tables: make it the owner of its database'
  throw new StoreError(`The Postgres at ${address} ${why}.`, '42501', true)
}

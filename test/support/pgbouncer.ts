/** A real PgBouncer before a Postgres, in transaction mode: each transaction may run on another connection of the server. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { endWithUs } from './end-with-us.ts'
import { freePort } from './free-port.ts'
import { patienceMs } from './patience.ts'
import type { Postgres } from './postgres.ts'

/** Is it not installed? `.ci/run` installs it, so that no test is skipped there. */
export const isPgBouncerMissing = isMissing()

export type PgBouncer = { readonly port: number; url(database: string): string; close(): Promise<void> }

/** `servers`: how many connections to the server all clients of a database share. */
export async function openPgBouncer(postgres: Postgres, servers = 2): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  writeFileSync(users, '"postgres" "monbot-test"\n')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${postgres.port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    `default_pool_size = ${servers}`,
    'max_client_conn = 200',
  ]
  writeFileSync(file, lines.join('\n'))
  const isRoot = process.getuid?.() === 0
  const nobody = 65_534
  if (isRoot) for (const path of [folder, file, users]) chownSync(path, nobody, nobody)
  const child = spawn('pgbouncer', [file], {
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  endWithUs(child, { folder })
  const url = (database: string) => postgres.url(database, port)
  const until = Date.now() + patienceMs
  for (;;) {
    const client = new pg.Client({ connectionString: url('postgres') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('select 1')
      await client.end()
      break
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    port,
    url,
    close: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isMissing(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], {
      stdio: 'ignore',
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    })
    return false
  } catch {
    return true
  }
}

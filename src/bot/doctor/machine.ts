/** Checks this machine: the database, the port, and the connection to the heartbeat's address. */
import { accessSync, constants, existsSync, rmSync } from 'node:fs'
import { createServer, isIP } from 'node:net'
import { dirname } from 'node:path'
import { Agent, request } from 'undici'
import type { Config } from '../config/config.ts'
import { counted } from '../slack/render/text/phrases.ts'
import { inspectDatabase } from '../store/open/inspect.ts'
import { isHeld } from '../store/open/one-process.ts'
import { openStore } from '../store/open/open-store.ts'
import { assertFile } from '../store/open/sqlite-file.ts'
import { StoreError } from '../store/open/store-error.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import { reachFinding } from './reach.ts'

const answerMs = 2_000

/** Checks the database in a file. An existing file is only read; whether its folder is writable is tested with another file. */
export async function databaseFinding(path: string): Promise<Finding> {
  const check = 'Database'
  // Of this process: two doctors at once would each find the other's file in use.
  const trial = `${path}.doctor-${process.pid}`
  try {
    const folder = dirname(path)
    if (!existsSync(folder)) return unmade(path)
    assertFile(path)
    const store = await openStore(trial)
    const { synchronous } = store.durability()
    await store.close()
    if (synchronous !== 'FULL') throw new StoreError(`${path} would not survive a power cut`)
    if (!existsSync(path)) return ok(check, `${path} will be made; its folder is writable and durable`)
    assertWritable(path)
    const { migrations, waiting, alerts } = await inspectDatabase(path)
    const upgrade = waiting === 0 ? '' : `, ${waiting} to come at the next start`
    const use = isHeld(path) ? ', in use by a running monbot' : ''
    return ok(
      check,
      `${path}: sound, durable, ${counted(alerts, 'alert')}, ${counted(migrations, 'migration')}${upgrade}${use}`,
    )
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const said = error.message.replaceAll(trial, path).replaceAll(':memory:', path)
    return failed(check, said, 'Its message says what to do.')
  } finally {
    for (const end of ends) if (existsSync(trial + end)) rmSync(trial + end)
  }
}

const ends = ['', '-wal', '-shm', '-lock']

/** The finding if there is no database yet: the start would make it with its folders, but the doctor makes none. */
function unmade(path: string): Finding {
  let above = dirname(path)
  while (!existsSync(above)) above = dirname(above)
  return isWritable(above)
    ? ok('Database', `${path} will be made, and its folder as well`)
    : failed(
        'Database',
        `${dirname(path)} is not there, and cannot be made in ${above}`,
        'Make it, and let the user that monbot runs as write in it.',
      )
}

/** Throws if the file cannot be written: another user may own it, whatever the folder permits. */
function assertWritable(path: string): void {
  const locked = ends.map((end) => path + end).find((file) => existsSync(file) && !isWritable(file))
  if (locked === undefined) return
  throw new StoreError(`The file ${locked} cannot be written: let the user that monbot runs as write it.`)
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Checks the port by listening on it for a moment. */
export async function portFinding({
  host,
  port,
  database,
}: Pick<Config, 'host' | 'port' | 'database'>): Promise<Finding> {
  const check = 'Port'
  const server = createServer()
  const code = await new Promise<string | null>((done) => {
    server.once('error', (error) => done('code' in error ? String(error.code) : error.message))
    server.listen({ host, port, exclusive: true }, () => done(null))
  })
  server.close()
  if (code === null) return ok(check, `${host}:${port} is free`)
  if (code === 'EADDRINUSE') {
    const isOurs =
      database.kind === 'sqlite'
        ? existsSync(database.path) && isHeld(database.path)
        : await isMonbot(host, port)
    return isOurs
      ? skipped(check, `${port} is in use, presumably by a monbot that runs here`)
      : failed(check, `${host}:${port} is in use by another process`, 'End that one, or set PORT.')
  }
  return failed(
    check,
    `nothing can listen on ${host}:${port} (${code})`,
    'HOST must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them; PORT one that this user may take.',
  )
}

/** Does what listens there answer as the health server does? */
async function isMonbot(host: string, port: number): Promise<boolean> {
  const near = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  const url = `http://${isIP(near) === 6 ? `[${near}]` : near}:${port}/healthz`
  const dispatcher = new Agent()
  return request(url, { dispatcher, reset: true, signal: AbortSignal.timeout(answerMs) })
    .then(({ body }) => body.json())
    .then((found) => Object(found).status === 'alive')
    .catch(() => false)
}

/** Checks the heartbeat's address by connecting only: a request would report that monbot is alive. */
export async function heartbeatFinding(url: Config['heartbeatUrl']): Promise<Finding> {
  const check = 'Heartbeat'
  if (url === null) {
    return warning(
      check,
      'nobody would notice that monbot is dead',
      'Set HEARTBEAT_URL to a check at a healthchecks service or a push monitor.',
    )
  }
  return reachFinding(check, url.reveal(), {
    name: 'the watcher',
    reached: "the watcher's host can be reached; whether it knows the check shows at the first poll",
    todo: 'Check HEARTBEAT_URL and the way out to it.',
  })
}

/** Checks what is around the bot: the database that a start would open, the port, and whether other addresses are reached. Reads only. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Dispatcher } from 'undici'
import { call, NoAnswer } from '../call.ts'
import { second } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import { aboutServer, openPool } from '../world/postgres.ts'
import { assertOurs, sentenceOf } from '../world/sqlite.ts'
import { type Finding, failed, ok, warning, wordsOf } from './finding.ts'

const database = 'Database'

export async function databaseFinding(config: Config['database']): Promise<Finding> {
  try {
    return config.kind === 'sqlite' ? fileFinding(config.path) : await postgresFinding(config.url.reveal())
  } catch (error) {
    const said = config.kind === 'sqlite' ? sentenceOf(error, config.path) : error
    const isOurs = said instanceof Error && /^The |^DATABASE_URL/.test(said.message)
    return failed(
      database,
      isOurs ? said.message : wordsOf(error),
      'A start would be refused: check DATABASE_URL.',
    )
  }
}

function fileFinding(path: string): Finding {
  let folder = dirname(resolve(path))
  while (!existsSync(folder)) folder = dirname(folder)
  accessSync(folder, constants.W_OK)
  if (!existsSync(path)) return ok(database, `${path} will be made`)
  if (!statSync(path).isFile())
    return failed(database, `${path} is a folder or a device`, 'DATABASE_URL takes the path of a file.')
  accessSync(path, constants.W_OK)
  const db = new SQLite(path, { readonly: true, timeout: second })
  try {
    assertOurs(db, path)
    const found = String(db.pragma('quick_check(1)', { simple: true }))
    return found === 'ok' ? ok(database, `${path} is whole`) : failed(database, found, 'Bring a backup back.')
  } finally {
    db.close()
  }
}

async function postgresFinding(url: string): Promise<Finding> {
  const pool = openPool(url, 1, () => true)
  try {
    const { version, tables } = await aboutServer(pool)
    const fromMs = performance.now()
    await pool.ask('select 1')
    const tookMs = Math.round(performance.now() - fromMs)
    const [leader] =
      tables < 2
        ? []
        : await pool.ask<{ name: string; isOver: boolean }>(
            'select name, until < now() as "isOver" from leader',
          )
    const who = leader === undefined || leader.isOver ? 'nobody leads' : `${leader.name} leads`
    const said = `Postgres ${Math.floor(version / 10_000)} at ${pool.address}, synchronous_commit on, ${tookMs} ms away; ${who}`
    const todo = 'A press waits for several answers of it: keep it within a few milliseconds.'
    return tookMs > 50 ? warning(database, said, todo) : ok(database, said)
  } finally {
    await pool.close()
  }
}

/** Free, or held by a bot that runs here already. */
export async function portFinding({ host, port }: Config): Promise<Finding> {
  const code = await new Promise<string | null>((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'no code'))
    server.listen(port, host, () => server.close(() => done(null)))
  })
  if (code === null) return ok('Port', `${port} on ${host} is free`)
  const alive = await fetch(`http://${host}:${port}/healthz`)
    .then((answer) => answer.json())
    .catch(() => null)
  const isBot = (alive as { status?: unknown } | null)?.status === 'alive'
  if (code === 'EADDRINUSE' && isBot) return ok('Port', `${port} on ${host} is held by a bot that runs`)
  return failed(
    'Port',
    `${port} on ${host} can't be listened on (${code})`,
    'Set PORT to a free one, or check HOST.',
  )
}

/** Any answer of its host will do; the address itself, which may call somebody, is not asked for. */
export async function reachFinding(check: string, address: string, dispatcher: Dispatcher): Promise<Finding> {
  const { origin, host } = new URL(address)
  try {
    await call(dispatcher, origin, { method: 'HEAD' })
    return ok(check, `${host} is reached; whether it takes the address shows only when it is used`)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return failed(check, `${host} ${error.message}`, 'Check the address, and the way out to it.')
  }
}

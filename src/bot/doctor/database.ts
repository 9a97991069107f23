/** Checks the database that a start would open, and only reads it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
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

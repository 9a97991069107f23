/** What one check found, in one line for people, and what to do about it; neither holds a secret. And the checks of database and monitoring. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import { openMonitor } from '../api/client.ts'
import { type ApiAlert, ApiFailure } from '../api/port.ts'
import type { WayOut } from '../call.ts'
import { type Clock, second } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import { count } from '../view/words.ts'
import { aboutServer, openPool } from '../world/postgres.ts'
import { assertOurs, sentenceOf } from '../world/sqlite.ts'

/** `warning`: monbot works without it, but people will miss something. `skipped`: it could not be checked, or nobody wants it. */
export type Finding = {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly said: string
  readonly todo: string | null
}

export const ok = finding('ok')
export const skipped = finding('skipped')
export const warning = finding('warning')
export const failed = finding('failed')

function finding(state: Finding['state']) {
  return (check: string, said: string, todo: string | null = null): Finding => ({ check, state, said, todo })
}

/** Of an error its code or its name: its message may hold a secret. */
export function wordsOf(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'no reason known')
}

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
    const said = `Postgres ${version} at ${pool.address}, synchronous_commit on, ${tookMs} ms away; ${who}`
    const todo = 'A press waits for several answers of it: keep it within a few milliseconds.'
    return tookMs > 50 ? warning(database, said, todo) : ok(database, said)
  } finally {
    await pool.close()
  }
}

const check = 'Monitoring API'

export async function* examineMonitoring(
  config: Config,
  policy: Policy,
  { dispatcher }: WayOut,
  clock: Clock,
): AsyncGenerator<Finding> {
  const monitor = openMonitor({ ...config.monitor, dispatcher, clock })
  try {
    const open = await monitor.sweep([])
    const head = await monitor.head([])
    const unreadable = open.unreadable + head.unreadable
    const roles = Object.keys(await monitor.roles()).length
    const triggers = (await monitor.triggers()).length
    const rest = `${count(roles, 'role')}, ${count(triggers, 'trigger')}`
    yield ok(check, `the key is taken; ${count(open.alerts.length, 'alert')} open, ${rest}`)
    if (unreadable > 0) {
      const said = `${count(unreadable, 'record')} without a readable id or lifecycle`
      yield warning(check, said, 'They are counted and not announced: look at what the API lists.')
    }
    if (open.doubt !== null)
      yield warning(
        check,
        `its list is in doubt: ${open.doubt}`,
        'Until it fits, no alert closes by absence.',
      )
    yield* lifecycleFinding(open.alerts, head.alerts, policy.lifecycle)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    yield failed(check, error.message, todoOf(error))
  }
}

function todoOf({ kind }: ApiFailure): string {
  if (kind === 'key') return 'Make a key in the settings of the monitoring, and put it into MONITOR_API_KEY.'
  if (kind === 'missing')
    return 'MONITOR_URL is the address of the service alone, without /api/v2 and the key.'
  return 'Check MONITOR_URL, and the way out to it (HTTPS_PROXY, CA_FILE, a firewall).'
}

/** With a second record for each end, beginnings of what is over stay listed as open beside it. */
export function* lifecycleFinding(
  open: readonly ApiAlert[],
  all: readonly ApiAlert[],
  lifecycle: Policy['lifecycle'],
): Generator<Finding> {
  const keys = new Set(open.map(({ key }) => key))
  const over = all.filter((one) => one.lifecycle === 'start' && !keys.has(one.key))
  const isEndOf = (end: ApiAlert, start: ApiAlert) =>
    ['host', 'plugin', 'metric'].every((field) => end[field as 'host'] === start[field as 'host']) &&
    end.number !== start.number &&
    start.startedMs <= end.startedMs
  const pairs = all.filter((end) => end.lifecycle === 'end' && over.some((start) => isEndOf(end, start)))
  if (lifecycle === 'pair' || pairs.length === 0) return
  const said = `${count(pairs.length, 'end')} came as a record of its own`
  yield warning(check, said, 'Set `lifecycle: pair` in the policy file, or those alerts close late.')
}

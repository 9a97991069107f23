/**
 * `monbot backup FILE`, `restore FILE` and `move --from URL --to URL`. Exit codes: 0 done, 1 not done, 2 wrong words, 78 a database that
 * cannot be used.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { commandLine } from '../../shared/program.ts'
import { readLimited } from '../../shared/setting-files.ts'
import { type Clock, realClock } from '../clock.ts'
import { readDatabase } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { openPostgres } from '../world/postgres.ts'
import { openSqlite } from '../world/sqlite.ts'
import { LockedStore, type Store, UnfitStore } from '../world/store.ts'
import { backup, copy, restore } from './backup.ts'

type Database = Config['database']

/** Copies the database that DATABASE_URL names to a new file. */
export function backupMain(words: readonly string[]): Promise<void> {
  return withFile('backup', words, (file, database) => {
    const { alerts, mutes } = backup(database, file)
    return `Copied to ${file}: ${alerts} alerts, ${mutes} mutes.`
  })
}

/** Puts a copy in the place of the database. */
export function restoreMain(words: readonly string[]): Promise<void> {
  return withFile('restore', words, (file, database) => {
    const { alerts, mutes, aside } = restore(file, database, realClock.nowMs())
    const kept = aside === null ? '' : ` The database that it replaces is kept as ${aside}.`
    return `Brought back: ${alerts} alerts, ${mutes} mutes; the next start ends the mutes and says so.${kept}`
  })
}

async function withFile(
  command: string,
  words: readonly string[],
  act: (file: string, database: Database) => string,
): Promise<void> {
  const [file = ''] = words
  if (words.length !== 1 || file === '' || file.startsWith('-')) return sayUsage(command, 'FILE', words)
  const database = databaseOf(process.env, 'DATABASE_URL')
  if (database !== null) await report(() => act(file, database))
}

/** Copies every row from one database into an empty one. An address may hold a password, and is never shown. */
export async function moveMain(words: readonly string[]): Promise<void> {
  const { from: fromUrl, to: toUrl } = flagsOf(words)
  if (!fromUrl || !toUrl) return sayUsage('move', '--from DATABASE_URL --to DATABASE_URL', words)
  const from = databaseOf({ DATABASE_URL: fromUrl }, '--from')
  const to = databaseOf({ DATABASE_URL: toUrl }, '--to')
  if (from === null || to === null) return
  const [source, target] = [openStore(from, realClock), openStore(to, realClock)]
  await report(async () => {
    if (from.kind === 'sqlite' && !existsSync(from.path))
      throw new UnfitStore(`There is no database ${from.path}: --from names what is copied.`)
    const rows = await copy(source, target, 'The database after --to')
    return `Moved: ${rows} rows. The old database stays as it was; set DATABASE_URL to the new one.`
  })
  await Promise.all([source.close(), target.close()])
}

function flagsOf(words: readonly string[]): { readonly from?: string; readonly to?: string } {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const
    return parseArgs({ args: [...words], options }).values
  } catch {
    // What it does not know may be a password.
    return {}
  }
}

function sayUsage(command: string, expected: string, words: readonly string[]): void {
  const isHelp = words.includes('--help') || words.includes('-h')
  const usage = `Usage: ${commandLine(command, expected)}\n`
  ;(isHelp ? process.stdout : process.stderr).write(usage)
  process.exitCode = isHelp ? 0 : 2
}

/** `name`: what it is called in a problem. */
function databaseOf(env: NodeJS.ProcessEnv, name: string): Database | null {
  const reading = readDatabase(env, readLimited)
  if (reading.ok) return reading.database
  process.stderr.write(`${(reading.problems[0] ?? '').replace('DATABASE_URL', name)}\n`)
  process.exitCode = 78
  return null
}

export function openStore(database: Database, clock: Clock): Store {
  if (database.kind === 'sqlite') return openSqlite(database.path)
  return openPostgres({ url: database.url.reveal(), connections: database.connections, clock })
}

async function report(act: () => string | Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await act()}\n`)
  } catch (error) {
    if (!(error instanceof UnfitStore || error instanceof LockedStore)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = error instanceof UnfitStore ? 78 : 1
  }
}

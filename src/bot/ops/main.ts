/**
 * `monbot backup FILE` or `backup --keep DAYS FOLDER`, `restore FILE` and `move --from URL --to URL`. Exit codes: 0 done, 1 not done,
 * 2 wrong words, 78 a database that cannot be used.
 */
import { parseArgs } from 'node:util'
import { commandLine } from '../../shared/program.ts'
import { readLimited } from '../../shared/setting-files.ts'
import { realClock } from '../clock.ts'
import { readDatabase } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { openPostgres } from '../world/postgres.ts'
import { openSqlite, told } from '../world/sqlite.ts'
import { LockedStore, type Store, UnfitStore } from '../world/store.ts'
import { backup, datedFile, removeOld, restore } from './backup.ts'
import { copy } from './copy.ts'

type Database = Config['database']

const daysMax = 3_650

/** Copies the database that DATABASE_URL names to a new file, or into a folder that keeps the copies of so many days. */
export async function backupMain(words: readonly string[]): Promise<void> {
  const asked = wordsOf('backup', 'FILE, or --keep DAYS FOLDER', words, ['keep'], (options, paths) => {
    const days = options.keep ?? '1'
    return paths.length === 1 && /^\d+$/.test(days) && Number(days) > 0 && Number(days) <= daysMax
  })
  const database = asked && databaseOf(process.env, null)
  if (!database) return
  const {
    paths: [path = ''],
    options: { keep },
  } = asked
  await report(() => {
    const nowMs = realClock.nowMs()
    const file = keep === undefined ? path : datedFile(path, nowMs)
    const { alerts, mutes } = backup(database, file)
    const removed = keep === undefined ? 0 : told(path, () => removeOld(path, Number(keep), nowMs))
    const rest = removed === 0 ? '' : `; ${removed} older than ${keep} days removed`
    return `Copied to ${file}: ${alerts} alerts, ${mutes} mutes${rest}.`
  })
}

/** Puts a copy in the place of the database. */
export async function restoreMain(words: readonly string[]): Promise<void> {
  const asked = wordsOf('restore', 'FILE', words, [], (_, paths) => paths.length === 1)
  const database = asked && databaseOf(process.env, null)
  if (!database) return
  await report(() => {
    const { alerts, mutes, aside } = restore(asked.paths[0] ?? '', database, realClock.nowMs())
    const kept = aside === null ? '' : ` The database that it replaces is kept as ${aside}.`
    return `Brought back: ${alerts} alerts, ${mutes} mutes; the next start ends the mutes and says so.${kept}`
  })
}

/** Copies every row from one database into an empty one. An address may hold a password, and is never shown. */
export async function moveMain(words: readonly string[]): Promise<void> {
  const expected = '--from DATABASE_URL --to DATABASE_URL'
  const asked = wordsOf(
    'move',
    expected,
    words,
    ['from', 'to'],
    ({ from, to }, paths) => Boolean(from && to) && paths.length === 0,
  )
  if (asked === null) return
  const from = databaseOf({ DATABASE_URL: asked.options.from }, '--from')
  const to = databaseOf({ DATABASE_URL: asked.options.to }, '--to')
  if (from === null || to === null) return
  const [source, target] = [open(from), open(to)]
  await report(async () => {
    const rows = await copy(source, target, 'The database after --to')
    return `Moved: ${rows} rows. The old database stays as it was; set DATABASE_URL to the new one.`
  })
  await Promise.all([source.close(), target.close()])
}

type Words = {
  readonly options: Readonly<Record<string, string | undefined>>
  readonly paths: readonly string[]
}

/** Null: the words were others, or asked for help, and the command has said what it takes. */
function wordsOf(
  command: string,
  expected: string,
  words: readonly string[],
  names: readonly string[],
  isFit: (options: Words['options'], paths: readonly string[]) => boolean,
): Words | null {
  const isHelp = words.includes('--help') || words.includes('-h')
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
    const read = parseArgs({ args: [...words], options, allowPositionals: true })
    if (!isHelp && isFit(read.values, read.positionals))
      return { options: read.values, paths: read.positionals }
  } catch {
    // What it does not know may be a password.
  }
  const usage = `Usage: ${commandLine(command, expected)}\n`
  ;(isHelp ? process.stdout : process.stderr).write(usage)
  process.exitCode = isHelp ? 0 : 2
  return null
}

function databaseOf(env: NodeJS.ProcessEnv, flag: string | null): Database | null {
  const reading = readDatabase(env, readLimited)
  if (reading.ok) return reading.database
  const [problem = ''] = reading.problems
  process.stderr.write(`${flag === null ? problem : problem.replace('DATABASE_URL', flag)}\n`)
  process.exitCode = 78
  return null
}

function open(database: Database): Store {
  if (database.kind === 'sqlite') return openSqlite(database.path)
  return openPostgres({ url: database.url.reveal(), connections: database.connections, clock: realClock })
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

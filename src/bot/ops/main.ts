/**
 * `monbot backup FILE` or `backup --keep DAYS FOLDER`, `restore FILE` and `move --from URL --to URL`. Exit codes: 0 done, 1 not done, 2 wrong words, 78 a database that
 * cannot be used.
 */
import { commandLine } from '../../shared/command-name.ts'
import { readLimited } from '../../shared/limited-file.ts'
import { realClock } from '../clock.ts'
import { readDatabase } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { openPostgres } from '../world/postgres.ts'
import { openSqlite } from '../world/sqlite.ts'
import { LockedStore, type Store, UnfitStore } from '../world/store.ts'
import { backup, restore } from './backup.ts'
import { copy } from './copy.ts'
import { datedFile, readBackupTarget, removeOld } from './dated-backups.ts'

type Database = Config['database']

const moveWords = '--from DATABASE_URL --to DATABASE_URL'

/** Copies the database that DATABASE_URL names to a new file, or into a folder that keeps the copies of so many days. */
export async function backupMain(words: readonly string[]): Promise<void> {
  const asked = readBackupTarget(words)
  if (asked.path === null) return wrongWords('backup', 'FILE, or --keep DAYS FOLDER', words, asked.wrong)
  const database = databaseOf(process.env, null)
  if (database === null) return
  // Without these, a signal would end the process before it has removed an unfinished copy.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  await report(async () => {
    const nowMs = realClock.nowMs()
    const file = datedFile(asked, 'monbot', nowMs)
    const { alerts, mutes } = await backup(database, file)
    const source = database.kind === 'sqlite' ? database.path : file
    const { said, failed } = removeOld(asked, { stem: 'monbot', source, nowMs })
    if (failed !== null) {
      process.stderr.write(`${failed}\n`)
      process.exitCode = 1
    }
    return `Copied to ${file}: ${alerts} alerts, ${mutes} mutes${said}.`
  })
}

/** Puts a copy in the place of the database. */
export async function restoreMain(words: readonly string[]): Promise<void> {
  const [file, ...more] = words
  if (file === undefined || file.startsWith('-') || more.length > 0)
    return wrongWords('restore', 'FILE', words)
  const database = databaseOf(process.env, null)
  if (database === null) return
  await report(async () => {
    const { alerts, mutes, aside } = await restore(file, database, realClock.nowMs())
    const kept = aside === null ? '' : ` The database that it replaces is kept as ${aside}.`
    return `Brought back: ${alerts} alerts, ${mutes} mutes; the next start ends the mutes and says so.${kept}`
  })
}

/** Copies every row from one database into an empty one. An address may hold a password, and is never shown. */
export async function moveMain(words: readonly string[]): Promise<void> {
  const pairs = words.flatMap((word) => {
    const [, flag, value] = /^--(from|to)=(.*)$/s.exec(word) ?? []
    return flag === undefined ? [word] : [`--${flag}`, value ?? '']
  })
  const urlAfter = (flag: string) => pairs[pairs.indexOf(flag) + 1]
  if (pairs.length !== 4 || !pairs.includes('--from') || !pairs.includes('--to'))
    return wrongWords('move', moveWords, words)
  const from = databaseOf({ DATABASE_URL: urlAfter('--from') }, '--from')
  const to = databaseOf({ DATABASE_URL: urlAfter('--to') }, '--to')
  if (from === null || to === null) return
  const [source, target] = [open(from), open(to)]
  await report(async () => {
    const rows = await copy(source, target, 'The database after --to')
    return `Moved: ${rows} rows. The old database stays as it was; set DATABASE_URL to the new one.`
  })
  await Promise.all([source.close(), target.close()])
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

async function report(act: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await act()}\n`)
  } catch (error) {
    if (!(error instanceof UnfitStore || error instanceof LockedStore)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = error instanceof UnfitStore ? 78 : 1
  }
}

function wrongWords(
  command: string,
  expected: string,
  words: readonly string[],
  wrong = `Expected ${expected}; came ${words.length} words`,
): void {
  const isHelp = words.includes('--help') || words.includes('-h')
  const usage = `Usage: ${commandLine(command, expected)}\n`
  ;(isHelp ? process.stdout : process.stderr).write(isHelp ? usage : `${wrong}\n${usage}`)
  process.exitCode = isHelp ? 0 : 2
}

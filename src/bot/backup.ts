/**
 * `npm run backup -- FILE`: copies the database while the bot runs, and checks the copy; with `--keep DAYS FOLDER` into a new file
 * of a folder that keeps those of so many days. Exit code 1 if there is no copy, or if old ones cannot be removed; 78 for a wrong
 * setting.
 */
import { requireNode } from '../shared/node-version.ts'

requireNode()
const { realClock } = await import('../shared/clock.ts')
const { commandLine } = await import('../shared/command-name.ts')
const { datedFile, readBackupTarget, removeOld } = await import('../shared/dated-backups.ts')
const { databaseOf } = await import('./config/config.ts')
const { readLimited } = await import('../shared/limited-file.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { backUp } = await import('./store/open/backup.ts')
const { counted } = await import('./slack/render/text/phrases.ts')
const { StoreError } = await import('./store/open/store-error.ts')

const usage = `Usage: ${commandLine('backup', 'FILE')}, or ${commandLine('backup', '--keep DAYS FOLDER')}
FILE must not exist yet; in FOLDER, copies of more than so many days ago are removed. DATABASE_URL says what is copied.
`
const dumped = 'A Postgres is copied by its own pg_dump, also while the bot runs: see docs/operating.md.'
const words = process.argv.slice(2)
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(usage)
  process.exit(0)
}
const asked = readBackupTarget(words)
if (asked.path === null) {
  process.stderr.write(`${asked.wrong}\n${usage}`)
  process.exit(2)
}
// Without these, a signal would end the process before it has removed an unfinished copy.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  const database = databaseOf(process.env, readLimited)
  if (database.kind === 'postgres') throw new StoreError(dumped, null, true)
  const { path } = database
  const nowMs = realClock.nowMs()
  const target = datedFile(asked, 'monbot', nowMs)
  const { bytes, alerts, mutes } = await backUp(path, target)
  const { said, failed } = removeOld(asked, { stem: 'monbot', source: path, nowMs })
  process.stdout.write(
    `${target}: a whole copy of ${path}: ${counted(alerts, 'alert')}, ${counted(mutes, 'active mute')}, ${bytes} bytes${said}\n`,
  )
  if (failed !== null) {
    process.stderr.write(`${failed}\n`)
    process.exitCode = 1
  }
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error
  process.stderr.write(`${error.message}\n`)
  // The codes of a start: 78 for a wrong setting.
  process.exit(error instanceof ConfigError || error.isSetting ? 78 : 1)
}

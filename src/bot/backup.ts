/**
 * `npm run backup -- FILE`: copies the database while the bot runs, and checks the copy. Exit code 1 if there is no copy, 78 for
 * a wrong setting.
 */
import { requireNode } from '../shared/node-version.ts'

requireNode()
const { commandLine } = await import('../shared/command-name.ts')
const { databaseOf } = await import('./config/config.ts')
const { readLimited } = await import('../shared/limited-file.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { backUp } = await import('./store/open/backup.ts')
const { counted } = await import('./slack/render/text/phrases.ts')
const { StoreError } = await import('./store/open/store-error.ts')

const usage = `Usage: ${commandLine('backup', 'FILE')}\nFILE must not exist yet; DATABASE_URL says what is copied.\n`
const dumped = 'A Postgres is copied by its own pg_dump, also while the bot runs: see docs/operating.md.'
const words = process.argv.slice(2)
const [target = ''] = words
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(usage)
  process.exit(0)
}
if (words.length !== 1 || target === '' || target.startsWith('-')) {
  const came = words.length === 0 ? 'nothing' : words.map((word) => JSON.stringify(word)).join(' ')
  process.stderr.write(`Expected the name of one file; came ${came}\n${usage}`)
  process.exit(2)
}
// Without these, a signal would end the process before it has removed an unfinished copy.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  const database = databaseOf(process.env, readLimited)
  if (database.kind === 'postgres') throw new StoreError(dumped, null, true)
  const { path } = database
  const { bytes, alerts, mutes } = await backUp(path, target)
  process.stdout.write(
    `${target}: a whole copy of ${path}: ${counted(alerts, 'alert')}, ${counted(mutes, 'active mute')}, ${bytes} bytes\n`,
  )
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error
  process.stderr.write(`${error.message}\n`)
  // The codes of a start: 78 for a wrong setting.
  process.exit(error instanceof ConfigError || error.isSetting ? 78 : 1)
}

/**
 * `npm run restore -- FILE`: puts a backup in the place of the database, while no bot runs. Exit code 1 if nothing was restored, 78 for
 * a wrong setting.
 */
import { requireNode } from '../shared/node-version.ts'

requireNode()
const { realClock } = await import('../shared/clock.ts')
const { commandLine } = await import('../shared/command-name.ts')
const { readLimited } = await import('../shared/limited-file.ts')
const { databaseOf } = await import('./config/config.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { counted } = await import('./slack/render/text/phrases.ts')
const { restore } = await import('./store/open/restore.ts')
const { StoreError } = await import('./store/open/store-error.ts')

const usage = `Usage: ${commandLine('restore', 'FILE')}, while no bot runs.
FILE is what ${commandLine('backup')} has made; DATABASE_URL says what it replaces, which is kept beside it.
`
const dumped = 'A Postgres is restored by its own pg_restore, while no bot runs: see docs/operating.md.'
const words = process.argv.slice(2)
const [backup = ''] = words
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(usage)
  process.exit(0)
}
if (words.length !== 1 || backup === '' || backup.startsWith('-')) {
  const came = words.length === 0 ? 'nothing' : words.map((word) => JSON.stringify(word)).join(' ')
  process.stderr.write(`Expected the name of one file; came ${came}\n${usage}`)
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  const database = databaseOf(process.env, readLimited)
  if (database.kind === 'postgres') throw new StoreError(dumped, null, true)
  const { path } = database
  const stamp = new Date(realClock.nowMs()).toISOString().replace(/\.\d+|[-:]/g, '')
  const { alerts, waiting, aside } = await restore(backup, path, stamp)
  const lines = [
    `${path}: restored from ${backup}, with ${counted(alerts, 'alert')}${waiting > 0 ? `; the next start runs ${counted(waiting, 'migration')} on it` : ''}.`,
    ...(aside === null ? [] : [`What was there is kept as ${aside}.`]),
    'What people did in Slack since the backup is not in it: check what is muted in the monitoring.',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error instanceof ConfigError || error.isSetting ? 78 : 1)
}

/** `npm run backup -- FILE`: copies the database while the bot runs, and checks the copy. Exit code 1 if there is none. */
import { requireNode } from './node-version.ts'

requireNode()
const { databaseOf } = await import('./config/config.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { backUp } = await import('./store/open/backup.ts')
const { counted } = await import('./slack/render/text/phrases.ts')
const { StoreError } = await import('./store/open/store-error.ts')

const [target, ...more] = process.argv.slice(2)
if (target === undefined || target === '' || target.startsWith('-') || more.length > 0) {
  process.stderr.write(
    'Usage: npm run backup -- FILE\nFILE must not exist yet; DATABASE_URL says what is copied.\n',
  )
  process.exit(1)
}
try {
  const { path } = databaseOf(process.env)
  const { bytes, alerts, mutes } = await backUp(path, target)
  process.stdout.write(
    `${target}: a whole copy of ${path}: ${counted(alerts, 'alert')}, ${counted(mutes, 'active mute')}, ${bytes} bytes\n`,
  )
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StoreError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

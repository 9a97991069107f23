/** `npm run service -- --restore FILE`: puts a backup in the place of the file at MONITOR_FILE, while no service runs. */
import { many } from './run-backup.ts'
import { LedgerError } from './store/ledger-error.ts'
import { restore } from './store/restore.ts'

/** Prints what was restored, or why not: exit code 1, or 78 if MONITOR_FILE is not set. */
export async function runRestore(
  env: Readonly<Record<string, string | undefined>>,
  backup: string,
): Promise<void> {
  const file = env.MONITOR_FILE || null
  if (file === null) {
    process.stderr.write(
      'MONITOR_FILE: expected the file of the service, which is to be replaced; came nothing\n',
    )
    process.exitCode = 78
    return
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  const stamp = new Date().toISOString().replace(/\.\d+|[-:]/g, '')
  try {
    const { alerts, silences, aside } = await restore(backup, file, stamp)
    const kept = aside === null ? '' : `What was there is kept as ${aside}.\n`
    process.stdout.write(
      `${file}: restored from ${backup}, with ${many(alerts, 'alert')} and ${many(silences, 'silence')}.\n${kept}`,
    )
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

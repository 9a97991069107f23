/** `npm run service -- --backup FILE`: copies the file at MONITOR_FILE while the service runs; or `--backup --keep DAYS FOLDER`. */
import { realClock } from '../shared/clock.ts'
import { commandLine, settingsDocument } from '../shared/command-name.ts'
import { datedFile, readBackupTarget, removeOld } from '../shared/dated-backups.ts'
import { backUp } from './store/backup.ts'
import { LedgerError } from './store/ledger-error.ts'

/** Prints what was copied, or why not, or not removed: exit code 1, 2 if `words` are wrong, or 78 if MONITOR_FILE is not set. */
export async function runBackup(
  env: Readonly<Record<string, string | undefined>>,
  words: readonly string[],
): Promise<void> {
  const asked = readBackupTarget(words)
  if (asked.path === null) {
    process.stderr.write(`--backup: ${asked.wrong}\n${usage}`)
    process.exitCode = 2
    return
  }
  const file = env.MONITOR_FILE || null
  if (file === null) {
    process.stderr.write(
      'MONITOR_FILE: expected the file of the service, which is to be copied; came nothing\n',
    )
    process.exitCode = 78
    return
  }
  // Without these, a signal would end the process before it has removed an unfinished copy.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  try {
    const nowMs = realClock.nowMs()
    const target = datedFile(asked, 'monitor', nowMs)
    const { bytes, alerts, silences } = await backUp(file, target)
    const { said, failed } = removeOld(asked, { stem: 'monitor', source: file, nowMs })
    process.stdout.write(
      `${target}: a whole copy of ${file}: ${many(alerts, 'alert')}, ${many(silences, 'silence')}, ${bytes} bytes${said}\n`,
    )
    if (failed !== null) {
      process.stderr.write(`${failed}\n`)
      process.exitCode = 1
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** `1 alert`, `0 alerts`. */
export const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

export const usage = `Usage:
  ${commandLine('service')}: runs it, until it is stopped; its settings come from the environment: ${settingsDocument()}
  ${commandLine('service', '--backup FILE')}: copies the file at MONITOR_FILE to FILE, which must not exist yet
  ${commandLine('service', '--backup --keep DAYS FOLDER')}: copies it into the folder, and removes copies of more than so many days ago
  ${commandLine('service', '--restore FILE')}: while no service runs, puts such a copy in the place of the file at MONITOR_FILE, which is kept beside it
  ${commandLine('service', '--names')}: says which servers the file at MONITOR_CONFIG renames
`

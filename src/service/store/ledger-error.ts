/** The errors of the service's file, in one sentence for the operator: an error of the disk, or a file that is no longer ours. */
import { realpathSync, renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fileMark } from '../../shared/file-mark.ts'

/** The service's file is or has become unusable. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
}

/** The meaning of a family of SQLite codes (`SQLITE_IOERR_WRITE` belongs to `SQLITE_IOERR`). */
const sentences: readonly (readonly [family: string, sentence: string])[] = [
  ['SQLITE_FULL', 'cannot be written, because the disk is full: make room, and start the service again'],
  [
    'SQLITE_READONLY',
    'cannot be written: let the user that the service runs as write the file and its folder',
  ],
  [
    'SQLITE_CANTOPEN',
    'cannot be opened: check that its folder can be made, and that the user that the service runs as may write in it',
  ],
  ['SQLITE_PERM', 'cannot be opened: let the user that the service runs as write the file and its folder'],
  ['SQLITE_BUSY', 'is in use by another process: end that one, or set MONITOR_FILE to another path'],
  ['SQLITE_LOCKED', 'is in use by another process: end that one, or set MONITOR_FILE to another path'],
  ['SQLITE_CORRUPT', 'is damaged: bring it back from a backup, or move it away to start with an empty one'],
  ['SQLITE_NOTADB', 'is no SQLite database, or is damaged: set MONITOR_FILE to another path'],
  ['SQLITE_IOERR', 'cannot be read or written: look whether its disk is full, has a quota, or fails'],
]

const ofFiles: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'SQLITE_FULL'],
  ['EDQUOT', 'SQLITE_FULL'],
  ['EROFS', 'SQLITE_READONLY'],
  ...['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT', 'ELOOP', 'ENAMETOOLONG'].map(
    (code) => [code, 'SQLITE_CANTOPEN'] as const,
  ),
])

/** Null if it is not an error of the disk or the file, but a bug. */
export function ledgerErrorOf(error: unknown, file: string): LedgerError | null {
  if (error instanceof LedgerError) return error
  const code = codeOf(error)
  if (code === null) return null
  const named = ofFiles.get(code) ?? code
  const sentence = sentences.find(([family]) => named === family || named.startsWith(`${family}_`))?.[1]
  return sentence === undefined ? null : new LedgerError(`The file ${file} ${sentence} (${code}).`)
}

function codeOf(error: unknown): string | null {
  if (error instanceof Database.SqliteError) return error.code
  const isOfFile = error instanceof Error && 'syscall' in error && 'code' in error
  return isOfFile && typeof error.code === 'string' ? error.code : null
}

/**
 * Checks that the file is still what this process wrote. SQLite does not: a file that is removed, replaced or overwritten while open
 * is written to as if nothing had happened, and the next start has none of it.
 */
export type OwnFile = {
  /** Before each write: throws a `LedgerError` with what happened. Costs two stats. */
  assert(): void
  /** After each write. */
  note(): void
}

/** After the first write. */
export function openOwnFile(file: string): OwnFile {
  const main = realpathSync(file)
  const log = `${main}-wal`
  const begun = look()
  let known = begun

  function look() {
    return { main: fileMark(main), log: fileMark(log) }
  }

  /** The log of a replaced file: the next start would mix it into the present file. */
  function setLogAside(found: string | undefined): void {
    if (found !== undefined && found === known.log?.text) renameSync(log, `${log}-set-aside`)
  }

  return {
    assert() {
      const now = look()
      if (now.main?.inode !== begun.main?.inode) {
        setLogAside(now.log?.text)
        throw new LedgerError(
          `The file ${file} was moved or removed while the service runs, so that nothing is kept any more: put it back, or start the service again to start with an empty one.`,
        )
      }
      if (now.log?.inode !== begun.log?.inode) {
        throw new LedgerError(
          `The file ${log} was removed while the service runs, and with it what was written last: leave it where it is, and start the service again.`,
        )
      }
      if (now.main?.text !== known.main?.text || now.log?.text !== known.log?.text) {
        setLogAside(now.log?.text)
        throw new LedgerError(
          `The file ${file} was written over by another program while the service runs: stop the service before a backup is brought back, and start it again.`,
        )
      }
    },
    note() {
      known = look()
    },
  }
}

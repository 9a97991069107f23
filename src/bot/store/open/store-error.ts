/** Translates SQLite's errors for the person who runs the bot: one sentence each, with what to do next. */
import SQLite from 'better-sqlite3'
import { StoreFailure } from '../../domain/base/failure.ts'

/** The database cannot be used (any more); the message tells an operator which one, why, and what to do. */
export class StoreError extends StoreFailure {
  override readonly name = 'StoreError'
  /** SQLite's own code, or that of the file system. */
  readonly code: string | null
  /** The setting names what is no database of this version; nothing but a person changes that. */
  readonly isSetting: boolean

  constructor(message: string, code: string | null = null, isSetting = code === 'SQLITE_NOTADB') {
    super(message)
    this.code = code
    this.isSetting = isSetting
  }
}

/** What is spoken of: the database that the bot is on, or a copy of it that is being made. */
type Subject = 'database' | 'backup'
const again = { database: 'start monbot again', backup: 'run the backup again' } as const

/** The meaning of each family of SQLite's codes (`SQLITE_IOERR_WRITE` is one of `SQLITE_IOERR`); AGAIN stands for `again`. */
const sentences: readonly (readonly [family: string, sentence: string])[] = [
  ['SQLITE_FULL', 'cannot be written, because the disk is full: make room, and AGAIN'],
  [
    'SQLITE_READONLY',
    'cannot be written: let the user that monbot runs as write the file and its folder, on a disk that is not read-only',
  ],
  [
    'SQLITE_CANTOPEN',
    'cannot be opened: check that its folder is there, and that the user that monbot runs as may write in it',
  ],
  ['ENAMETOOLONG', 'cannot be opened, because a name in its path is too long: choose a shorter one'],
  ['SQLITE_PERM', 'cannot be opened: let the user that monbot runs as write the file and its folder'],
  ['SQLITE_BUSY', 'is locked by another process: end what holds it, and AGAIN'],
  ['SQLITE_LOCKED', 'is locked by another process: end what holds it, and AGAIN'],
  ['SQLITE_PROTOCOL', 'is locked by another process: end what holds it, and AGAIN'],
  [
    'SQLITE_CORRUPT',
    'is damaged: stop monbot, and bring the file back from a backup, or move it away to begin anew',
  ],
  [
    'SQLITE_NOTADB',
    'is no SQLite database, or is damaged: set DATABASE_URL to another path, or bring the file back from a backup',
  ],
  [
    'SQLITE_IOERR',
    'cannot be read or written: look whether its disk is full, has a quota, or fails, and AGAIN',
  ],
]

const ofFiles: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'SQLITE_FULL'],
  ['EDQUOT', 'SQLITE_FULL'],
  ['EROFS', 'SQLITE_READONLY'],
  ['EACCES', 'SQLITE_CANTOPEN'],
  ['EPERM', 'SQLITE_CANTOPEN'],
  ['ENOTDIR', 'SQLITE_CANTOPEN'],
  ['EEXIST', 'SQLITE_CANTOPEN'],
  ['EISDIR', 'SQLITE_CANTOPEN'],
  ['ELOOP', 'SQLITE_CANTOPEN'],
  ['ENOENT', 'SQLITE_CANTOPEN'],
])

/** Null if the error is not from the disk or the file, and so is a bug of ours. */
export function storeErrorOf(error: unknown, path: string, subject: Subject = 'database'): StoreError | null {
  const code = codeOf(error)
  if (code === null) return null
  const named = ofFiles.get(code) ?? code
  const sentence = sentences.find(([family]) => named === family || named.startsWith(`${family}_`))?.[1]
  if (sentence === undefined) return null
  return new StoreError(
    `The ${subject} ${path} ${sentence.replace('AGAIN', again[subject])} (${code}).`,
    code,
  )
}

function codeOf(error: unknown): string | null {
  if (error instanceof SQLite.SqliteError) return error.code
  const isOfFile = error instanceof Error && 'syscall' in error && 'code' in error
  return isOfFile && typeof error.code === 'string' ? error.code : null
}

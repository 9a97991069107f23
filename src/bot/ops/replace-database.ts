/** Puts a copy of a SQLite file in the place of another one, which is kept beside it; a kill at any moment leaves one of the two. */
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'

/** Gives a file the permissions of another one, or of the folder's files, and its owner where this user may. */
export function keepMode(path: string, like: string): void {
  const { mode, uid, gid, isFile } = described(like)
  const own = statSync(path)
  if (isFile) chmodSync(path, mode & 0o777)
  // Only root can give a file away; anybody else's are their own already.
  if (process.getuid?.() === 0 && (own.uid !== uid || own.gid !== gid)) chownSync(path, uid, gid)
}

function described(path: string) {
  const found = statSync(path)
  return { mode: found.mode, uid: found.uid, gid: found.gid, isFile: found.isFile() }
}

/**
 * Nobody may use `target` meanwhile: whoever calls holds its lock. `check` throws if the copy is not to be used; then nothing has
 * changed. Returns where the replaced file is kept, as one file if it can still be read; null if there was none. Throws errors of
 * `node:fs` and of SQLite.
 */
export async function replaceDatabase(
  backup: string,
  target: string,
  { check, stamp }: { readonly check: (copy: string) => Promise<void>; readonly stamp: string },
): Promise<string | null> {
  const folder = mkdtempSync(join(dirname(resolve(target)), '.monbot-restore-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const copy = join(folder, 'copy.db')
    copyFileSync(backup, copy)
    await check(copy)
    const isThere = existsSync(target)
    keepMode(copy, isThere ? target : dirname(resolve(target)))
    if (!isThere) chmodSync(copy, 0o600)
    const aside = `${target}-replaced-${stamp}`
    if (isThere) setAside(target, aside)
    toDisk(copy)
    renameSync(copy, target)
    toDisk(dirname(resolve(target)))
    return isThere ? aside : null
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** The file itself stays in its place: a link to it is made. Its log would be read into the one that replaces it. */
function setAside(target: string, aside: string): void {
  // Never over what was set aside before.
  closeSync(openSync(aside, 'wx'))
  const log = `${target}-wal`
  // First, as SQLite removes the log of a file that it cannot read.
  if (existsSync(log)) copyFileSync(log, `${aside}-wal`)
  if (isOneFile(target)) rmSync(`${aside}-wal`, { force: true })
  for (const path of [log, `${target}-shm`]) rmSync(path, { force: true })
  rmSync(aside)
  linkSync(target, aside)
}

/** Moves all of its log into the file; false if that cannot be done, as the file is damaged or none of SQLite. */
function isOneFile(target: string): boolean {
  try {
    const sqlite = new SQLite(target)
    try {
      return sqlite.pragma('journal_mode = DELETE', { simple: true }) === 'delete'
    } finally {
      sqlite.close()
    }
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError)) throw error
    return false
  }
}

function toDisk(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

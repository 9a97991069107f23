/**
 * Checks that the database is still what this process wrote. SQLite does not: if the file is overwritten, truncated or replaced
 * while it is open, or loses its write-ahead log, SQLite continues as if nothing had happened, and mutes and cards are lost.
 */
import { closeSync, openSync, readSync, realpathSync, renameSync } from 'node:fs'
import type SQLite from 'better-sqlite3'
import { fileMark } from '../../../shared/file-mark.ts'
import { StoreError } from './store-error.ts'

export type OwnFile = {
  /** Outside of a transaction: throws a `StoreError` that says what happened. Costs three stats. */
  assert(): void
  /** Call it before committing a transaction that wrote something. */
  beforeCommit(): void
  /** Call it after every write of this process. */
  note(): void
  close(): void
}

const unwatched: OwnFile = {
  assert: () => undefined,
  beforeCommit: () => undefined,
  note: () => undefined,
  close: () => undefined,
}

/** Open it once the database is migrated and has been written to for the first time. */
export function openOwnFile(sqlite: SQLite.Database, path: string): OwnFile {
  if (path === ':memory:') return unwatched
  const main = realpathSync(path)
  const log = `${main}-wal`
  const sentences = {
    gone: `The database ${path} was moved or removed while monbot runs, so that nothing is kept any more: put it back, or start monbot again to begin anew.`,
    logGone: `The file ${log} was removed while monbot runs, and with it what was written last: leave it where it is. Start monbot again to go on with what is left.`,
    writtenOver: `The database ${path} was written over by another program while monbot runs, so that nothing is sure that monbot knows: stop monbot before a backup is brought back. Start it again to go on with what stands there now.`,
  }
  const readGeneration = sqlite.prepare("select value from facts where name = 'generation'").pluck()
  const writeGeneration = sqlite.prepare(
    "insert into facts (name, value) values ('generation', ?) on conflict do update set value = excluded.value",
  )
  // Held open: opening it for each check would fail if the process runs out of descriptors.
  const logFile = openSync(log, 'r')
  const begun = {
    main: fileMark(main)?.inode,
    log: fileMark(log)?.inode,
    index: fileMark(`${main}-shm`)?.inode,
  }
  /** Grows with every transaction, across restarts: an older copy of the database has a smaller one. */
  let generation = Number(readGeneration.get() ?? 0)
  let known = look()

  function look() {
    const checkpoint = sqlite.pragma('wal_checkpoint(NOOP)') as readonly { readonly checkpointed: number }[]
    return {
      main: fileMark(main)?.text,
      log: fileMark(log)?.text,
      version: sqlite.pragma('data_version', { simple: true }),
      // How often the log was restarted, and how much of it has been moved into the file since.
      moved: `${timesBegun(logFile)} ${checkpoint[0]?.checkpointed}`,
    }
  }

  /** Something changed that this process did not do. */
  function judge(now: { readonly main: string | undefined; readonly log: string | undefined }): void {
    const { version, moved } = look()
    // A commit through SQLite is accepted (who edits a row is responsible for it), but not a copy from another time.
    const isCommit = version !== known.version && Number(readGeneration.get() ?? 0) === generation
    // The log's content was only moved into the file.
    const isCheckpoint = now.log === known.log && version === known.version && moved !== known.moved
    if (isCommit || isCheckpoint) known = look()
    else writtenOver(now.main !== known.main && now.log === known.log)
  }

  /** Sets aside the log of the earlier file: the next start would otherwise apply it to the new one. */
  function writtenOver(isLogOurs: boolean): never {
    if (isLogOurs) setAside()
    throw new StoreError(sentences.writtenOver)
  }

  function setAside(): void {
    renameSync(log, `${log}-set-aside`)
  }

  /** Are the three files where they were? */
  function findInPlace() {
    const now = { main: fileMark(main), log: fileMark(log) }
    if (now.main?.inode !== begun.main) {
      // Another file is there: opening it would read this log as its own.
      if (now.main !== null && now.log !== null && now.log.text === known.log) setAside()
      throw new StoreError(sentences.gone)
    }
    if (now.log?.inode !== begun.log || fileMark(`${main}-shm`)?.inode !== begun.index) {
      throw new StoreError(sentences.logGone)
    }
    return { main: now.main?.text, log: now.log?.text }
  }

  return {
    assert: () => {
      const now = findInPlace()
      if (now.main !== known.main || now.log !== known.log) judge(now)
    },
    beforeCommit: () => {
      generation += 1
      writeGeneration.run(String(generation))
    },
    note: () => {
      const now = look()
      // While writing, SQLite changes the file itself only by moving content out of its log.
      if (now.main !== known.main && now.moved === known.moved) {
        findInPlace()
        writtenOver(true)
      }
      known = now
    },
    close: () => closeSync(logFile),
  }
}

const logHeaderBytes = 16

/** SQLite's own count in the head of its log (sqlite.org/fileformat2.html, 4.1); null if there is none yet. */
function timesBegun(log: number): number | null {
  const recent = Buffer.alloc(logHeaderBytes)
  return readSync(log, recent, 0, logHeaderBytes, 0) < logHeaderBytes ? null : recent.readUInt32BE(12)
}

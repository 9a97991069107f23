/**
 * Checks that the file is still what this process wrote. SQLite does not: a file that is removed, replaced or overwritten while open
 * is written to as if nothing had happened, and the next start has none of it.
 */
import { realpathSync, renameSync, statSync } from 'node:fs'
import { LedgerError } from './ledger-error.ts'

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
    return { main: markOf(main), log: markOf(log) }
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

/** Changes with every write; null if the file does not exist. */
function markOf(file: string): { readonly inode: bigint; readonly text: string } | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : { inode: found.ino, text: `${found.size} ${found.mtimeNs}` }
}

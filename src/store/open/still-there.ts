/**
 * Are the files still those that were opened? One that is deleted or replaced while it is open goes on taking writes, and all
 * of them are lost without an error: SQLite itself looks only where it has no WAL.
 */
import { statSync } from 'node:fs'
import { StoreError } from './store-error.ts'

/** Remembers which file it is now; what it answers throws a `StoreError` with this sentence once it is another, or gone. */
export function openStillThere(file: string, sentence: string): () => void {
  const opened = inodeOf(file)
  return () => {
    if (inodeOf(file) !== opened) throw new StoreError(sentence)
  }
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}

/** The identity and state of a file on disk: `inode` tells another file, `text` changes with every write; null if there is none. */
import { statSync } from 'node:fs'

export function fileMark(path: string): { readonly inode: bigint; readonly text: string } | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : { inode: found.ino, text: `${found.size} ${found.mtimeNs}` }
}

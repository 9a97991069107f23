/** Reads a small file that a setting names, however large it is. */
import { closeSync, openSync, readSync } from 'node:fs'

/** More than the longest permitted policy has. */
const fileBytesMax = 1_000_000

/** The text of a file, or of its first million bytes, which is more than callers accept. Throws as `readFileSync` does. */
export function readLimited(path: string): string {
  const bytes = Buffer.alloc(fileBytesMax)
  const file = openSync(path, 'r')
  try {
    let length = 0
    // A pipe gives its content in pieces.
    for (let came = -1; came !== 0; length += came)
      came = readSync(file, bytes, length, fileBytesMax - length, null)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

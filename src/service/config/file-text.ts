/** Reads a file that a setting names. */
import { readFile, stat } from 'node:fs/promises'

/** Null if it cannot be read, is not a regular file (which might never end), or is larger. */
export function textOfFile(path: string, bytesMax: number): Promise<string | null> {
  return regularText(path, bytesMax).catch(() => null)
}

async function regularText(path: string, bytesMax: number): Promise<string | null> {
  const found = await stat(path)
  return found.isFile() && found.size <= bytesMax ? readFile(path, 'utf8') : null
}

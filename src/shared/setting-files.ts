/** Files that settings name: small ones of any kind, and secrets, as Docker and Kubernetes mount them. */
import { closeSync, openSync, readSync } from 'node:fs'

/** More than the longest policy has. */
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

type Environment = Readonly<Record<string, string | undefined>>

export type SecretFiles = {
  /** With the values from files. */
  readonly env: Environment
  /** The settings whose file could not be used: nothing more need be said of them. */
  readonly unread: ReadonlySet<string>
  /** Each names the variable, what was expected of it, and what came instead, without anything of the file's content. */
  readonly problems: readonly { readonly setting: string; readonly expected: string; readonly came: string }[]
}

/** `NAME_FILE` holds the path of a file with the value of `NAME`. */
export const fileSetting = (name: string): string => `${name}_FILE`

/** Of the settings `names`; `readFile` throws an error with a `code`, as `node:fs` does. Spaces and line ends around a value are left out. */
export function readSecretFiles(
  env: Environment,
  names: readonly string[],
  readFile: (path: string) => string,
): SecretFiles {
  const read: Record<string, string> = {}
  const unread = new Set<string>()
  const problems: SecretFiles['problems'][number][] = []
  for (const name of names) {
    const setting = fileSetting(name)
    const path = env[setting]?.trim() ?? ''
    if (path === '') continue
    const refuse = (came: string, expected = 'the path of a file that holds the secret'): void => {
      unread.add(name)
      problems.push({ setting, expected, came })
    }
    if (env[name]?.trim()) {
      refuse('both', `nothing beside ${name}, or ${name} left empty`)
      continue
    }
    // Only what is plainly a path is shown: people put the secret itself there.
    const shown = /^\.{0,2}\//.test(path) ? JSON.stringify(path) : `a value of ${path.length} characters`
    try {
      // Editors of some systems begin a file with a mark that nobody sees.
      const text = readFile(path).replace('\uFEFF', '').trim()
      if (text === '') refuse(`${shown}, which is empty`)
      else read[name] = text
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
      refuse(`${shown}, which cannot be read (${code})`)
    }
  }
  return { env: { ...env, ...read }, unread, problems }
}

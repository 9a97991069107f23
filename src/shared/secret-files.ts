/** Secrets from files, as Docker and Kubernetes mount them: `NAME_FILE` holds the path of a file with the value of `NAME`. */

type Environment = Readonly<Record<string, string | undefined>>

export type SecretFiles = {
  /** With the values from files. */
  readonly env: Environment
  /** The settings whose file could not be used: nothing more need be said of them. */
  readonly unread: ReadonlySet<string>
  /** Each names the variable, what was expected of it, and what came instead, without anything of the file's content. */
  readonly problems: readonly { readonly setting: string; readonly expected: string; readonly came: string }[]
}

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
    const refuse = (expected: string, came: string): void => {
      unread.add(name)
      problems.push({ setting, expected, came })
    }
    if (env[name]?.trim()) {
      refuse(`nothing beside ${name}, or ${name} left empty`, 'both')
      continue
    }
    const content = contentOf(path, readFile)
    if (content.code !== null) {
      refuse(
        'the path of a file that holds the secret',
        `${shown(path)}, which cannot be read (${content.code})`,
      )
    } else if (content.text === '') {
      refuse('the path of a file that holds the secret', `${shown(path)}, which is empty`)
    } else read[name] = content.text
  }
  return { env: { ...env, ...read }, unread, problems }
}

type Content = { readonly text: string; readonly code: null } | { readonly code: string }

function contentOf(path: string, readFile: (path: string) => string): Content {
  try {
    // Editors of some systems begin a file with a mark that nobody sees.
    return {
      text: readFile(path)
        .replace(/^\uFEFF/, '')
        .trim(),
      code: null,
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { code: String(error.code) }
  }
}

/** Only what is plainly a path is shown: people put the secret itself there. */
function shown(path: string): string {
  return /^\.{0,2}\//.test(path) ? JSON.stringify(path) : `a value of ${path.length} characters`
}

/** Reads the settings at the start, and the policy file again while the bot runs; says what changed, and what takes a restart. */

import { fileSetting } from '../../shared/secret-files.ts'
import { type Config, readConfig, secretSettings } from './config.ts'
import { ConfigError } from './config-error.ts'
import { policyParts } from './policy.ts'
import { settings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

export type Reread = {
  /** Settings that have changed since the start and are used from the next one on, by name. */
  readonly restart: readonly string[]
} & (
  | { readonly kind: 'unchanged' }
  /** `changed`: the parts of the policy file, by their keys there. */
  | { readonly kind: 'changed'; readonly changed: readonly string[]; readonly config: Config }
  /** Nothing has changed; `why` says all that is wrong with the file. */
  | { readonly kind: 'refused'; readonly why: string }
)

export type Settings = {
  readonly config: Config
  /** Never throws a `ConfigError`. */
  again(): Reread
}

/**
 * `readFile` throws as `node:fs` does; `readEnvFile` returns what the file `.env` says now, of which `env` has what it said at the start.
 * Throws a `ConfigError` as `readConfig` does.
 */
export function openSettings(
  env: Environment,
  readFile: (path: string) => string,
  readEnvFile: () => Environment,
): Settings {
  const policyPath = env.MONBOT_CONFIG?.trim() ?? ''
  const started = new Map<string, string>()
  const envFile = readEnvFile()
  let source = ''
  const config = readConfig(env, (path) => {
    const text = readFile(path)
    if (path === policyPath) source = text
    else started.set(path, text)
    return text
  })
  let current = config

  /** A name for each file or line of .env that says something else than at the start. */
  function restart(): string[] {
    const files = [...secretSettings.map(fileSetting), 'CA_FILE'].filter((name) => {
      const before = started.get(env[name]?.trim() ?? '')
      return before !== undefined && before !== textOr(readFile, env[name]?.trim() ?? '', before)
    })
    const now = readEnvFile()
    const names = settings.flatMap(({ name, secret }) => (secret ? [name, fileSetting(name)] : [name]))
    const lines = names.filter((name) => (now[name] ?? '').trim() !== (envFile[name] ?? '').trim())
    return [...new Set([...files, ...lines])]
  }

  return {
    config,
    again() {
      let next = ''
      try {
        // What else it reads is as it was at the start: the bot runs with that.
        const read = readConfig(env, (path) => {
          const before = started.get(path)
          if (before !== undefined) return before
          next = readFile(path)
          return next
        })
        const changed = policyParts(source, next)
        if (changed.length === 0) return { kind: 'unchanged', restart: restart() }
        source = next
        current = read
        return { kind: 'changed', changed, config: current, restart: restart() }
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return {
          kind: 'refused',
          why: error.message.split('\n').slice(1).join('\n').trim(),
          restart: restart(),
        }
      }
    },
  }
}

/** A file that cannot be read now says nothing about a change. */
function textOr(readFile: (path: string) => string, path: string, otherwise: string): string {
  try {
    return readFile(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return otherwise
  }
}

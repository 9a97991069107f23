/** The error for wrong settings, with messages that never contain a secret. */

/** One wrong setting. Each part is a phrase for people; `came` never contains a secret's value. */
export type Problem = { readonly setting: string; readonly expected: string; readonly came: string }

/** Thrown only by `readConfig`, with every problem found; its message has one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const count = problems.length === 1 ? 'one setting is' : `${problems.length} settings are`
    const lines = problems.map(
      ({ setting, expected, came }) => `  ${setting}: expected ${expected}; came ${came}`,
    )
    super([`monbot cannot start: ${count} not right.`, ...lines].join('\n'))
    this.problems = problems
  }
}

const shownCharsMax = 60
/** A token of Slack, or an address with a password. */
const looksSecret = /\bx(?:ox[a-z]|app)-|:\/\/[^/\s]*:[^/\s]*@/

/**
 * Describes the wrong value. Text is quoted and cut at 60 characters, but shown only as its length if it contains one of
 * `secrets`, or looks like a Slack token or an address with a password: people paste the right value into the wrong line.
 */
export function describeValue(value: unknown, secrets: readonly string[]): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a mapping'
  const text = String(value)
  if (looksSecret.test(text) || secrets.some((secret) => text.includes(secret))) {
    return `a value of ${text.length} characters that holds a secret`
  }
  const shown = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
  return typeof value === 'string' ? JSON.stringify(shown) : shown
}

/** The `server` filter of `metrics.json` (api-spec.md 4.10): a hostname, a wildcard, or a regular expression between slashes. */
import { RE2JS } from 're2js'
import { quoted, Refusal } from '../refusal.ts'

/** Longer patterns are refused; hostnames end at 253. */
export const patternCharsMax = 300

export type ServerPattern =
  | { readonly kind: 'exact'; readonly hostname: string }
  | { readonly kind: 'pattern'; matches(hostname: string): boolean }

/** Matches in linear time, whatever the pattern. Throws a 422 `Refusal` for a pattern that is none. */
export function parseServerPattern(text: string): ServerPattern {
  if (text.length > patternCharsMax) {
    throw new Refusal(422, `server: expected at most ${patternCharsMax} characters; came ${text.length}`)
  }
  const expression = /^\/(.*)\/(i?)$/s.exec(text)
  if (expression !== null) {
    const pattern = compile(expression[1] ?? '', expression[2] === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
    return { kind: 'pattern', matches: (hostname) => pattern.matcher(hostname).find() }
  }
  if (!/[*?]/.test(text)) return { kind: 'exact', hostname: text }
  const glob = [...text]
    .map((char) => (char === '*' ? '.*' : char === '?' ? '.' : RE2JS.quote(char)))
    .join('')
  const pattern = compile(glob, RE2JS.DOTALL)
  return { kind: 'pattern', matches: (hostname) => pattern.matches(hostname) }
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Refusal(
      422,
      `server: expected a regular expression between slashes; came ${quoted(source)}: ${why}`,
    )
  }
}

/** The `server` filter of `metrics.json` (docs/api.md#metrics): a hostname, a wildcard, or a regular expression between slashes. */
import { RE2JS } from 're2js'
import { quoted, Refusal } from '../refusal.ts'

/** Longer patterns are refused; hostnames end at 253. */
export const patternCharsMax = 300
/** Most steps of a compiled pattern, as each may be tried at each character of each hostname. */
const stepsMax = 300

export type ServerPattern =
  | { readonly kind: 'exact'; readonly hostname: string }
  | { readonly kind: 'pattern'; matches(hostname: string): boolean }

/** Matches in linear time, whatever the pattern. Throws a 422 `Refusal` for an invalid pattern. */
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
  // Checked before compiling: 300 characters can make 70,000 steps, which take a second to compile.
  const steps = stepsOf(source)
  if (steps > stepsMax) {
    throw new Refusal(
      422,
      `server: expected a pattern of at most ${stepsMax} steps, its repetitions written out; came one of ${steps}`,
    )
  }
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

const token = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu

/** Estimates its compiled steps, never too low where it matters: `(ab){3,5}` is `ab` five times. */
function stepsOf(source: string): number {
  const outer: number[] = []
  let total = 0
  let last = 0
  for (const [text, least, most] of source.matchAll(token)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0))
      total += last * (times - 1)
      last *= times
    } else if (text === '(') {
      outer.push(total)
      total = 0
    } else if (text === ')') {
      last = total
      total += outer.pop() ?? 0
    } else {
      last = 1
      total += 1
    }
  }
  return outer.reduce((sum, one) => sum + one, total)
}

/** Globs of people: `*` any run, `?` one character, in any case. Compiled by RE2, which no pattern can hang. */
import { RE2JS } from 're2js'

export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/** Matches whole texts. */
export function globMatcher(glob: string): (text: string) => boolean {
  if (!isGlob(glob)) {
    const wanted = glob.toLowerCase()
    return (text) => text.toLowerCase() === wanted
  }
  const source = [...glob]
    .map((char) => (char === '*' ? '.*' : char === '?' ? '.' : RE2JS.quote(char)))
    .join('')
  const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL)
  return (text) => pattern.matches(text)
}

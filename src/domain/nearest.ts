/** "Did you mean": the known names that a mistyped one is close to, and those that a glob means. */
import { globMatcher } from './glob.ts'

/** Longer names are compared by their beginning: nobody mistypes the end of such a name alone. */
const nameCharsMax = 200
/** A shorter name stands in too many others to say anything. */
const insideCharsMin = 3

/**
 * At most `max` known names, the likeliest first: the same but for case, those that begin with it, those within a few
 * slips of the finger (a letter wrong, missing, too many, or two swapped), those that contain it.
 */
export function nearest(name: string, known: Iterable<string>, max = 3): string[] {
  const wanted = comparable(name)
  if (wanted === '' || max <= 0) return []
  const slipsMax = wanted.length <= 2 ? 0 : wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3
  const distanceTo = slipCounter(wanted, slipsMax)
  const found: { readonly candidate: string; readonly rank: number }[] = []
  for (const candidate of new Set(known)) {
    const other = comparable(candidate)
    const slips = distanceTo(other)
    // A beginning says more than one wrong letter does, and less than the same letters.
    if (slips === 0) found.push({ candidate, rank: 0 })
    else if (other.startsWith(wanted)) found.push({ candidate, rank: 1 })
    // Hardly anybody mistypes the first letter.
    else if (slips <= slipsMax)
      found.push({ candidate, rank: 1 + slips + (other[0] === wanted[0] ? 0 : 0.5) })
    else if (wanted.length >= insideCharsMin && other.includes(wanted)) found.push({ candidate, rank: 10 })
  }
  return found
    .sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

/** The known names that a name or a glob (`*`, `?`) means, case ignored, in their order. */
export function matching(pattern: string, known: Iterable<string>): string[] {
  if (/[*?]/.test(pattern)) return [...known].filter(globMatcher(pattern))
  const wanted = pattern.toLowerCase()
  return [...known].filter((name) => name.toLowerCase() === wanted)
}

function comparable(name: string): string {
  return name.slice(0, nameCharsMax).toLowerCase()
}

/**
 * Damerau-Levenshtein (optimal string alignment) from one name to others; anything above `limit` is `limit + 1`. Only the
 * cells within `limit` of the diagonal are looked at, so that ten thousand names cost milliseconds.
 */
function slipCounter(from: string, limit: number): (to: string) => number {
  const width = from.length + 1
  let before = new Uint16Array(width)
  let row = new Uint16Array(width)
  let next = new Uint16Array(width)
  const far = limit + 1
  return (to) => {
    if (Math.abs(to.length - from.length) > limit) return far
    for (let column = 0; column < width; column++) row[column] = Math.min(column, far)
    for (let line = 1; line <= to.length; line++) {
      const first = Math.max(1, line - limit)
      const last = Math.min(from.length, line + limit)
      next.fill(far)
      next[0] = Math.min(line, far)
      let best = next[0]
      const char = to.charCodeAt(line - 1)
      const charBefore = line > 1 ? to.charCodeAt(line - 2) : -1
      for (let column = first; column <= last; column++) {
        const own = from.charCodeAt(column - 1)
        let slips = (row[column - 1] ?? far) + (own === char ? 0 : 1)
        slips = Math.min(slips, (row[column] ?? far) + 1, (next[column - 1] ?? far) + 1)
        if (column > 1 && own === charBefore && from.charCodeAt(column - 2) === char) {
          slips = Math.min(slips, (before[column - 2] ?? far) + 1)
        }
        next[column] = Math.min(slips, far)
        best = Math.min(best, slips)
      }
      if (best > limit) return far
      ;[before, row, next] = [row, next, before]
    }
    return row[from.length] ?? far
  }
}

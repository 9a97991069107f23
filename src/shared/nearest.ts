/** "Did you mean": the known names that a mistyped one is close to. */

/** Longer names are compared by their beginning: a typo is rarely only at the end of such a name. */
const nameCharsMax = 200
/** A shorter name is contained in too many others to mean anything. */
const insideCharsMin = 3

/**
 * At most `max` known names, the likeliest first: equal except for case, those that begin with it, those within a few typos
 * (a letter wrong, missing, too many, or two swapped), those that contain it.
 */
export function nearest(name: string, known: Iterable<string>, max = 3): string[] {
  const wanted = comparable(name)
  if (wanted === '' || max <= 0) return []
  const slipsMax = wanted.length <= 2 ? 0 : wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3
  const distanceTo = (other: string) => slipsBetween(wanted, other, slipsMax)
  const found: { readonly candidate: string; readonly rank: number }[] = []
  for (const candidate of known) {
    const other = comparable(candidate)
    const slips = distanceTo(other)
    // A common beginning counts more than one wrong letter, and less than the same letters.
    if (slips === 0) found.push({ candidate, rank: 0 })
    else if (other.startsWith(wanted)) found.push({ candidate, rank: 1 })
    // The first letter is hardly ever mistyped.
    else if (slips <= slipsMax)
      found.push({ candidate, rank: 1 + slips + (other[0] === wanted[0] ? 0 : 0.5) })
    else if (wanted.length >= insideCharsMin && other.includes(wanted)) found.push({ candidate, rank: 10 })
  }
  const inOrder = found.sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1))
  return [...new Set(inOrder.map(({ candidate }) => candidate))].slice(0, max)
}

function comparable(name: string): string {
  return name.slice(0, nameCharsMax).toLowerCase()
}

/** Skips the common beginning and end: names of one fleet differ in a few letters. */
function slipsBetween(from: string, to: string, limit: number): number {
  if (Math.abs(to.length - from.length) > limit) return limit + 1
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from.charCodeAt(start) === to.charCodeAt(start)) start++
  let [fromEnd, toEnd] = [from.length, to.length]
  while (fromEnd > start && toEnd > start && from.charCodeAt(fromEnd - 1) === to.charCodeAt(toEnd - 1)) {
    fromEnd--
    toEnd--
  }
  return countSlips(from.slice(start, fromEnd), to.slice(start, toEnd), limit)
}

/**
 * Damerau-Levenshtein (optimal string alignment); anything above `limit` is `limit + 1`. Only cells within `limit` of the
 * diagonal are computed, so that ten thousand names cost milliseconds.
 */
function countSlips(from: string, to: string, limit: number): number {
  const far = limit + 1
  // Each line has one extra cell before the first and after the last computed one.
  const width = 2 * limit + 3
  let before = new Array<number>(width).fill(far)
  let row = before.map((_, cell) => cellAtStart(cell - limit - 1, far))
  for (let line = 1; line <= to.length; line++) {
    const next = new Array<number>(width).fill(far)
    let best = far
    const char = to.charCodeAt(line - 1)
    const charBefore = line > 1 ? to.charCodeAt(line - 2) : -1
    for (let cell = 1; cell < width - 1; cell++) {
      const column = line + cell - limit - 1
      if (column < 0 || column > from.length) continue
      const own = from.charCodeAt(column - 1)
      let slips = column === 0 ? line : (row[cell] ?? far) + (own === char ? 0 : 1)
      slips = Math.min(slips, (row[cell + 1] ?? far) + 1, (next[cell - 1] ?? far) + 1)
      if (column > 1 && own === charBefore && from.charCodeAt(column - 2) === char) {
        slips = Math.min(slips, (before[cell] ?? far) + 1)
      }
      next[cell] = Math.min(slips, far)
      best = Math.min(best, slips)
    }
    if (best > limit) return far
    ;[before, row] = [row, next]
  }
  return row[from.length - to.length + limit + 1] ?? far
}

function cellAtStart(column: number, far: number): number {
  return column < 0 ? far : Math.min(column, far)
}

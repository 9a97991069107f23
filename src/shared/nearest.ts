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
  if (wanted === '') return []
  const slipsMax = wanted.length <= 2 ? 0 : wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3
  const ranks = new Map<string, number>()
  for (const candidate of known) {
    const other = comparable(candidate)
    const slips = slipsBetween(wanted, other, slipsMax)
    // A common beginning counts more than one wrong letter, and less than the same letters.
    if (slips === 0) ranks.set(candidate, 0)
    else if (other.startsWith(wanted)) ranks.set(candidate, 1)
    // The first letter is hardly ever mistyped.
    else if (slips <= slipsMax) ranks.set(candidate, 1 + slips + (other[0] === wanted[0] ? 0 : 0.5))
    else if (wanted.length >= insideCharsMin && other.includes(wanted)) ranks.set(candidate, 10)
  }
  const inOrder = [...ranks].sort(([a, rankA], [b, rankB]) => rankA - rankB || (a < b ? -1 : 1))
  return inOrder.slice(0, max).map(([candidate]) => candidate)
}

/** Variables of the environment that are nearly a setting's name: it would silently not be set. One sentence each. */
export function misspelt(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  return Object.keys(env).flatMap((name) => {
    const [prefix] = /^(?:MONBOT|MONITOR|SLACK)_/.exec(name) ?? []
    if (prefix === undefined || settings.includes(name)) return []
    const alike = settings.filter((one) => one.startsWith(prefix))
    const [meant] = nearest(
      name.slice(prefix.length),
      alike.map((one) => one.slice(prefix.length)),
      1,
    )
    const isSlip = meant !== undefined && Math.abs(prefix.length + meant.length - name.length) <= 2
    return isSlip ? [`${name} is no setting, and nothing reads it: did you mean ${prefix}${meant}?`] : []
  })
}

function comparable(name: string): string {
  return name.slice(0, nameCharsMax).toLowerCase()
}

/** Damerau-Levenshtein (optimal string alignment); anything above `limit` is `limit + 1`. */
function slipsBetween(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  // Names of one fleet differ in a few letters: their common beginning is skipped.
  let start = 0
  while (start < one.length && one.charCodeAt(start) === other.charCodeAt(start)) start += 1
  const [from, to] = [one.slice(start), other.slice(start)]
  let before: number[] = []
  let row = Array.from({ length: from.length + 1 }, (_, column) => column)
  for (let line = 1; line <= to.length; line += 1) {
    const next = [line]
    for (let column = 1; column <= from.length; column += 1) {
      const isSame = from[column - 1] === to[line - 1]
      const isSwapped = from[column - 1] === to[line - 2] && from[column - 2] === to[line - 1]
      const wrong = (row[column - 1] ?? 0) + (isSame ? 0 : 1)
      const swapped = isSwapped ? (before[column - 2] ?? limit) + 1 : wrong
      next.push(Math.min(wrong, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > limit) return limit + 1
    before = row
    row = next
  }
  return row[from.length] ?? 0
}

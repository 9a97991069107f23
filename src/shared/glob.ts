/** Globs: `*` any run, `?` one character. Compiled once and matched against many texts. */

/** Is it a glob rather than a name? */
export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/**
 * Does a whole text match the glob, its case ignored unless it is to `matchCase`? Globs come from people and texts from outside, and both can be made to hang a
 * backtracking engine: so the pieces between the stars are searched one by one, each from where the last one ended, and no
 * piece contains any repetition.
 */
export function globMatcher(glob: string, { matchCase = false } = {}): (text: string) => boolean {
  const flags = matchCase ? 'su' : 'isu'
  const [first = '', ...others] = glob.split(/\*+/)
  const last = others.pop()
  const begins = pieceOf(first, `y${flags}`)
  if (last === undefined) return (text) => endOf(begins, text, 0) === text.length
  const between = others.filter((piece) => piece !== '').map((piece) => pieceOf(piece, `g${flags}`))
  const ends = pieceOf(last, `y${flags}`)
  const endsWithin = [...last].length
  return (text) => {
    let at = endOf(begins, text, 0)
    for (const piece of between) {
      if (at === null) return false
      at = endOf(piece, text, at)
    }
    if (at === null) return false
    const from = startOfLast(text, endsWithin)
    return from >= at && endOf(ends, text, from) === text.length
  }
}

/** Does one of these globs match a whole text, case included? */
export function globsMatcher(globs: readonly string[]): (text: string) => boolean {
  const matchers = globs.map((glob) => globMatcher(glob, { matchCase: true }))
  return (text) => matchers.some((isMatch) => isMatch(text))
}

/** Where the piece ends in the text, at or (`g`) after this position; null if it does not occur. */
function endOf(piece: RegExp, text: string, from: number): number | null {
  piece.lastIndex = from
  return piece.test(text) ? piece.lastIndex : null
}

function pieceOf(piece: string, flags: string): RegExp {
  const source = [...piece].map((char) => (char === '?' ? '.' : literal(char))).join('')
  return new RegExp(source, flags)
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char
}

/** Where the last `count` characters of a text begin, counted as a person does; -1 if it has fewer. */
function startOfLast(text: string, count: number): number {
  let at = text.length
  for (let n = 0; n < count; n += 1) {
    if (at === 0) return -1
    at -= 1
    if (at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) at -= 1
  }
  return at
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

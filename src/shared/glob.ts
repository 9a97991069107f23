/** Globs of people: `*` any run, `?` one character, in any case. A match takes at most the product of both lengths, so none can hang. */

export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/** Matches whole texts. */
export function globMatcher(glob: string): (text: string) => boolean {
  const [first = '', ...others] = glob.toLowerCase().split('*')
  const last = others.pop()
  return (text) => {
    const whole = text.toLowerCase()
    if (last === undefined) return whole.length === first.length && isAt(whole, first, 0)
    const endsAt = whole.length - last.length
    let at = first.length
    if (at > endsAt || !isAt(whole, first, 0) || !isAt(whole, last, endsAt)) return false
    for (const part of others) {
      while (at + part.length <= endsAt && !isAt(whole, part, at)) at += 1
      at += part.length
      if (at > endsAt) return false
    }
    return true
  }
}

/** Stands the part there? A `?` in it is any character. */
function isAt(whole: string, part: string, at: number): boolean {
  if (!part.includes('?')) return whole.startsWith(part, at)
  if (at + part.length > whole.length) return false
  for (let n = 0; n < part.length; n += 1) if (part[n] !== '?' && part[n] !== whole[at + n]) return false
  return true
}

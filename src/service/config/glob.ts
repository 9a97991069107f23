/** Globs on names: `*` matches any run, `?` one character; case-sensitive. */

/** Whether one of the globs matches a whole text, in at most as many steps as the product of their lengths. */
export function globsMatcher(globs: readonly string[]): (text: string) => boolean {
  return (text) => globs.some((glob) => isMatch(glob, text))
}

function isMatch(glob: string, text: string): boolean {
  let at = 0
  let inGlob = 0
  /** The last star and the end of its run: if the rest does not match, the run is extended by one character. */
  let star = -1
  let runEnd = 0
  while (at < text.length) {
    if (glob[inGlob] === '*') {
      star = inGlob
      runEnd = at
      inGlob += 1
    } else if (inGlob < glob.length && (glob[inGlob] === '?' || glob[inGlob] === text[at])) {
      inGlob += 1
      at += 1
    } else if (star !== -1) {
      runEnd += 1
      at = runEnd
      inGlob = star + 1
    } else return false
  }
  while (glob[inGlob] === '*') inGlob += 1
  return inGlob === glob.length
}

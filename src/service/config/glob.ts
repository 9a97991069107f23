/** Globs on names: `*` any run, `?` one character; case counts. */

/** Whether one of the globs matches a whole text. Never more steps than their lengths multiplied, whatever they are. */
export function globsMatcher(globs: readonly string[]): (text: string) => boolean {
  return (text) => globs.some((glob) => isMatch(glob, text))
}

function isMatch(glob: string, text: string): boolean {
  let at = 0
  let inGlob = 0
  /** The last star, and how far its run reaches: where the rest does not fit, the run takes one character more. */
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

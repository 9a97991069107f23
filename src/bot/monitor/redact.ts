/** Makes text from the API safe to show: without the key, the API's address and control characters, and short. */

/** Longest quote from an answer, in characters (code points). */
const quotedCharactersMax = 300

export type Redact = (text: string) => string

/**
 * Blanks each of `secrets` (as written and percent-encoded, in any case) as `[hidden]`. Blanking comes after the control
 * and invisible characters are removed, so that none can split the key, and before the cut, so that no half of it remains.
 */
export function redactorOf(secrets: readonly string[]): Redact {
  const forms = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .filter((form) => form !== '')
    .map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  const hidden = new RegExp(forms.join('|'), 'gi')
  return (text) => {
    const plain = text
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .replace(/[\p{Cc}\p{Cf}]/gu, '')
    const shown = (forms.length === 0 ? plain : plain.replace(hidden, '[hidden]')).replace(/ +/g, ' ').trim()
    const characters = Array.from(shown)
    if (characters.length <= quotedCharactersMax) return shown
    return `${characters.slice(0, quotedCharactersMax - 1).join('')}…`
  }
}

/** Would a link show the secret anywhere, percent-encoded (even twice) or not? */
export function holdsSecret(url: string, secret: string): boolean {
  const readings = new Set([url, URL.parse(url)?.href ?? url])
  return [...readings]
    .flatMap((reading) => [reading, unescaped(reading), unescaped(unescaped(reading))])
    .some((reading) => reading.includes(secret))
}

/** Only ASCII escapes: the key is ASCII, and broken UTF-8 must not throw. */
function unescaped(part: string): string {
  return part.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent)
}

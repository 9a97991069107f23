/** Words as people type them. */

/** Phones make smart quotes and long dashes, Slack makes links and escapes, fingers make stars for bold. */
export function plainWords(typed: string): string {
  return typed
    .replaceAll(/<(?:https?|mailto):[^<>|]*\|([^<>|]*)>/g, '$1')
    .replaceAll(/<(https?:[^<>|]*)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[‒–—−]/g, '-')
    .replaceAll(/(^|\s)\*([^\s*][^*]*)\*(?=\s|,|$)/g, '$1$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

export type Word = { readonly text: string; readonly isQuoted: boolean }

/** Words between spaces; quotes join several into one, and say that it is a name. */
export function wordsOf(plain: string): Word[] {
  const found = plain.matchAll(/"([^"]*)"|(\S+)/g)
  return [...found].map(([, quoted, bare]) =>
    quoted === undefined ? { text: bare ?? '', isQuoted: false } : { text: quoted, isQuoted: true },
  )
}

/** Typed back, so that it is read as it was. */
export function typed(name: string): string {
  return /[\s",=]/.test(name) || name === '' ? `"${name.replaceAll('"', '')}"` : name
}

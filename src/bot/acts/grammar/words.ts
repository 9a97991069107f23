/** Words as people type them, and the refusal of those that mean nothing: with the whole command as a button. */
import type { Offer, Reply } from '../act.ts'

const offersMax = 5
const labelCharsMax = 75

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

export type Refused = { readonly kind: 'no'; readonly reply: Reply }

/** `offers`: commands, which are their own labels where none is given. */
export function refuse(text: string, offers: readonly (string | Offer)[] = []): Refused {
  const all = offers.map((one) => (typeof one === 'string' ? { label: one, command: one } : one))
  const each = new Map(all.map(({ label, command }) => [command, label.slice(0, labelCharsMax)]))
  const few = [...each].slice(0, offersMax).map(([command, label]) => ({ label, command }))
  return { kind: 'no', reply: { kind: 'refuse', text, offers: few } }
}

// Text on its way to a terminal: pieces with a style, safe to print, and how many columns they take.

import { stripVTControlCharacters, styleText } from 'node:util'

export type Style =
  | 'bold'
  | 'italic'
  | 'strikethrough'
  | 'underline'
  | 'dim'
  | 'inverse'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'cyan'

/** `whole` keeps a piece on one line when it fits on one. */
export type Span = { readonly text: string; readonly styles: readonly Style[]; readonly whole: boolean }

/** One line before wrapping. `first` stands before it, `next` before every line that it wraps into. */
export type Line = { readonly spans: readonly Span[]; readonly first: string; readonly next: string }

// Control characters, separators that end a line, and format characters: those turn the direction of writing or have
// no width at all. The line feed stays, and the joiner U+200D, with which emoji are made.
const unsafe = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200d]]/gv

/**
 * Text that cannot steer a terminal: escape sequences and control characters are gone, tabs are spaces, line feeds
 * stay. What is left of a sequence after its control characters are gone is plain text.
 */
export function harmless(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '    ')
    .replace(unsafe, '')
}

/** A piece of text; whatever it was, it is harmless now. */
export function span(text: string, styles: readonly Style[] = [], whole = false): Span {
  return { text: harmless(text), styles, whole }
}

/** One line of these pieces; a line feed inside a piece is a space, so that no text can begin a line of its own. */
export function line(spans: readonly Span[], first = '', next = first): Line {
  return { spans: spans.map((one) => ({ ...one, text: one.text.replaceAll('\n', ' ') })), first, next }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

const wide =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u
const still = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** Columns that a terminal gives to a text; an emoji, however many code points it is made of, takes 2. */
export function columnsOf(text: string): number {
  // Most words are plain ASCII and need no segmenting.
  if (/^[ -~]*$/.test(text)) return text.length
  return graphemesOf(text).reduce((sum, one) => sum + (wide.test(one) ? 2 : still.test(one) ? 0 : 1), 0)
}

/** The text with its styles, if colour is wanted; whether the output is a terminal is the caller's to know. */
export function paint({ text, styles }: Span, color: boolean): string {
  return color && styles.length > 0 && text !== ''
    ? styleText([...styles], text, { validateStream: false })
    : text
}

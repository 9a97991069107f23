// Lines of a given number of columns, broken between words.

import { columnsOf, graphemesOf, type Line, paint, type Span } from './terminal-span.ts'

type Piece = { readonly span: Span; readonly columns: number }
type Word = { readonly pieces: readonly Piece[]; readonly columns: number; readonly blank: boolean }

const piece = (span: Span, text: string): Piece => ({ span: { ...span, text }, columns: columnsOf(text) })

function wordsOf(spans: readonly Span[]): Word[] {
  const words: { pieces: Piece[]; blank: boolean }[] = []
  for (const span of spans) {
    const parts = span.whole ? [span.text] : span.text.split(/( +)/)
    for (const part of parts.filter((text) => text !== '')) {
      const blank = part.trim() === ''
      const last = words.at(-1)
      // Pieces of different styles without a space between them are one word.
      if (last !== undefined && !blank && !last.blank) last.pieces.push(piece(span, part))
      else words.push({ pieces: [piece(span, part)], blank })
    }
  }
  return words.map(({ pieces, blank }) => ({
    pieces,
    blank,
    columns: pieces.reduce((sum, { columns }) => sum + columns, 0),
  }))
}

/** A word that fits on no line, cut between graphemes. */
function cut(word: Word, room: number): Word[] {
  if (word.columns <= room) return [word]
  const cuts: Word[] = []
  let pieces: Piece[] = []
  let columns = 0
  const close = (): void => {
    if (pieces.length > 0) cuts.push({ pieces, columns, blank: word.blank })
    pieces = []
    columns = 0
  }
  for (const { span } of word.pieces) {
    for (const grapheme of graphemesOf(span.text)) {
      const one = piece(span, grapheme)
      if (columns + one.columns > room) close()
      const last = pieces.at(-1)
      if (last?.span.styles === span.styles) {
        const text = last.span.text + grapheme
        pieces[pieces.length - 1] = { span: { ...span, text }, columns: last.columns + one.columns }
      } else {
        pieces.push(one)
      }
      columns += one.columns
    }
  }
  close()
  return cuts
}

function rows(line: Line, width: number): Piece[][] {
  const room = Math.max(1, width - Math.max(columnsOf(line.first), columnsOf(line.next)))
  const rows: Piece[][] = [[]]
  let used = 0
  let gap: Word | undefined
  for (const word of wordsOf(line.spans).flatMap((entry) => (entry.blank ? [entry] : cut(entry, room)))) {
    if (word.blank) {
      gap = word
      continue
    }
    if (used + (gap?.columns ?? 0) + word.columns > room) {
      if (used > 0) rows.push([])
      used = 0
      gap = undefined
    }
    const added = [...(gap?.pieces ?? []), ...word.pieces]
    rows.at(-1)?.push(...added)
    used += (gap?.columns ?? 0) + word.columns
    gap = undefined
  }
  return rows
}

/** Neighbours of one style are painted in one go. */
function painted(pieces: readonly Piece[], color: boolean): string {
  const joined: Span[] = []
  for (const { span } of pieces) {
    const last = joined.at(-1)
    if (last?.styles === span.styles) joined[joined.length - 1] = { ...last, text: last.text + span.text }
    else joined.push(span)
  }
  return joined.map((span) => paint(span, color)).join('')
}

/** The lines as they are printed, none wider than `width` columns unless a single character is. */
export function wrap(lines: readonly Line[], { width, color }: { width: number; color: boolean }): string[] {
  return lines.flatMap((line) =>
    rows(line, width).map((pieces, index) => {
      const before = index === 0 ? line.first : line.next
      return `${before}${painted(pieces, color)}`.trimEnd()
    }),
  )
}

/**
 * Reads the text of a command word by word from the front. Undoes what phones and Slack change: curly quotes, long dashes, links
 * made of hostnames, escapes. Free text is passed on exactly as typed.
 */
import { isDayNext, leadingClock, leadingDuration, trailingDuration } from './time-text.ts'

/** No DNS name is longer than this, and no other name may be either. */
export const nameCharsMax = 253
const pageMax = 99_999

/** What the value of a label is to match. */
export type LabelGlob = { readonly name: string; readonly value: string }

/** Keywords ignore case; a word in quotes is always a name, never a keyword. */
export type Words = {
  isAtEnd(): boolean
  /** How many words are left. */
  count(): number
  /** Takes these words if they come next. */
  phrase(words: string): boolean
  /** Takes the next word if it is one of these, and returns which. */
  keyword<Name extends string>(...names: readonly Name[]): Name | null
  /** Takes a name; null at the end, and for one that is empty or too long, which is not taken. */
  name(): string | null
  /** Takes names joined by commas, each once; empty if there are none. */
  names(): readonly string[]
  /** Takes labels such as `namespace=pay-*` and `team="red team"`, with spaces or commas between them; empty if none comes next. */
  labels(): readonly LabelGlob[]
  /** Takes all remaining words as one name: names of roles, groups and triggers may contain spaces. Null at the end. */
  restAsName(): string | null
  /** Takes a duration, which may have several words, and returns milliseconds. */
  duration(): number | null
  /** Takes a duration from the end, of any length, and returns milliseconds; null if the text does not end with one. */
  lastDuration(): number | null
  /** Takes a clock time such as `15:00` or `3:00 pm`; returns 24-hour time. */
  clock(): { readonly hour: number; readonly minute: number } | null
  /** Is the next thing a day, a part of the day or a time zone? */
  isDayNext(): boolean
  /** Is the next thing a number of any kind, with or without a sign? */
  isNumberNext(): boolean
  /** Takes `page N` from the end: 1 if it is missing, null if it is no valid page. */
  page(): number | null
  /** Takes this word from the end if it stands there. */
  isLast(word: string): boolean
  /** The rest as it was typed; it is not taken. */
  left(): string
  /** Takes the rest as it was typed. */
  text(): string
}

const quoted = `"([^"]*)"(?=[\\s,]|$)|'([^']*)'(?=[\\s,]|$)|\`([^\`]*)\`(?=[\\s,]|$)`
const anyWord = new RegExp(`(?:${quoted}|(\\S+))`, 'y')
const listItem = new RegExp(`(?:${quoted}|([^\\s,]+))`, 'y')
const comma = /\s*,\s*/y
const labelName = /([A-Za-z_][\w.:/-]{0,99})=(?=[^\s~])/y
/** A comma is part of it, unless another label follows. */
const labelValue = new RegExp(`(?:${quoted}|((?:(?!,\\s*[A-Za-z_][\\w.:/-]{0,99}=)\\S)+))`, 'y')
const commaBeforeLabel = /\s*,\s*(?=[A-Za-z_][\w.:/-]{0,99}=)/y
const lastPage = /(?:^|\s)page\s+(\d{1,6})\s*$/i

export function openWords(text: string): Words {
  const cursor = openCursor(text)
  const { left, word, move } = cursor

  const keyword = <Name extends string>(...names: readonly Name[]): Name | null => {
    const next = word(anyWord)
    if (next === null || next.isQuoted) return null
    const found = names.find((name) => name === next.value.toLowerCase()) ?? null
    if (found !== null) move(next.end)
    return found
  }
  const name = () => {
    const next = word(anyWord)
    if (next === null || !isName(next.value)) return null
    move(next.end)
    return next.value
  }
  return {
    isAtEnd: () => left() === '',
    count: () => {
      const start = cursor.at()
      let count = 0
      for (let next = word(anyWord); next !== null; next = word(anyWord)) {
        count += 1
        move(next.end)
      }
      move(start)
      return count
    },
    phrase: (words) => {
      const start = cursor.at()
      const isThere = words.split(' ').every((name) => keyword(name) !== null)
      if (!isThere) move(start)
      return isThere
    },
    keyword,
    name,
    names: () => {
      const names = new Set<string>()
      for (let next = word(listItem); next !== null; next = word(listItem)) {
        if (!isName(next.value)) return []
        names.add(next.value)
        move(next.end)
        if (!cursor.skip(comma)) break
      }
      return [...names]
    },
    labels: () => labelsNext(cursor),
    restAsName: () => {
      const found: string[] = []
      for (let next = name(); next !== null; next = name()) found.push(next)
      return found.length === 0 ? null : found.join(' ')
    },
    duration: () => {
      const found = leadingDuration(left())
      if (found !== null) move(cursor.at() + found.end)
      return found?.ms ?? null
    },
    lastDuration: () => {
      const found = trailingDuration(left())
      if (found !== null) cursor.endAt(found.start)
      return found?.ms ?? null
    },
    clock: () => {
      const found = leadingClock(left())
      if (found === null) return null
      move(cursor.at() + found.end)
      return { hour: found.hour, minute: found.minute }
    },
    isDayNext: () => isDayNext(left()),
    isNumberNext: () => /^[-+–−]?\.?[\p{Nd}\p{No}]/u.test(left()),
    page: () => {
      const found = lastPage.exec(left())
      if (found === null) return 1
      const page = Number(found[1])
      cursor.endAt(found.index)
      return page >= 1 && page <= pageMax ? page : null
    },
    isLast: (word) => {
      const found = /(?:^|\s)(\S+)\s*$/.exec(left())
      if (found?.[1]?.toLowerCase() !== word) return false
      cursor.endAt(found.index)
      return true
    },
    left: cursor.asTyped,
    text: () => {
      const text = cursor.asTyped()
      cursor.endAt(0)
      return text
    },
  }
}

function labelsNext(cursor: ReturnType<typeof openCursor>): readonly LabelGlob[] {
  const found: LabelGlob[] = []
  for (;;) {
    const start = cursor.at()
    const name = cursor.take(labelName)
    const value = name === null ? null : cursor.word(labelValue)
    if (name === null || value === null || !isName(value.value)) {
      cursor.move(start)
      return found
    }
    cursor.move(value.end)
    found.push({ name, value: value.value })
    cursor.skip(commaBeforeLabel)
  }
}

/** A place in the text, always at a word or at the end, and where the text ends. */
function openCursor(text: string) {
  const typed = withoutMarkup(text).trimEnd()
  // As long as what was typed, so that positions in one are valid in the other.
  const plain = typed.replace(/[“”„«»]/g, '"').replace(/[‘’‚‹›]/g, "'")
  let end = plain.length
  let at = 0
  const move = (to: number) => {
    at = to
    while (at < end && /\s/.test(plain.charAt(at))) at += 1
  }
  const match = (shape: RegExp) => {
    shape.lastIndex = at
    return shape.exec(plain.slice(0, end))
  }
  const left = () => plain.slice(at, end)
  move(0)
  return {
    at: () => at,
    move,
    /** Ends the text so far behind the cursor. */
    endAt: (behind: number) => {
      end = at + behind
    },
    left,
    /** What is left, as it was typed, without quotes around the whole. */
    asTyped: () => {
      const [from, to] = isWhollyQuoted(left()) ? [at + 1, end - 1] : [at, end]
      return unescaped(typed.slice(from, to)).trim()
    },
    /** The next word of this shape, and where it ends; it is not taken. */
    word: (shape: RegExp) => {
      const found = match(shape)
      if (found === null) return null
      const [, double, single, back, bare] = found
      const inside = double ?? single ?? back
      const value = unescaped(typable(inside ?? bare ?? ''))
      return {
        value: double === undefined ? value : decoded(value),
        isQuoted: inside !== undefined,
        end: shape.lastIndex,
      }
    },
    /** Steps over this if it comes next, and returns its first group. */
    take: (shape: RegExp): string | null => {
      const found = match(shape)
      if (found === null) return null
      move(shape.lastIndex)
      return found[1] ?? null
    },
    /** Steps over this if it comes next. */
    skip: (shape: RegExp) => {
      if (match(shape) === null) return false
      move(shape.lastIndex)
      return true
    },
  }
}

const codeOf = /\\u\{([0-9a-f]{1,6})\}/g

/**
 * A name in quotes, so that `Words` reads it back whatever it contains. Characters that Slack escapes, phones replace or
 * nobody can see are written as `\u{…}`, so escaping on the way does no harm.
 */
export function quotedName(name: string): string {
  const written = name.replace(
    /[\\&<>"“”„«»‘’‚‹›—–−‑\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
  return `"${written}"`
}

/** As somebody would type it: in quotes only if necessary. */
export function typedName(name: string): string {
  const isPlain = /^[\w.:*?-]+$/.test(name) && !/^(?:host|account)$/i.test(name)
  return isPlain ? name : quotedName(name)
}

function decoded(text: string): string {
  return text.replace(codeOf, (all, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : all
  })
}

function isName(value: string): boolean {
  return value.trim() !== '' && value.length <= nameCharsMax
}

function isWhollyQuoted(text: string): boolean {
  const quote = text.charAt(0)
  return text.length > 2 && /["']/.test(quote) && text.indexOf(quote, 1) === text.length - 1
}

/** Reverts Slack's own notation: a link becomes its label, a mention a name. */
function withoutMarkup(text: string): string {
  return text
    .replace(/<(?:https?:|mailto:|tel:)[^<>|]*\|([^<>|]*)>/g, '$1')
    .replace(/<((?:https?:|mailto:|tel:)[^<>|]*)>/g, '$1')
    .replace(/<([@#])[A-Z0-9]+\|([^<>|]+)>/g, '$1$2')
}

/** A name as a keyboard writes it: phones turn `--` into a long dash, and copied text contains invisible characters. */
function typable(text: string): string {
  return text
    .replace(/—/g, '--')
    .replace(/[–−‑]/g, '-')
    .replace(/\p{Cf}/gu, '')
}

/** Slack escapes three characters of what people type, once. */
function unescaped(text: string): string {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
}

const cameCharsMax = 200

/** What was typed does not fit: wrong syntax, too long or too short, or no command at all. */
export type Misread =
  | { readonly why: 'unknown_command'; readonly command: string; readonly similar: readonly string[] }
  /** `topic`: the command whose help explains the syntax. */
  | { readonly why: 'too_long'; readonly maxMs: number; readonly topic?: string }
  | { readonly why: 'too_short'; readonly minMs: number; readonly topic?: string }
  /** A number where a duration belongs. `left`: what was left of the text, which begins with it; `meant`: the command with minutes. */
  | {
      readonly why: 'no_unit'
      readonly number: string
      readonly left: string
      readonly meant: string | null
      readonly topic?: string
    }
  | { readonly why: 'invalid'; readonly expected: string; readonly came: string; readonly topic?: string }

/** `came` may be anything that somebody typed; it is shortened. */
export function invalid(expected: string, came: string): Misread {
  const isLong = came.length > cameCharsMax
  return { why: 'invalid', expected, came: isLong ? `${came.slice(0, cameCharsMax).toWellFormed()}…` : came }
}

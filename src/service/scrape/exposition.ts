/**
 * Parses an exporter's answer: Prometheus' text format 0.0.4 and OpenMetrics 1.0, piece by piece, and keeps only the
 * requested families. Time is linear in the text, and memory is bounded by the limits below, whatever the input.
 */

/** A requested series. Names and labels come from outside: maps, never plain objects. */
export type ExposedSample = {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  /** Null for NaN, +Inf and -Inf: the series exists, but its value is unknown. */
  readonly value: number | null
  readonly isCounter: boolean
  /** When a counter began, if reported, on the clock of the reading times. */
  readonly startMs?: number
}

export type Exposition = {
  readonly samples: readonly ExposedSample[]
  /** Families with an unreadable line or too many series: all of their values are unknown. */
  readonly unreadable: ReadonlySet<string>
}

/** The budget that a family counts against, so that a flood of custom series leaves room for others; null: not kept. */
export type Wanted = 'known' | 'custom' | null

export type ExpositionParser = {
  /** Takes the next piece of the text; lines may be split anywhere. */
  push(text: string): void
  /** Throws an `UnreadableExposition` if it is not an exposition, or only a part of one. */
  end(): Exposition
}

/** The whole answer is unreliable; the message is for people and never quotes the answer. */
export class UnreadableExposition extends Error {
  override readonly name = 'UnreadableExposition'
}

export const expositionLimits = {
  lineCharsMax: 64 * 1_024,
  seriesMax: { known: 8_000, custom: 4_000 },
}

const nameAtStart = /^[ \t]*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|(?=\{))/
const comment = /^[ \t]*#(?:[ \t]+(TYPE|HELP|UNIT)[ \t]+([^ \t]+)(?:[ \t]+([a-z]+))?|[ \t]*(EOF)[ \t\r]*$)?/

/** `format` is the declared one: OpenMetrics has an end marker, so that half an answer is noticed. */
export function openExpositionParser(
  format: 'text' | 'openmetrics',
  wanted: (name: string) => Wanted,
): ExpositionParser {
  const samples: ExposedSample[] = []
  const unreadable = new Set<string>()
  const left = { ...expositionLimits.seriesMax }
  let family = { name: '', type: '' }
  let lineNumber = 0
  let lines = 0
  let isEnded = false
  /** The start of an incomplete line. */
  let rest = ''
  /** Set while the rest of an overlong line is skipped. */
  let isSkipping = false

  function takeComment(line: string): void {
    const [, keyword, name = '', type = '', eof] = comment.exec(line) ?? []
    if (eof !== undefined && format === 'openmetrics') isEnded = true
    if (keyword === 'TYPE') family = { name, type }
  }

  /** The type of a name's family from its TYPE line; `x_total`, `x_sum` and so on belong to the family `x`. */
  function kindOf(name: string): 'gauge' | 'counter' | 'part' {
    const suffix = name.startsWith(family.name) ? name.slice(family.name.length) : null
    const isDistribution = family.type === 'histogram' || family.type === 'summary'
    if (suffix === '_created' && (isDistribution || family.type === 'counter')) return 'part'
    if (suffix === '_bucket' && (isDistribution || family.type === 'gaugehistogram')) return 'part'
    if (suffix === '' && family.type === 'summary') return 'part'
    if ((suffix === '_sum' || suffix === '_count') && isDistribution) return 'counter'
    if (suffix === '' && family.type !== '') {
      return family.type === 'counter' || (isUntyped(family.type) && name.endsWith('_total'))
        ? 'counter'
        : 'gauge'
    }
    return name.endsWith('_total') ? 'counter' : 'gauge'
  }

  function takeLine(line: string, isWhole: boolean): void {
    lineNumber += 1
    const first = line.charCodeAt(firstChar(line))
    if (Number.isNaN(first)) return
    if (isEnded) throw new UnreadableExposition(`line ${lineNumber} comes after # EOF`)
    if (first === hash) {
      takeComment(line)
      return
    }
    const start = nameAtStart.exec(line)
    if (start === null) throw new UnreadableExposition(`line ${lineNumber} is no line of an exposition`)
    lines += 1
    const plainName = start[1]
    if (plainName !== undefined && (wanted(plainName) === null || unreadable.has(plainName))) return
    const sample = isWhole ? parseSample(line, start[0].length, plainName) : null
    const name = sample?.name ?? plainName
    if (name === undefined) throw new UnreadableExposition(`line ${lineNumber} is no line of an exposition`)
    const budget = wanted(name)
    if (budget === null || unreadable.has(name)) return
    const kind = kindOf(name)
    if (kind === 'part') return
    if (sample === null || left[budget] === 0) {
      unreadable.add(name)
      return
    }
    left[budget] -= 1
    samples.push({ ...sample, isCounter: kind === 'counter' })
  }

  return {
    push(text) {
      let from = 0
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        const line = rest + text.slice(from, to)
        if (!isSkipping) takeLine(line, line.length <= expositionLimits.lineCharsMax)
        isSkipping = false
        rest = ''
        from = to + 1
      }
      if (isSkipping) return
      rest += text.slice(from)
      if (rest.length <= expositionLimits.lineCharsMax) return
      takeLine(rest, false)
      isSkipping = true
      rest = ''
    },
    end() {
      // Without the end of the line, 12 may be the start of 123.
      if (isSkipping || (firstChar(rest) < rest.length && !isEofLine(rest, format))) {
        throw new UnreadableExposition('the answer ends in the middle of a line')
      }
      if (rest !== '') takeLine(rest, true)
      if (format === 'openmetrics' && !isEnded) throw new UnreadableExposition('the answer ends before # EOF')
      if (lines === 0) throw new UnreadableExposition('the answer holds no series')
      return { samples: samples.filter(({ name }) => !unreadable.has(name)), unreadable }
    },
  }
}

const hash = 0x23

function isUntyped(type: string): boolean {
  return type === 'untyped' || type === 'unknown'
}

/** In OpenMetrics the last line may lack a line break. */
function isEofLine(line: string, format: 'text' | 'openmetrics'): boolean {
  return format === 'openmetrics' && comment.exec(line)?.[4] !== undefined
}

/** Position of the first non-blank character; the length if there is none. */
function firstChar(line: string): number {
  let at = 0
  while (at < line.length && isBlank(line.charCodeAt(at))) at += 1
  return at
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d
}

type SampleLine = {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  /** Null for NaN, +Inf and -Inf. */
  readonly value: number | null
}

const labelsMax = 128
const labelName = /([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*/y
const quotedText = /"((?:[^"\\]|\\.)*)"/y
const between = /[ \t]*/y
const valueAtEnd =
  /[ \t]*([^ \t\r#]+)(?:[ \t]+[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)?(?:[ \t]+#[^\n]*)?[ \t\r]*$/y
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const noValue = /^[+-]?(?:inf|infinity|nan)$/i
const escapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\"', '"'],
  ['\\\\', '\\'],
])

/**
 * Parses a line, `name{label="value",…} value timestamp # exemplar`, after the name, which ends at `from`; without one, the name is in quotes first inside the braces, as
 * Prometheus 3 writes names with other characters. Null for an invalid line.
 */
function parseSample(line: string, from: number, plainName: string | undefined): SampleLine | null {
  const scanner = { line, at: from }
  skip(scanner, between)
  let name = plainName
  const labels = new Map<string, string>()
  if (line[scanner.at] === '{') {
    scanner.at += 1
    skip(scanner, between)
    if (name === undefined) {
      name = quoted(scanner) ?? undefined
      if (!closesOrGoesOn(scanner)) return null
    }
    while (line[scanner.at] !== '}') {
      const label = match(scanner, labelName)?.[1]
      const text = label === undefined ? null : quoted(scanner)
      if (label === undefined || text === null || labels.has(label) || labels.size === labelsMax) return null
      labels.set(label, text)
      if (!closesOrGoesOn(scanner)) return null
    }
    scanner.at += 1
  } else if (scanner.at === from) return null
  const text = match(scanner, valueAtEnd)?.[1]
  if (name === undefined || text === undefined) return null
  if (noValue.test(text)) return { name, labels, value: null }
  if (!decimal.test(text)) return null
  const value = Number(text)
  return { name, labels, value: Number.isFinite(value) ? value : null }
}

type Scanner = { readonly line: string; at: number }

function match(scanner: Scanner, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scanner.at
  const found = pattern.exec(scanner.line)
  if (found !== null) scanner.at = pattern.lastIndex
  return found
}

function skip(scanner: Scanner, pattern: RegExp): void {
  match(scanner, pattern)
}

/** A quoted text, unescaped; null if there is none. */
function quoted(scanner: Scanner): string | null {
  const text = match(scanner, quotedText)?.[1]
  if (text === undefined) return null
  return text.includes('\\') ? text.replace(/\\./gs, (pair) => escapes.get(pair) ?? pair) : text
}

/** After a label: the end, or a comma that may be followed by the next label or the end. */
function closesOrGoesOn(scanner: Scanner): boolean {
  skip(scanner, between)
  if (scanner.line[scanner.at] === '}') return true
  if (scanner.line[scanner.at] !== ',') return false
  scanner.at += 1
  skip(scanner, between)
  return true
}

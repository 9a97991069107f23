/** One line of an exposition: `name{label="value",…} value timestamp # exemplar`. */

export type SampleLine = {
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
 * Parses the rest after the name, which ends at `from`; without one, the name is in quotes first inside the braces, as
 * Prometheus 3 writes names with other characters. Null for an invalid line.
 */
export function parseSample(line: string, from: number, plainName: string | undefined): SampleLine | null {
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

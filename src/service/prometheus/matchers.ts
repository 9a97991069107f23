/**
 * Matchers in an Alertmanager's own notation: `namespace="pay"`, `pod=~"web-.*"`. They are read, written, and applied to labels
 * as an Alertmanager does it (its packages pkg/labels and matcher/parse, and types.Matcher). Pure.
 */
import { RE2JS } from 're2js'
import { quoted, Refusal } from '../refusal.ts'
import type { Labels, Matcher } from './naming.ts'

/** Of the whole text; labels of an alert are far below. */
export const matchersCharsMax = 16_000
const matchersMax = 100

/** What no name without quotes may contain, and no name at all in an Alertmanager before 0.27. */
const reserved = /[{}!=~,\\"'`\s]/
const operators = ['=~', '!~', '!=', '='] as const

/** One matcher as an Alertmanager writes it. */
export function matcherText({ name, value, isRegex, isEqual }: Matcher): string {
  const label = name === '' || reserved.test(name) ? quotedText(name) : name
  const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!='
  return label + operator + quotedText(value)
}

function quotedText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`
}

/**
 * Reads matchers, one a line or separated by commas, with or without braces around all of them. Names may be quoted, values need not
 * be. Throws a 422 `Refusal` that shows the first one that cannot be read, or with the reason why an Alertmanager would take none.
 */
export function parseMatchers(text: string): readonly Matcher[] {
  if (text.length > matchersCharsMax) {
    throw new Refusal(422, `matchers: expected at most ${matchersCharsMax} characters; came ${text.length}`)
  }
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1] ?? text
  const found = partsOf(inner).map(parseMatcher)
  if (found.length === 0) throw new Refusal(422, 'matchers: expected at least one; came none')
  if (found.length > matchersMax) {
    throw new Refusal(422, `matchers: expected at most ${matchersMax}; came ${found.length}`)
  }
  if (!found.some((one) => !testOf(one)(''))) {
    throw new Refusal(422, 'matchers: expected at least one that does not match an absent label; came none')
  }
  return found
}

/** Splits at line breaks and commas outside of quotes; one that does not end takes all that follows. */
function partsOf(text: string): readonly string[] {
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|[^",\n\r])+(?:".*)?|".*/gs) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function parseMatcher(text: string): Matcher {
  const wrong = (expected: string) => new Refusal(422, `matchers: expected ${expected}; came ${quoted(text)}`)
  const [, label = '', rest = ''] = /^("(?:\\.|[^"\\])*"|[^{}!=~,\\"'`\s]+)\s*(.*)$/s.exec(text) ?? []
  const operator = operators.find((one) => rest.startsWith(one))
  if (label === '' || operator === undefined) throw wrong('label="value", or with !=, =~ or !~')
  const name = unquoted(label)
  const written = rest.slice(operator.length).trim()
  const value = unquoted(written)
  if (name === null || name === '' || value === null) throw wrong('quotes that end')
  const matcher = { name, value, isRegex: operator.endsWith('~'), isEqual: !operator.startsWith('!') }
  if (matcher.isRegex) {
    try {
      testOf(matcher)
    } catch (error) {
      throw wrong(`a regular expression (${error instanceof Error ? error.message : String(error)})`)
    }
  }
  return matcher
}

/** Without quotes it is as it stands; null if a quote is open. Of escapes only `\\`, `\"` and `\n` mean anything. */
function unquoted(text: string): string | null {
  if (!text.includes('"')) return text
  const inner = /^"((?:\\.|[^"\\])*)"$/s.exec(text)?.[1]
  if (inner === undefined) return null
  return inner.replace(/\\([\\"n])/g, (_, char: string) => (char === 'n' ? '\n' : char))
}

/** Whether a value fits one matcher; an absent label is an empty one. Throws if its regular expression is none. */
function testOf({ value, isRegex, isEqual }: Matcher): (label: string) => boolean {
  if (!isRegex) return (label) => (label === value) === isEqual
  const pattern = RE2JS.compile(`^(?:${value})$`)
  return (label) => pattern.testExact(label) === isEqual
}

/** Whether labels fit all of these. Throws if a regular expression is none. */
export function matcherOfAll(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  // What is cheap first: most alerts have another name.
  const tests = matchers
    .toSorted((one, other) => Number(one.isRegex) - Number(other.isRegex))
    .map((one) => ({ name: one.name, test: testOf(one) }))
  return (labels) =>
    tests.every(({ name, test }) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''))
}

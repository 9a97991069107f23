/** Analyses a rule's expression: what to draw, its limit, what it reads; and restricts it to some servers. Pure. */
import type { SyntaxNode } from '@lezer/common'
import type { Matcher } from './naming.ts'
import {
  binaryOf,
  inner,
  nodesIn,
  numberOf,
  parse,
  partsOf,
  quotedText,
  type Source,
  selectorsIn,
  textAt,
  withoutInfoOf,
} from './syntax.ts'

/**
 * A rule's limit. `max`: the rule fires above the value, `low`: below it. `>` and `>=` are treated alike, so are `<` and `<=`.
 */
export type Limit = { readonly side: 'max' | 'low'; readonly value: number }

export type Reading = {
  /** The expression without its top-level comparison, or all of it if there is none. Its value is the alert's. */
  readonly drawn: string
  /** In the unit of `drawn`. */
  readonly limit: Limit | null
  /** Of the whole expression, without duplicates, in the order of the text. */
  readonly metricNames: readonly string[]
}

/** Null if it cannot be parsed. */
export function readExpression(text: string): Reading | null {
  const source = parse(text)
  if (source === null) return null
  const { node, limit } = readTop(source, source.top)
  const metricNames = [...new Set(selectorsIn(source).flatMap(({ metric }) => metric ?? []))]
  return { drawn: textAt(source, node), limit, metricNames }
}

type Top = { readonly node: SyntaxNode; readonly limit: Limit | null }

const sides: Readonly<Record<string, Limit['side'] | null>> = {
  Gtr: 'max',
  Gte: 'max',
  Lss: 'low',
  Lte: 'low',
  Eql: null,
  Neq: null,
}

const otherSide = { max: 'low', low: 'max' } as const

function readTop(source: Source, given: SyntaxNode): Top {
  const node = inner(given)
  const binary = binaryOf(node)
  if (binary === null) return { node, limit: null }
  const { left, operator, right } = binary
  // Both return the values of their left side, so only that side's comparison concerns the alert's value.
  if (operator === 'And' || operator === 'Unless') return readTop(source, left)
  if (operator === 'Or') return readEither(source, node, [readTop(source, left), readTop(source, right)])
  const valued = withoutInfoOf(source, node)
  if (valued !== null) return readTop(source, valued)
  const side = sides[operator]
  // With `bool` the value is 0 or 1, and says nothing of the limit.
  if (side === undefined || binary.isBool) return { node, limit: null }
  const isMirrored = isScalar(left) && !isScalar(right)
  const [compared, against] = isMirrored ? [right, left] : [left, right]
  const below = readBelow(source, inner(compared))
  const number = numberOf(source, against)
  // Rounded, because 14.4 * 0.01 is a little more than 0.144 in binary.
  const value = number === null ? null : Number(number.toPrecision(12))
  if (side === null || value === null || !Number.isFinite(value)) return below
  // In `a != b > 0` the zero only asks for there to be any; what is compared is the other series.
  const isAnyOfCompared = value === 0 && below.limit === null && isComparison(inner(compared))
  const limit = isAnyOfCompared
    ? null
    : tighter({ side: isMirrored ? otherSide[side] : side, value }, below.limit)
  return { node: below.node, limit }
}

/** In `x > 5 or x < -5` it is one value that is compared twice; else a limit counts if both sides have the same. */
function readEither(source: Source, node: SyntaxNode, [one, other]: readonly [Top, Top]): Top {
  const [text, otherText] = [one, other].map((top) => textAt(source, top.node).replace(/\s+/g, ' '))
  const isSameSide = one.limit !== null && one.limit.side === other.limit?.side
  if (text !== otherText) {
    return { node, limit: isSameSide && one.limit?.value === other.limit?.value ? one.limit : null }
  }
  return { node: one.node, limit: isSameSide ? looser(one.limit, other.limit) : null }
}

/** The compared side may itself be a comparison, as in `(a > 0) < 10`. */
function readBelow(source: Source, node: SyntaxNode): Top {
  return isComparison(node) ? readTop(source, node) : { node, limit: null }
}

function isComparison(node: SyntaxNode): boolean {
  const operator = binaryOf(node)?.operator
  return operator !== undefined && sides[operator] !== undefined
}

/** A value that must be between two is said to have met neither; unless one of them is 0, which only asks for there to be any. */
function tighter(outer: Limit, below: Limit | null): Limit | null {
  if (below === null) return outer
  if (below.side !== outer.side) return below.value === 0 ? outer : outer.value === 0 ? below : null
  const choose = outer.side === 'max' ? Math.max : Math.min
  return { side: outer.side, value: choose(outer.value, below.value) }
}

function looser(one: Limit | null, other: Limit | null): Limit | null {
  if (one === null || other === null) return null
  return one.value < other.value === (one.side === 'max') ? one : other
}

const scalarFunctions = ['Time', 'Scalar', 'Pi']

/** A comparison with a scalar returns the values of the other side. */
function isScalar(given: SyntaxNode): boolean {
  const node = inner(given)
  if (node.name === 'NumberDurationLiteral') return true
  if (node.name === 'FunctionCall') {
    return scalarFunctions.includes(node.getChild('FunctionIdentifier')?.firstChild?.name ?? '')
  }
  const binary = binaryOf(node)
  if (binary !== null) return isScalar(binary.left) && isScalar(binary.right)
  const operand = node.name === 'UnaryExpr' ? partsOf(node).at(-1) : undefined
  return operand !== undefined && isScalar(operand)
}

/** Adds these matchers to every selector, so that it reads only what they match. Unchanged if it cannot be parsed. */
export function filtered(text: string, matchers: readonly Matcher[]): string {
  const source = parse(text)
  if (source === null || matchers.length === 0) return text
  const added = matchersText(matchers)
  let made = ''
  let doneTo = 0
  for (const selector of nodesIn(source.top, ['VectorSelector'])) {
    const braces = selector.getChild('LabelMatchers')
    // In front, where no trailing comma or comment is in the way.
    const at = braces === null ? selector.to : braces.from + 1
    const insertion = braces === null ? `{${added}}` : partsOf(braces).length === 0 ? added : `${added},`
    made += text.slice(doneTo, at) + insertion
    doneTo = at
  }
  return made + text.slice(doneTo)
}

/** `instance="web-1",job=~"a|b"`, as written between braces. */
export function matchersText(matchers: readonly Matcher[]): string {
  return matchers
    .map(({ name, value, isRegex, isEqual }) => {
      const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!='
      const label = /^[a-z_]\w*$/i.test(name) ? name : quotedText(name)
      return `${label}${operator}${quotedText(value)}`
    })
    .join(',')
}

const conditionCharsMax = 300

/** A rule's condition for people, on one line: `node_load1 > 4 for 5 minutes`. */
export function readableCondition(text: string, forSeconds: number): string {
  const lasting = forSeconds > 0 ? ` for ${wordsOfSeconds(forSeconds)}` : ''
  const line = withoutComments(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const room = conditionCharsMax - lasting.length
  // Not half a character at the end.
  const short = line.slice(0, room - 1).replace(/[\ud800-\udbff]$/, '')
  return (line.length <= room ? line : `${short}…`) + lasting
}

function withoutComments(text: string): string {
  const source = parse(text)
  if (source === null) return text
  return nodesIn(source.top.parent ?? source.top, ['LineComment'])
    .reverse()
    .reduce((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text)
}

function wordsOfSeconds(seconds: number): string {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

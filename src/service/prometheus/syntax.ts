/** The PromQL syntax tree as far as rules need it: nodes without comments, selectors with matchers, numbers. Pure. */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import type { Matcher } from './naming.ts'

export type Source = {
  readonly text: string
  /** The expression itself. */
  readonly top: SyntaxNode
}

/** No real rule is deeper, and each level takes a stack frame. */
const charsMax = 20_000

/** The tree; null if the text cannot be parsed, as with extensions of other engines. */
export function parse(text: string): Source | null {
  if (text.length > charsMax) return null
  const tree = parser.parse(text)
  let isWhole = true
  tree.iterate({
    enter: ({ type }) => {
      isWhole &&= !type.isError
    },
  })
  const [top, ...rest] = partsOf(tree.topNode)
  return isWhole && top !== undefined && rest.length === 0 ? { text, top } : null
}

/** The significant children. */
export function partsOf(node: SyntaxNode): SyntaxNode[] {
  const parts: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') parts.push(child)
  }
  return parts
}

export function textAt({ text }: Source, { from, to }: SyntaxNode): string {
  return text.slice(from, to)
}

/** The node inside any number of parentheses. */
export function inner(node: SyntaxNode): SyntaxNode {
  if (node.name !== 'ParenExpr') return node
  const [only] = partsOf(node)
  return only === undefined ? node : inner(only)
}

/** All nodes of these names in an expression, in the order of the text. */
export function nodesIn(top: SyntaxNode, names: readonly string[]): SyntaxNode[] {
  const found: SyntaxNode[] = []
  top.cursor().iterate(({ name, node }) => {
    if (names.includes(name)) found.push(node)
  })
  return found
}

export type Binary = {
  readonly left: SyntaxNode
  /** The name of the operator's node: `Gtr`, `And`. */
  readonly operator: string
  readonly right: SyntaxNode
  readonly isBool: boolean
  /** Whether it says more than its operator: `bool`, `on`, `ignoring`, `group_left`. */
  readonly isModified: boolean
}

export function binaryOf(node: SyntaxNode): Binary | null {
  if (node.name !== 'BinaryExpr') return null
  const parts = partsOf(node)
  const [left, operator] = parts
  const right = parts.at(-1)
  if (left === undefined || operator === undefined || right === undefined || parts.length < 3) return null
  return {
    left,
    operator: operator.name,
    right,
    isBool: parts.some(({ name }) => name === 'BoolModifier'),
    isModified: parts.length > 3,
  }
}

/** `Rate`, `Avg`: the function or the aggregation that a node calls; null if it is no call. */
export function functionOf(node: SyntaxNode): string | null {
  const name = node.getChild('FunctionIdentifier') ?? node.getChild('AggregateOp')
  return name?.firstChild?.name ?? null
}

/** The arguments of a function or an aggregation. */
export function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  const body = node.getChild('FunctionCallBody')
  return body === null ? [] : partsOf(body).map(inner)
}

/** By which labels an aggregation groups; null if it has no such words. */
export function groupingOf(
  source: Source,
  node: SyntaxNode,
): { readonly kind: 'by' | 'without'; readonly labels: readonly string[] } | null {
  const modifier = node.getChild('AggregateModifier')
  if (modifier === null) return null
  const labels = nodesIn(modifier, ['LabelName']).map((label) => textAt(source, label))
  return { kind: modifier.getChild('By') === null ? 'without' : 'by', labels }
}

/** Metrics whose value is always 1: they are there for their labels. */
export function isInfoName(metric: string): boolean {
  return /_info$|^kube_\w+_(?:labels|annotations|owner)$|^kubelet_node_name$/.test(metric)
}

const choosing: ReadonlySet<string | null> = new Set(['Max', 'Min', 'Avg', 'Group', 'Topk', 'Bottomk'])

/**
 * The operand that has the value, of a product that only adds labels, as in `* on (instance) group_left (nodename) node_uname_info`
 * or `* on (pod) group_left (node) max by (pod, node) (kube_pod_info)`; null if it is none.
 */
export function withoutInfoOf(source: Source, node: SyntaxNode): SyntaxNode | null {
  const binary = binaryOf(node)
  if (binary === null || binary.operator !== 'Mul' || !binary.isModified) return null
  if (isInfo(source, binary.right)) return binary.left
  return isInfo(source, binary.left) ? binary.right : null
}

function isInfo(source: Source, given: SyntaxNode): boolean {
  const node = inner(given)
  const last = choosing.has(functionOf(node)) ? argumentsOf(node).at(-1) : undefined
  return last === undefined ? isInfoName(selectorOf(source, node)?.metric ?? '') : isInfo(source, last)
}

export type Selector = { readonly metric: string | null; readonly matchers: readonly Matcher[] }

const operators: Readonly<Record<string, Pick<Matcher, 'isRegex' | 'isEqual'>>> = {
  EqlSingle: { isRegex: false, isEqual: true },
  Neq: { isRegex: false, isEqual: false },
  EqlRegex: { isRegex: true, isEqual: true },
  NeqRegex: { isRegex: true, isEqual: false },
}

/** The selectors of an expression, in the order of the text. */
export function selectorsIn(source: Source, top = source.top): Selector[] {
  return nodesIn(top, ['VectorSelector']).flatMap((node) => selectorOf(source, node) ?? [])
}

/** Null if the node is none. */
export function selectorOf(source: Source, selector: SyntaxNode): Selector | null {
  if (selector.name !== 'VectorSelector') return null
  const own = selector.getChild('Identifier')
  const [quotedName] = selector.getChild('LabelMatchers')?.getChildren('QuotedLabelName') ?? []
  const matchers = nodesIn(selector, ['UnquotedLabelMatcher', 'QuotedLabelMatcher']).flatMap((node) => {
    const [label, match, value] = partsOf(node)
    const operator = operators[match?.firstChild?.name ?? '']
    if (label === undefined || value === undefined || operator === undefined) return []
    const name = label.name === 'LabelName' ? textAt(source, label) : unquoted(textAt(source, label))
    return [{ name, value: unquoted(textAt(source, value)), ...operator }]
  })
  const named = matchers.find(({ name, isRegex, isEqual }) => name === '__name__' && isEqual && !isRegex)
  const metric =
    own !== null
      ? textAt(source, own)
      : quotedName === undefined
        ? (named?.value ?? null)
        : unquoted(textAt(source, quotedName))
  return { metric, matchers }
}

/** A string in Go syntax: in double or single quotes with escapes, or raw in backticks. */
function unquoted(text: string): string {
  const body = text.slice(1, -1)
  if (text.startsWith('`')) return body
  const pattern = /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{3})|(.))/gis
  return body.replace(pattern, (_, x?: string, u?: string, wide?: string, octal?: string, char = '') => {
    const code = x ?? u ?? wide
    if (code !== undefined) return charOf(Number.parseInt(code, 16))
    if (octal !== undefined) return charOf(Number.parseInt(octal, 8))
    return escapes[char] ?? char
  })
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

function charOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '�'
}

/** Quotes a text so that every engine reads it back. */
export function quotedText(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** The number that a literal, or arithmetic of literals, stands for; null for anything else. */
export function numberOf(source: Source, given: SyntaxNode): number | null {
  const node = inner(given)
  if (node.name === 'NumberDurationLiteral') return literal(textAt(source, node))
  if (node.name === 'UnaryExpr') {
    const [sign, operand] = partsOf(node)
    const value = operand === undefined ? null : numberOf(source, operand)
    return value === null || sign === undefined ? null : textAt(source, sign) === '-' ? -value : value
  }
  const binary = binaryOf(node)
  if (binary === null) return null
  const [left, right] = [numberOf(source, binary.left), numberOf(source, binary.right)]
  const combine = arithmetic[binary.operator]
  return left === null || right === null || combine === undefined ? null : combine(left, right)
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: (a, b) => a / b,
  Mod: (a, b) => a % b,
  Pow: (a, b) => a ** b,
}

const unitSeconds: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
}

/** `1e9`, `-0x1F`, `1_000`, `+Inf`, and `1h30m` as seconds. */
function literal(text: string): number | null {
  const [, sign = '', body = ''] = /^([-+]?)\s*(.*)$/s.exec(text.replaceAll('_', '')) ?? []
  const factor = sign === '-' ? -1 : 1
  if (/^inf$/i.test(body)) return factor * Number.POSITIVE_INFINITY
  if (/^nan$/i.test(body)) return Number.NaN
  const plain = Number(body)
  if (body !== '' && !Number.isNaN(plain)) return factor * plain
  if (!/^(?:\d+(?:ms|[smhdwy]))+$/.test(body)) return null
  const parts = [...body.matchAll(/(\d+)(ms|[smhdwy])/g)]
  return (
    factor * parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit ?? ''] ?? 0), 0)
  )
}

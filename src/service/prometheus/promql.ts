/** What a rule's expression says: what to draw, its limit, the unit of its value. Pure; anything that is not proven is left out. */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { unitsOf } from './units.ts'

export type Side = 'high' | 'low'
export type Expression = {
  /** Without its comparison: the alert's value over time. Of a comparison of two series, both sides. */
  readonly drawn: readonly string[]
  readonly limit: number | null
  readonly side: Side | null
  readonly units: string
  /** It holds for exactly the targets that cannot be scraped: `up == 0`. */
  readonly isSilence: boolean
  /** It reads what kube-state-metrics reports. */
  readonly isOfObjects: boolean
  /** Matchers may be added to its selectors without changing what it says. */
  readonly isPlain: boolean
}

export type Source = {
  readonly text: string
  /** The expression itself. */
  readonly top: SyntaxNode
}
type Limit = { readonly side: Side; readonly value: number }
type Top = { readonly nodes: readonly SyntaxNode[]; readonly limit: Limit | null }

const charsMax = 20_000
const keptMax = 2000
const kept = new Map<string, Expression | null>()

/** Null for what cannot be parsed, as extensions of other engines. */
export function readExpression(text: string): Expression | null {
  const known = kept.get(text)
  if (known !== undefined) return known
  const source = parse(text)
  if (kept.size >= keptMax) kept.clear()
  const read = source === null ? null : expressionOf(source)
  kept.set(text, read)
  return read
}

function expressionOf(source: Source): Expression {
  const { text, top } = source
  const { nodes, limit } = readTop(source, top)
  const [first] = nodes
  const isJoined = nodesIn(top, ['MatchingModifierClause', 'AggregateModifier', 'LabelReplace', 'LabelJoin'])
  return {
    drawn: nodes.map((node) => text.slice(node.from, node.to)),
    limit: limit?.value ?? null,
    side: limit?.side ?? null,
    units: first === undefined ? '' : unitsOf(source, first),
    isSilence: holdsForSilent(source, top),
    isOfObjects: namesIn(source, top).some((name) => name.startsWith('kube_')),
    isPlain: isJoined.length === 0,
  }
}

/** Adds matchers to every selector. */
export function withMatchers(text: string, matchers: string): string {
  const source = parse(text)
  if (source === null || matchers === '') return text
  const spots = nodesIn(source.top, ['VectorSelector']).map((node) => {
    const braces = node.getChild('LabelMatchers')
    const isEmpty = braces === null || partsOf(braces).length === 0
    return {
      at: braces === null ? node.to : braces.from + 1,
      put: braces === null ? `{${matchers}}` : isEmpty ? matchers : `${matchers},`,
    }
  })
  return spots.reverse().reduce((made, { at, put }) => made.slice(0, at) + put + made.slice(at), text)
}

/** Strings and comments are passed over; `offset` and `@` bind more tightly than this parser has it, and change nothing here. */
const shifts =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*|(\boffset\s+-?\s*(?:\d+(?:ms|[smhdwy]))+|@\s*(?:[\d.]+|start\(\)|end\(\)))/gi

export function parse(text: string): Source | null {
  if (text.length > charsMax) return null
  const tree = parser.parse(text.replace(shifts, (all, shift) => (shift ? ' '.repeat(all.length) : all)))
  let isWhole = true
  tree.iterate({
    enter: ({ type }) => {
      if (type.isError) isWhole = false
    },
  })
  const [top] = partsOf(tree.topNode)
  return isWhole && top !== undefined ? { text, top } : null
}

export function partsOf(node: SyntaxNode): SyntaxNode[] {
  const parts: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== 'LineComment') parts.push(child)
  return parts
}

function nodesIn(top: SyntaxNode, names: readonly string[]): SyntaxNode[] {
  const found: SyntaxNode[] = []
  top.cursor().iterate((node) => {
    if (names.includes(node.name)) found.push(node.node)
  })
  return found
}

/** The names of all metrics in it; `''` for a selector without one. */
export function namesIn({ text }: Source, top: SyntaxNode): string[] {
  return nodesIn(top, ['VectorSelector']).map((selector) => {
    const name = selector.getChild('Identifier')
    return name === null ? '' : text.slice(name.from, name.to)
  })
}

/** The node inside any number of parentheses. */
export function inner(node: SyntaxNode): SyntaxNode {
  const [only] = partsOf(node)
  return node.name === 'ParenExpr' && only !== undefined ? inner(only) : node
}

/** `Rate`, `Avg`: the function or the aggregation that a node calls; `''` if it is no call. */
export function functionOf(node: SyntaxNode): string {
  const name = node.getChild('FunctionIdentifier') ?? node.getChild('AggregateOp')
  return name?.firstChild?.name ?? ''
}

export function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  const body = node.getChild('FunctionCallBody')
  return body === null ? [] : partsOf(body).map(inner)
}

export type Binary = {
  readonly left: SyntaxNode
  /** The name of the operator's node: `Gtr`, `And`. */
  readonly operator: string
  readonly right: SyntaxNode
  /** It says more than its operator: `bool`, `on`, `group_left`. */
  readonly isModified: boolean
  readonly isBool: boolean
}

export function binaryOf(node: SyntaxNode): Binary | null {
  const parts = partsOf(node)
  const [left, operator] = parts
  const right = parts.at(-1)
  if (node.name !== 'BinaryExpr' || left === undefined || operator === undefined || right === undefined)
    return null
  const isBool = parts.some(({ name }) => name === 'BoolModifier')
  return { left, operator: operator.name, right, isModified: parts.length > 3, isBool }
}

const sides: Readonly<Record<string, Side | null>> = {
  Gtr: 'high',
  Gte: 'high',
  Lss: 'low',
  Lte: 'low',
  Eql: null,
  Neq: null,
}
/** Their result has the value of the one that is in them. */
const keeping: ReadonlySet<string> = new Set(['LabelReplace', 'LabelJoin', 'Sort', 'SortDesc'])

function readTop(source: Source, given: SyntaxNode): Top {
  const node = inner(given)
  const binary = binaryOf(node)
  if (binary === null) {
    const [argument] = argumentsOf(node)
    const below = keeping.has(functionOf(node)) && argument !== undefined ? readTop(source, argument) : null
    return below?.limit === null || below === null ? { nodes: [node], limit: null } : below
  }
  const { left, operator, right } = binary
  // These keep the values of their left side.
  if (operator === 'And' || operator === 'Unless') return readTop(source, left)
  if (operator === 'Or') {
    const [one, other] = [readTop(source, left).limit, readTop(source, right).limit]
    const isSame = one !== null && one.side === other?.side && one.value === other.value
    return { nodes: [node], limit: isSame ? one : null }
  }
  const valued = withoutInfoOf(source, node)
  if (valued !== null) return readTop(source, valued)
  const side = sides[operator]
  if (side === undefined || binary.isBool) return { nodes: [node], limit: null }
  const [leftNumber, rightNumber] = [numberOf(source, left), numberOf(source, right)]
  if (leftNumber !== null && rightNumber === null) {
    const mirrored = side === 'high' ? 'low' : 'high'
    return limited(readTop(source, right), side === null ? null : { side: mirrored, value: leftNumber })
  }
  if (rightNumber !== null)
    return limited(readTop(source, left), side === null ? null : { side, value: rightNumber })
  return { nodes: [inner(left), inner(right)], limit: null }
}

/** In `a > 5 > 0` the zero only asks for there to be any. */
function limited(below: Top, limit: Limit | null): Top {
  if (below.limit === null) return { nodes: below.nodes, limit }
  if (limit === null || limit.value === 0) return below
  const isNarrower = below.limit.side === limit.side || below.limit.value === 0
  return { nodes: below.nodes, limit: isNarrower ? limit : null }
}

const choosing: ReadonlySet<string> = new Set(['Max', 'Min', 'Avg', 'Group', 'Topk', 'Bottomk'])

/** Metrics whose value is always 1: they are there for their labels. */
function isInfoName(metric: string): boolean {
  return /_info$|^kube_\w+_(?:labels|annotations|owner)$|^kubelet_node_name$/.test(metric)
}

/** The operand that has the value, of a product that only adds labels: `* on (instance) group_left (nodename) node_uname_info`. */
export function withoutInfoOf(source: Source, node: SyntaxNode): SyntaxNode | null {
  const binary = binaryOf(node)
  if (binary === null || binary.operator !== 'Mul' || !binary.isModified) return null
  if (isInfo(source, binary.right)) return binary.left
  return isInfo(source, binary.left) ? binary.right : null
}

function isInfo(source: Source, given: SyntaxNode): boolean {
  const node = inner(given)
  const last = choosing.has(functionOf(node)) ? argumentsOf(node).at(-1) : undefined
  if (last !== undefined) return isInfo(source, last)
  return node.name === 'VectorSelector' && isInfoName(namesIn(source, node)[0] ?? '')
}

/** Does it hold for what cannot be scraped, and for nothing else: `up{…} == 0`, `up < 1`? */
function holdsForSilent(source: Source, given: SyntaxNode): boolean {
  const node = inner(given)
  const binary = binaryOf(node)
  if (binary === null) return false
  const { left, operator, right } = binary
  const valued = operator === 'And' || operator === 'Unless' ? left : withoutInfoOf(source, node)
  if (valued !== null) return holdsForSilent(source, valued)
  const isUp = inner(left).name === 'VectorSelector' && namesIn(source, left)[0] === 'up'
  const limit = `${operator} ${numberOf(source, right)}`
  return isUp && !binary.isModified && (limit === 'Eql 0' || limit === 'Lss 1')
}

/** A literal, or arithmetic of literals; null for anything else. */
export function numberOf(source: Source, given: SyntaxNode): number | null {
  const node = inner(given)
  if (node.name === 'NumberDurationLiteral') {
    const value = Number(source.text.slice(node.from, node.to).replaceAll('_', ''))
    return Number.isFinite(value) ? value : null
  }
  if (node.name === 'UnaryExpr') {
    const operand = partsOf(node).at(-1)
    const value = operand === undefined ? null : numberOf(source, operand)
    return value !== null && source.text[node.from] === '-' ? -value : value
  }
  const binary = binaryOf(node)
  if (binary === null) return null
  const [a, b] = [numberOf(source, binary.left), numberOf(source, binary.right)]
  if (a === null || b === null) return null
  const made = { Add: a + b, Sub: a - b, Mul: a * b, Div: a / b, Mod: a % b, Pow: a ** b }[binary.operator]
  return made === undefined ? null : Number(made.toPrecision(12))
}

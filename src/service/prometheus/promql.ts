/** What a rule's expression says: what to draw, its limit, the unit of its value. Pure; anything that is not proven is left out. */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { unitsOf } from './units.ts'

/** It fires at the value or above, or at the value or below. */
type Limit = { readonly side: 'high' | 'low'; readonly value: number }
export type Expression = {
  /** Without its comparison: the alert's value over time. Of a comparison of two series, both sides. */
  readonly drawn: readonly string[]
  readonly limit: Limit | null
  readonly units: string
  /** It holds for exactly the targets that cannot be scraped: `up == 0`. */
  readonly isSilence: boolean
  /** It reads what kube-state-metrics reports. */
  readonly isOfObjects: boolean
  /** Matchers may be added to its selectors without changing what it says. */
  readonly isPlain: boolean
}

/** A part of an expression, without the parentheses around it. */
export type Node = {
  readonly from: number
  readonly to: number
  /** Of a selector; `''` for one without a name. */
  readonly metric: string | null
  /** Of a literal, or arithmetic of literals. */
  readonly value: number | null
  /** `Rate`, `Avg`: the function or the aggregation of a call, as the parser names it; `String` of a text. */
  readonly call: string
  /** `Gtr`, `And`, between the two parts. */
  readonly operator: string
  /** Operands, arguments, or what a range, an offset, a sign is of. */
  readonly parts: readonly Node[]
  /** Its operator says more: `bool`, `on`, `group_left`. */
  readonly isModified: boolean
  readonly isBool: boolean
}

type Top = { readonly nodes: readonly Node[]; readonly limit: Limit | null }

const charsMax = 20_000

const read = new Map<string, Expression | null>()
const readMax = 2000

/** Null for what cannot be parsed, as extensions of other engines. */
export function readExpression(text: string): Expression | null {
  const known = read.get(text)
  if (known !== undefined) return known
  const top = parse(text)
  const expression = top === null ? null : expressionOf(text, top)
  if (read.size >= readMax) read.clear()
  read.set(text, expression)
  return expression
}

function expressionOf(text: string, top: SyntaxNode): Expression {
  const node = nodeOf(text, top)
  const { nodes, limit } = readTop(node)
  const isJoined = nodesIn(top, ['MatchingModifierClause', 'AggregateModifier', 'LabelReplace', 'LabelJoin'])
  return {
    drawn: nodes.map(({ from, to }) => text.slice(from, to)),
    limit,
    units: unitsOf(nodes[0] ?? node),
    isSilence: holdsForSilent(node),
    isOfObjects: metricsIn(node).some((name) => name.startsWith('kube_')),
    isPlain: isJoined.length === 0,
  }
}

export function withMatchers(text: string, matchers: string): string {
  const top = parse(text)
  if (top === null || matchers === '') return text
  const spots = nodesIn(top, ['VectorSelector']).map((node) => {
    const braces = node.getChild('LabelMatchers')
    if (braces === null) return { at: node.to, put: `{${matchers}}` }
    return { at: braces.from + 1, put: partsOf(braces).length === 0 ? matchers : `${matchers},` }
  })
  return spots.reverse().reduce((made, { at, put }) => made.slice(0, at) + put + made.slice(at), text)
}

/** Strings and comments are passed over; `offset` and `@` bind more tightly than this parser has it, and change nothing here. */
const shifts =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*|(\boffset\s+-?\s*(?:\d+(?:ms|[smhdwy]))+|@\s*(?:[\d.]+|start\(\)|end\(\)))/gi

function parse(text: string): SyntaxNode | null {
  if (text.length > charsMax) return null
  const tree = parser.parse(text.replace(shifts, (all, shift) => (shift ? ' '.repeat(all.length) : all)))
  let isWhole = true
  tree.iterate({
    enter: ({ type }) => {
      if (type.isError) isWhole = false
    },
  })
  return isWhole ? (partsOf(tree.topNode)[0] ?? null) : null
}

function partsOf(node: SyntaxNode): SyntaxNode[] {
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

function nodeOf(text: string, syntax: SyntaxNode): Node {
  const { name, from, to } = syntax
  const said = partsOf(syntax)
  const [first, operator] = said
  if (name === 'ParenExpr' && first !== undefined) return nodeOf(text, first)
  const plain = { from, to, metric: null, value: null, call: '', operator: '', parts: [] }
  const none: Node = {
    ...plain,
    isModified: said.length > 3,
    isBool: said.some((one) => one.name === 'BoolModifier'),
  }
  const body = syntax.getChild('FunctionCallBody')
  if (body !== null) {
    const called = syntax.getChild('FunctionIdentifier') ?? syntax.getChild('AggregateOp')
    const parts = partsOf(body).map((one) => nodeOf(text, one))
    return { ...none, call: called?.firstChild?.name ?? '', parts }
  }
  if (name === 'StringLiteral') return { ...none, call: 'String' }
  if (name === 'NumberDurationLiteral') {
    const value = Number(text.slice(from, to).replaceAll('_', ''))
    return { ...none, value: Number.isFinite(value) ? value : null }
  }
  if (name === 'VectorSelector') {
    const identifier = syntax.getChild('Identifier')
    return { ...none, metric: identifier === null ? '' : text.slice(identifier.from, identifier.to) }
  }
  const last = said.at(-1)
  if (name === 'UnaryExpr' && last !== undefined) {
    const of = nodeOf(text, last)
    return { ...none, value: of.value !== null && text[from] === '-' ? -of.value : of.value, parts: [of] }
  }
  if (name !== 'BinaryExpr' || first === undefined || last === undefined)
    return { ...none, parts: first === undefined ? [] : [nodeOf(text, first)] }
  const parts = [nodeOf(text, first), nodeOf(text, last)] as const
  return { ...none, operator: operator?.name ?? '', value: made(operator?.name ?? '', parts), parts }
}

function made(operator: string, [{ value: a }, { value: b }]: readonly [Node, Node]): number | null {
  if (a === null || b === null) return null
  const value = { Add: a + b, Sub: a - b, Mul: a * b, Div: a / b, Mod: a % b, Pow: a ** b }[operator]
  return value === undefined ? null : Number(value.toPrecision(12))
}

export function metricsIn({ metric, parts }: Node): string[] {
  return metric === null ? parts.flatMap(metricsIn) : [metric]
}

const sides: Readonly<Record<string, Limit['side'] | null>> = {
  Gtr: 'high',
  Gte: 'high',
  Lss: 'low',
  Lte: 'low',
  Eql: null,
  Neq: null,
}
/** Their result has the value of the one that is in them. */
const keeping: ReadonlySet<string> = new Set(['LabelReplace', 'LabelJoin', 'Sort', 'SortDesc'])

function readTop(node: Node): Top {
  const { call, operator, parts, isBool } = node
  const [left, right] = parts
  const whole = { nodes: [node], limit: null }
  if (keeping.has(call) && left !== undefined) {
    const below = readTop(left)
    return below.limit === null ? whole : below
  }
  if (operator === '' || left === undefined || right === undefined) return whole
  // These keep the values of their left side.
  if (operator === 'And' || operator === 'Unless') return readTop(left)
  if (operator === 'Or') {
    const [one, other] = [readTop(left).limit, readTop(right).limit]
    const isSame = one !== null && one.side === other?.side && one.value === other.value
    return { nodes: [node], limit: isSame ? one : null }
  }
  const valued = withoutInfoOf(node)
  if (valued !== null) return readTop(valued)
  const side = sides[operator]
  if (side === undefined || isBool) return whole
  if (right.value !== null) return limited(readTop(left), side && { side, value: right.value })
  const mirrored = side && (side === 'high' ? 'low' : 'high')
  if (left.value !== null) return limited(readTop(right), mirrored && { side: mirrored, value: left.value })
  return { nodes: [left, right], limit: null }
}

/** In `a > 5 > 0` the zero only asks for there to be any. */
function limited(below: Top, limit: Limit | null): Top {
  if (below.limit === null) return { nodes: below.nodes, limit }
  if (limit === null || limit.value === 0) return below
  const isNarrower = below.limit.side === limit.side || below.limit.value === 0
  return { nodes: below.nodes, limit: isNarrower ? limit : null }
}

/** The operand that has the value, of a product that only adds labels: `* on (instance) group_left (nodename) node_uname_info`. */
export function withoutInfoOf({ operator, isModified, parts: [left, right] }: Node): Node | null {
  if (operator !== 'Mul' || !isModified || left === undefined || right === undefined) return null
  if (isInfo(right)) return left
  return isInfo(left) ? right : null
}

const choosing: ReadonlySet<string> = new Set(['Max', 'Min', 'Avg', 'Group', 'Topk', 'Bottomk'])
/** Metrics whose value is always 1: they are there for their labels. */
const infoNames = /_info$|^kube_\w+_(?:labels|annotations|owner)$|^kubelet_node_name$/

function isInfo({ call, metric, parts }: Node): boolean {
  const last = choosing.has(call) ? parts.at(-1) : undefined
  return last === undefined ? infoNames.test(metric ?? '') : isInfo(last)
}

/** Does it hold for what cannot be scraped, and for nothing else: `up{…} == 0`, `up < 1`? */
function holdsForSilent(node: Node): boolean {
  const { operator, isModified, parts } = node
  const [left, right] = parts
  if (operator === '' || left === undefined) return false
  const valued = operator === 'And' || operator === 'Unless' ? left : withoutInfoOf(node)
  if (valued !== null) return holdsForSilent(valued)
  return left.metric === 'up' && !isModified && ['Eql 0', 'Lss 1'].includes(`${operator} ${right?.value}`)
}

/** The unit of an expression, as far as the names of its metrics and its arithmetic prove one. Pure. */
import type { SyntaxNode } from '@lezer/common'
import {
  argumentsOf,
  binaryOf,
  functionOf,
  inner,
  isInfoName,
  numberOf,
  parse,
  partsOf,
  type Source,
  selectorOf,
  selectorsIn,
} from './syntax.ts'

/**
 * What a value counts. `dims`: powers of base units (`s`, `B`, and `#name` for a metric whose name tells none); a ratio has none. `scale`:
 * by how much the number is larger than in base units, 100 for a percentage. `isTime`: seconds since 1970, no duration.
 */
type Quantity = {
  readonly dims: Readonly<Record<string, number>>
  readonly scale: number
  readonly isTime: boolean
}

/** The unit; empty if there is none, or none is proven. */
export function unitsOf(expression: string): string {
  const source = parse(expression)
  const quantity = source === null ? null : quantityOf(source, source.top)
  if (quantity === null || quantity.isTime) return ''
  const dims = Object.entries(quantity.dims)
    .map(([name, power]) => `${name}${power}`)
    .sort()
    .join(' ')
  const scales = written[dims]?.find(([scale]) => isNear(scale, quantity.scale))
  return scales?.[1] ?? ''
}

const kibi = 1_024

/** By their dimensions: each scale with its unit. */
const written: Readonly<Record<string, readonly (readonly [scale: number, units: string])[]>> = {
  '': [[100, '%']],
  s1: [
    [1, 's'],
    [1_000, 'ms'],
    [1 / 60, 'min'],
    [1 / 3_600, 'h'],
    [1 / 86_400, 'd'],
  ],
  B1: sizes(''),
  'B1 s-1': sizes('/s'),
  celsius1: [[1, '°C']],
}

function sizes(per: string): readonly (readonly [number, string])[] {
  const letters = ['', 'k', 'M', 'G', 'T']
  return letters.flatMap((letter, at): (readonly [number, string])[] =>
    letter === ''
      ? [[1, `bytes${per}`]]
      : [
          [1_000 ** -at, `${letter}B${per}`],
          [kibi ** -at, `${letter.toUpperCase()}iB${per}`],
        ],
  )
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.abs(one)
}

const plain = (dims: Quantity['dims'], scale = 1): Quantity => ({ dims, scale, isTime: false })
const time: Quantity = { dims: { s: 1 }, scale: 1, isTime: true }

const endings: readonly (readonly [RegExp, Quantity])[] = [
  [/_timestamp(?:_seconds)?$|_time_seconds$/, time],
  [/_milliseconds$/, plain({ s: 1 }, 1_000)],
  [/_seconds$/, plain({ s: 1 })],
  [/_bytes$/, plain({ B: 1 })],
  [/[_:]ratio$/, plain({})],
  [/_percent(?:age)?$/, plain({}, 100)],
  [/_celsius$/, plain({ celsius: 1 })],
]

/** By its name; a recorded one may end in what it was made of (`…_seconds:rate5m`), so only its ratio counts. */
function quantityOfName(name: string): Quantity {
  if (isInfoName(name)) return plain({})
  const unknown = plain({ [`#${name}`]: 1 })
  const [, base = name, part] = /^(.+)_(sum|count|bucket|total)$/.exec(name) ?? []
  // One of a counter's is no time of day: `node_cpu_time_seconds_total`.
  const named = part === undefined ? base : base.replace(/_time(?=_seconds$)/, '')
  const found = endings.find(([ending]) => ending.test(named))?.[1]
  if (part === 'count') return plain({ [`#${base}`]: 1 })
  if (found === undefined) return unknown
  // All of an observation's together: divided by how many there were, it is one's again.
  return part === 'sum' ? product(found, plain({ [`#${base}`]: 1 }), 1) : found
}

function product(one: Quantity, other: Quantity, power: 1 | -1): Quantity {
  const dims: Record<string, number> = { ...one.dims }
  for (const [name, own] of Object.entries(other.dims)) {
    const sum = (dims[name] ?? 0) + power * own
    if (sum === 0) delete dims[name]
    else dims[name] = sum
  }
  return plain(dims, one.scale * other.scale ** power)
}

const perSecond: ReadonlySet<string> = new Set(['Rate', 'Irate', 'Deriv'])
/** Their result counts what they are called with does. */
const keeping: ReadonlySet<string> = new Set([
  ...['Avg', 'Min', 'Max', 'Sum', 'Quantile', 'Topk', 'Bottomk', 'Stddev', 'Limitk', 'LimitRatio'],
  ...['AvgOverTime', 'MinOverTime', 'MaxOverTime', 'SumOverTime', 'LastOverTime', 'QuantileOverTime'],
  ...['Increase', 'Delta', 'Idelta', 'PredictLinear', 'HoltWinters', 'DoubleExponentialSmoothing'],
  ...['Abs', 'Ceil', 'Floor', 'Round', 'Clamp', 'ClampMax', 'ClampMin', 'Sort', 'SortDesc'],
  ...['LabelReplace', 'LabelJoin', 'Scalar', 'Vector'],
])
const wrapping: ReadonlySet<string> = new Set([
  'OffsetExpr',
  'StepInvariantExpr',
  'SubqueryExpr',
  'MatrixSelector',
])

/** Null: not known. */
function quantityOf(source: Source, given: SyntaxNode | undefined): Quantity | null {
  if (given === undefined) return null
  const node = inner(given)
  if (node.name === 'VectorSelector') {
    const metric = selectorOf(source, node)?.metric
    return metric == null ? null : quantityOfName(metric)
  }
  if (wrapping.has(node.name)) return quantityOf(source, partsOf(node)[0])
  if (node.name === 'UnaryExpr') return quantityOf(source, partsOf(node)[1])
  if (node.name === 'BinaryExpr') return quantityOfTwo(source, node)
  return quantityOfCall(source, node)
}

function quantityOfCall(source: Source, node: SyntaxNode): Quantity | null {
  const name = functionOf(node) ?? ''
  if (name === 'Time' || name === 'Timestamp') return time
  if (name === 'Count') return plain({ series: 1 })
  if (name === 'HistogramQuantile') {
    // One of the observations, whatever was made of how many there were.
    const [metric, ...others] = new Set(selectorsIn(source, node).map((one) => one.metric))
    // A native histogram is named without its buckets.
    return metric == null || others.length > 0
      ? null
      : quantityOfName(metric.replace(/(_bucket)?$/, '_bucket'))
  }
  const called = argumentsOf(node).find(
    (one) => one.name !== 'StringLiteral' && numberOf(source, one) === null,
  )
  const inside = quantityOf(source, called)
  if (inside !== null && perSecond.has(name)) return product(inside, plain({ s: 1 }), -1)
  return keeping.has(name) ? inside : null
}

function quantityOfTwo(source: Source, node: SyntaxNode): Quantity | null {
  const binary = binaryOf(node)
  if (binary === null || binary.isBool) return null
  const { left, operator, right } = binary
  const [k, l] = [numberOf(source, left), numberOf(source, right)]
  const [one, other] = [quantityOf(source, left), quantityOf(source, right)]
  const only = k !== null ? other : l !== null ? one : null
  if (operator === 'Mul' || operator === 'Div') {
    const power = operator === 'Mul' ? 1 : -1
    if (k !== null) return other === null ? null : scaled(product(plain({}), other, power), k)
    if (l !== null) return one === null ? null : scaled(one, l ** power)
    return one === null || other === null ? null : product(one, other, power)
  }
  switch (operator) {
    case 'Add':
    case 'Sub':
      return only ?? sumOf(one, other, operator === 'Sub')
    case 'Or':
      // What counts where there is nothing.
      if (functionOf(inner(right)) === 'Vector') return one
      return one !== null && other !== null && areAlike(one, other) ? one : null
    case 'Pow':
    case 'Atan2':
      return null
    default:
      // Comparisons, `and`, `unless` and `%` keep what is on the left; a number there, what is on the right.
      return k === null ? one : other
  }
}

function scaled(quantity: Quantity, factor: number): Quantity {
  return { ...quantity, scale: quantity.scale * factor }
}

/** Of two that count the same. Between two times it is a duration; only a time can be subtracted from now, whatever its name is. */
function sumOf(one: Quantity | null, other: Quantity | null, isDifference: boolean): Quantity | null {
  if (one === null || other === null) return null
  const isUnnamed = ({ dims }: Quantity): boolean => Object.keys(dims).every((name) => name.startsWith('#'))
  if (isDifference && (one.isTime || other.isTime)) {
    const isBetween = [one, other].every((side) => side.isTime || isUnnamed(side))
    return isBetween ? plain({ s: 1 }) : null
  }
  return areAlike(one, other) ? one : null
}

function areAlike(one: Quantity, other: Quantity): boolean {
  const left = product(one, other, -1)
  return Object.keys(left.dims).length === 0 && isNear(left.scale, 1) && one.isTime === other.isTime
}

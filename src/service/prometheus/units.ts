/** The unit of an expression, as far as the names of its metrics and its arithmetic prove one. Pure. */
import type { SyntaxNode } from '@lezer/common'
import {
  argumentsOf,
  binaryOf,
  functionOf,
  inner,
  isInfoName,
  namesIn,
  numberOf,
  partsOf,
  type Source,
} from './promql.ts'

type Dims = Readonly<Record<string, number>>
/**
 * What a value counts. `dims`: powers of base units (`s`, `B`, and `#name` for a metric whose name tells none); a ratio has none. `scale`:
 * by how much the number is larger than in base units, 100 for a percentage. `isTime`: seconds since 1970, no duration.
 */
type Quantity = { readonly dims: Dims; readonly scale: number; readonly isTime: boolean }

/** Empty if there is none, or none is proven. */
export function unitsOf(source: Source, node: SyntaxNode): string {
  const quantity = quantityOf(source, node)
  if (quantity === null || quantity.isTime) return ''
  const { dims, scale } = quantity
  const names = Object.keys(dims)
  // A share of two that are only counted: nobody else multiplies a quotient by a hundred.
  const isCounted = names.every((name) => name.startsWith('#')) && sum(Object.values(dims)) === 0
  const text = isCounted
    ? ''
    : names
        .map((name) => `${name}${dims[name]}`)
        .sort()
        .join(' ')
  return written[text]?.find(([known]) => Math.abs(known - scale) <= 1e-9 * Math.abs(known))?.[1] ?? ''
}

/** By their dimensions: each scale with its unit. */
const written: Readonly<Record<string, readonly (readonly [scale: number, units: string])[]>> = {
  '': [[100, '%']],
  s1: [
    [1, 's'],
    [1000, 'ms'],
    [1 / 60, 'min'],
    [1 / 3600, 'h'],
    [1 / 86_400, 'd'],
  ],
  B1: sizes(''),
  'B1 s-1': sizes('/s'),
  celsius1: [[1, '°C']],
}

function sizes(per: string): readonly (readonly [number, string])[] {
  const larger = ['k', 'M', 'G', 'T'].flatMap((letter, at): [number, string][] => [
    [1000 ** -(at + 1), `${letter}B${per}`],
    [1024 ** -(at + 1), `${letter.toUpperCase()}iB${per}`],
  ])
  return [[1, `bytes${per}`], ...larger]
}

const plain = (dims: Dims, scale = 1): Quantity => ({ dims, scale, isTime: false })
const time: Quantity = { dims: { s: 1 }, scale: 1, isTime: true }

const endings: readonly (readonly [RegExp, Quantity])[] = [
  [/_timestamp(?:_seconds)?$|_time_seconds$/, time],
  [/_milliseconds$/, plain({ s: 1 }, 1000)],
  [/_seconds$/, plain({ s: 1 })],
  [/_bytes$/, plain({ B: 1 })],
  [/[_:]ratio$/, plain({})],
  [/_percent(?:age)?$/, plain({}, 100)],
  [/_celsius$/, plain({ celsius: 1 })],
]

/** By its name; a recorded one may end in what it was made of (`…_seconds:rate5m`), so only its ratio counts. */
function quantityOfName(name: string): Quantity | null {
  if (name === '') return null
  if (isInfoName(name)) return plain({})
  const [, base = name, part] = /^(.+)_(sum|count|bucket|total)$/.exec(name) ?? []
  if (part === 'count') return plain({ [`#${base}`]: 1 })
  // One of a counter's is no time of day: `node_cpu_time_seconds_total`.
  const named = part === undefined ? base : base.replace(/_time(?=_seconds$)/, '')
  const found = endings.find(([ending]) => ending.test(named))?.[1]
  if (found === undefined) return plain({ [`#${name}`]: 1 })
  // All of an observation's together: divided by how many there were, it is one's again.
  return part === 'sum' ? product(found, plain({ [`#${base}`]: 1 }), 1) : found
}

function product(one: Quantity, other: Quantity, power: 1 | -1): Quantity {
  const names = new Set([...Object.keys(one.dims), ...Object.keys(other.dims)])
  const dims = [...names].map(
    (name) => [name, (one.dims[name] ?? 0) + power * (other.dims[name] ?? 0)] as const,
  )
  return plain(Object.fromEntries(dims.filter(([, sum]) => sum !== 0)), one.scale * other.scale ** power)
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
  if (node.name === 'VectorSelector') return quantityOfName(namesIn(source, node)[0] ?? '')
  if (wrapping.has(node.name)) return quantityOf(source, partsOf(node)[0])
  if (node.name === 'UnaryExpr') return quantityOf(source, partsOf(node)[1])
  if (node.name === 'BinaryExpr') return quantityOfTwo(source, node)
  return quantityOfCall(source, node)
}

function quantityOfCall(source: Source, node: SyntaxNode): Quantity | null {
  const name = functionOf(node)
  if (name === 'Time' || name === 'Timestamp') return time
  if (name === 'Count') return plain({ '#series': 1 })
  if (name === 'HistogramQuantile') {
    // One of the observations, whatever was made of how many there were. A native histogram is named without its buckets.
    const [metric = '', ...others] = new Set(namesIn(source, node))
    return others.length > 0 ? null : quantityOfName(metric.replace(/(_bucket)?$/, '_bucket'))
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
  if (operator === 'Mul' || operator === 'Div') {
    const power = operator === 'Mul' ? 1 : -1
    if (k !== null) return other === null ? null : product(plain({}, k), other, power)
    if (l !== null) return one === null ? null : { ...one, scale: one.scale * l ** power }
    return one === null || other === null ? null : product(one, other, power)
  }
  if (operator === 'Add' || operator === 'Sub') {
    if (k !== null || l !== null) return k === null ? one : other
    return sumOf(one, other, operator === 'Sub')
  }
  // What counts where there is nothing.
  if (operator === 'Or' && functionOf(inner(right)) === 'Vector') return one
  if (operator === 'Or') return one !== null && other !== null && areAlike(one, other) ? one : null
  if (operator === 'Pow' || operator === 'Atan2') return null
  // Comparisons, `and`, `unless` and `%` keep what is on the left; a number there, what is on the right.
  return k === null ? one : other
}

/** Of two that count the same. Between two times it is a duration; only a time can be subtracted from now, whatever its name is. */
function sumOf(one: Quantity | null, other: Quantity | null, isDifference: boolean): Quantity | null {
  if (one === null || other === null) return null
  const isUnnamed = ({ dims }: Quantity) => Object.keys(dims).every((name) => name.startsWith('#'))
  if (isDifference && (one.isTime || other.isTime))
    return [one, other].every((side) => side.isTime || isUnnamed(side)) ? plain({ s: 1 }) : null
  return areAlike(one, other) ? one : null
}

function areAlike(one: Quantity, other: Quantity): boolean {
  const left = product(one, other, -1)
  const isSame = Object.keys(left.dims).length === 0 && Math.abs(left.scale - 1) <= 1e-9
  return isSame && one.isTime === other.isTime
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

/** The unit of an expression, as far as the names of its metrics and its arithmetic prove one. Pure. */
import { metricsIn, type Node, withoutInfoOf } from './promql.ts'

/** Beside units themselves: a share of one, a hundred times some unit, and seconds since 1970. */
const silent = /^(?:share|time|hundredfold .*)$/

/** Empty if there is none, or none is proven. */
export function unitsOf(node: Node): string {
  const unit = unitOf(node) ?? ''
  return silent.test(unit) ? '' : unit
}

const endings: readonly (readonly [RegExp, string])[] = [
  [/_timestamp(?:_seconds)?$|_time_seconds$/, 'time'],
  [/_milliseconds$/, 'ms'],
  [/_seconds$/, 's'],
  [/_bytes$/, 'bytes'],
  [/[_:]ratio$/, 'share'],
  [/_percent(?:age)?$/, '%'],
  [/_celsius$/, '°C'],
]

function unitOfName(name: string): string | null {
  const [, base = name, part] = /^(.+)_(sum|bucket|total)$/.exec(name) ?? []
  // One of a counter's is no time of day: `node_cpu_time_seconds_total`.
  const named = part === undefined ? base : base.replace(/_time(?=_seconds$)/, '')
  return endings.find(([ending]) => ending.test(named))?.[1] ?? null
}

/** Their result counts what they are called with does. */
const keeping: ReadonlySet<string> = new Set([
  ...['Avg', 'Min', 'Max', 'Sum', 'Quantile', 'Topk', 'Bottomk', 'Stddev'],
  ...['AvgOverTime', 'MinOverTime', 'MaxOverTime', 'SumOverTime', 'LastOverTime', 'QuantileOverTime'],
  ...['Increase', 'Delta', 'Idelta', 'PredictLinear', 'Abs', 'Ceil', 'Floor', 'Round', 'Clamp', 'ClampMax'],
  ...['ClampMin', 'Sort', 'SortDesc', 'LabelReplace', 'LabelJoin', 'Scalar', 'Vector'],
])

function unitOf(node: Node | undefined): string | null {
  if (node === undefined) return null
  const { metric, call, operator, parts } = node
  if (metric !== null) return unitOfName(metric)
  if (operator !== '') return unitOfTwo(node)
  if (call === '') return unitOf(parts[0])
  if (call === 'Time' || call === 'Timestamp') return 'time'
  // One of the observations, whatever was made of how many there were.
  if (call === 'HistogramQuantile') return unitOfName(metricsIn(node)[0] ?? '')
  const inside = unitOf(parts.find((one) => one.call !== 'String' && one.value === null))
  if (['Rate', 'Irate', 'Deriv'].includes(call)) return { bytes: 'bytes/s', s: 'share' }[inside ?? ''] ?? null
  return keeping.has(call) ? inside : null
}

/** What a division by a number makes of a unit; of a chain of them, step by step. */
const divided: Readonly<Record<string, string>> = {
  's 60': 'min',
  's 3600': 'h',
  's 86400': 'd',
  'min 60': 'h',
  'min 1440': 'd',
  'h 24': 'd',
  'ms 1000': 's',
  'bytes 1024': 'KiB',
  'bytes 1048576': 'MiB',
  'bytes 1073741824': 'GiB',
  'KiB 1024': 'MiB',
  'MiB 1024': 'GiB',
  'bytes 1000000': 'MB',
  'bytes 1000000000': 'GB',
}

function unitOfTwo(node: Node): string | null {
  const { operator, parts, isBool } = node
  const [left, right] = parts
  const valued = withoutInfoOf(node)
  if (valued !== null) return unitOf(valued)
  if (left === undefined || right === undefined || isBool) return null
  const [k, l] = [left.value, right.value]
  const [one, other] = [unitOf(left), unitOf(right)]
  if (operator === 'Mul') {
    const [factor, unit] = k === null ? [l, one] : [k, other]
    if (factor === 1000 && unit === 's') return 'ms'
    if (factor !== 100) return null
    return unit === 'share' ? '%' : `hundredfold ${unit}`
  }
  if (operator === 'Div') {
    if (l !== null) return divided[`${one} ${l}`] ?? null
    const [sum = '', count] = [metricsIn(left)[0], metricsIn(right)[0]]
    if (k !== null) return null
    if (sum.endsWith('_sum') && count === sum.replace(/sum$/, 'count')) return unitOfName(sum)
    if (one === `hundredfold ${other}`) return '%'
    return one === other ? 'share' : null
  }
  if (operator === 'Add' || operator === 'Sub') {
    if (k !== null || l !== null) return k === null ? one : other
    // Only a time can be subtracted from now, whatever its name is.
    if (operator === 'Sub' && [one, other].includes('time'))
      return [one, other].every((unit) => unit === 'time' || unit === null) ? 's' : null
    return one === other ? one : null
  }
  if (operator === 'Or') return one === other || right.call === 'Vector' ? one : null
  // Comparisons, `and`, `unless` keep what is on the left; a number there, what is on the right.
  return ['Pow', 'Mod', 'Atan2'].includes(operator) ? null : k === null ? one : other
}

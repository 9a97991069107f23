/**
 * Proves what a rule's expression measures: exactly a metric of the API, in direction, unit and scale; or servers that send no
 * data. Anything else is a metric of the rule's own. Pure.
 */
import { createHash } from 'node:crypto'
import type { SyntaxNode } from '@lezer/common'
import type { MetricKey } from '../metrics/metric-key.ts'
import {
  argumentsOf,
  binaryOf,
  functionOf,
  groupingOf,
  inner,
  numberOf,
  parse,
  partsOf,
  type Source,
  selectorOf,
  textAt,
  withoutInfoOf,
} from './syntax.ts'

const cpu = (mode: string): string => `avg by (instance) (rate(node_cpu_seconds_total{mode="${mode}"}[5m]))`

/** What the API means by its metrics, as long as a server has one series of each. */
const definitions: readonly (readonly [key: MetricKey, expression: string])[] = [
  [{ type: 'cpu', source: '', metric: 'cpu_busy' }, `100 * (1 - ${cpu('idle')})`],
  [{ type: 'cpu', source: '', metric: 'cpu_user' }, `100 * ${cpu('user')}`],
  [{ type: 'cpu', source: '', metric: 'cpu_system' }, `100 * ${cpu('system')}`],
  [{ type: 'cpu', source: '', metric: 'cpu_iowait' }, `100 * ${cpu('iowait')}`],
  [load('last_minute'), 'node_load1'],
  [load('last_five_minutes'), 'node_load5'],
  [load('last_fifteen_minutes'), 'node_load15'],
  [load('last_minute_per_core'), 'node_load1 / count by (instance) (node_cpu_seconds_total{mode="idle"})'],
  [
    { type: 'memory', source: '', metric: 'memory_used_percent' },
    '100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)',
  ],
  [
    { type: 'memory', source: '', metric: 'memory_used' },
    '(node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / 1048576',
  ],
  [
    { type: 'memory', source: '', metric: 'swap_used_percent' },
    '100 * (1 - node_memory_SwapFree_bytes / node_memory_SwapTotal_bytes)',
  ],
]

function load(metric: string): MetricKey {
  return { type: 'plugin', source: 'Load Average', metric }
}

/**
 * The metric of the API that an expression is, for each server that its result names; null if that is not proven. Two expressions are
 * equal if they are so for several values of the series that they read.
 */
export function provenMetric(expression: string): MetricKey | null {
  const print = printOf(expression)
  if (print === null) return null
  known ??= definitions.map(([key, text]) => [key, printOf(text) ?? []] as const)
  return known.find(([, other]) => areEqual(print, other))?.[0] ?? null
}

let known: readonly (readonly [MetricKey, readonly number[]])[] | null = null

const seeds = ['a', 'b', 'c', 'd']
/** Far above what rounding does, far below what another formula would be off by. */
const tolerance = 1e-9

/** Its value for several values of what it reads; null if it does anything but arithmetic with that. */
function printOf(expression: string): readonly number[] | null {
  const source = parse(expression)
  if (source === null) return null
  const values = seeds.flatMap((seed) => valueFor(source, source.top, seed) ?? [])
  return values.length === seeds.length ? values : null
}

function areEqual(some: readonly number[], others: readonly number[]): boolean {
  return some.every((value, at) => Math.abs(value - (others[at] ?? 0)) <= tolerance * Math.abs(value))
}

function valueFor(source: Source, given: SyntaxNode, seed: string): number | null {
  const node = inner(given)
  const number = numberOf(source, node)
  if (number !== null) return number
  if (node.name === 'UnaryExpr') {
    const [sign, operand] = partsOf(node)
    const value = operand === undefined ? null : valueFor(source, operand, seed)
    return value === null || sign === undefined ? null : textAt(source, sign) === '-' ? -value : value
  }
  const binary = binaryOf(node)
  if (binary === null) {
    const leaf = leafOf(source, node)
    return leaf === null ? null : unitInterval(`${seed} ${leaf}`)
  }
  if (binary.isModified) return null
  const [left, right] = [valueFor(source, binary.left, seed), valueFor(source, binary.right, seed)]
  if (left === null || right === null) return null
  switch (binary.operator) {
    case 'Add':
      return left + right
    case 'Sub':
      return left - right
    case 'Mul':
      return left * right
    case 'Div':
      return left / right
    default:
      return null
  }
}

/** Labels whose values are parts of one server's metric; any other matcher only chooses servers. */
const partLabels: ReadonlySet<string> = new Set(['mode', 'cpu'])

/** One text for what is the same series of a server; null for what is no such thing. */
function leafOf(source: Source, node: SyntaxNode): string | null {
  const selector = selectorOf(source, node)
  if (selector !== null) {
    const parts = selector.matchers
      .filter(({ name }) => partLabels.has(name))
      .map(({ name, value, isRegex, isEqual }) => `${name} ${isRegex} ${isEqual} ${value}`)
    return selector.metric === null ? null : [selector.metric, ...parts.sort()].join(',')
  }
  const [only, ...more] = argumentsOf(node)
  if (only === undefined || more.length > 0) return null
  const name = functionOf(node)
  if (name === 'Rate' || name === 'Irate') {
    // With an offset, or over a subquery, it is something else.
    const [read] = only.name === 'MatrixSelector' ? partsOf(only) : []
    const leaf = read === undefined ? null : leafOf(source, read)
    return leaf === null ? null : `rate(${leaf})`
  }
  const grouping = groupingOf(source, node)
  if (grouping === null || (name !== 'Avg' && name !== 'Count')) return null
  // A host's cores as one, and nothing else.
  if (grouping.labels.includes('cpu') === (grouping.kind === 'by')) return null
  const leaf = leafOf(source, only)
  return leaf === null ? null : `${name}(${leaf})`
}

/** From 0.1 to 1.1: nothing that is divided by is nearly zero. */
function unitInterval(text: string): number {
  return 0.1 + createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** Does it fire exactly for targets that cannot be scraped, with their labels: `up{…} == 0`, `1 > up`? */
export function isSilence(expression: string): boolean {
  const source = parse(expression)
  return source !== null && holdsForSilent(source, source.top)
}

function holdsForSilent(source: Source, given: SyntaxNode): boolean {
  const node = inner(given)
  const binary = binaryOf(node)
  if (binary === null) return false
  const { left, operator, right } = binary
  const valued = operator === 'And' || operator === 'Unless' ? left : withoutInfoOf(source, node)
  if (valued !== null) return holdsForSilent(source, valued)
  if (binary.isModified) return false
  const compare = comparisons[operator]
  const [one, other] = [left, right].map((side) => {
    const number = numberOf(source, side)
    return (value: number) => number ?? (selectorOf(source, inner(side))?.metric === 'up' ? value : null)
  })
  if (compare === undefined || one === undefined || other === undefined) return false
  const holds = (value: number): boolean | null => {
    const [a, b] = [one(value), other(value)]
    return a === null || b === null ? null : compare(a, b)
  }
  return holds(0) === true && holds(1) === false
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  Gtr: (a, b) => a > b,
  Gte: (a, b) => a >= b,
  Lss: (a, b) => a < b,
  Lte: (a, b) => a <= b,
  Eql: (a, b) => a === b,
  Neq: (a, b) => a !== b,
}

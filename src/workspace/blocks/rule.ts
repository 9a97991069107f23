// The small language in which the block schemas are written: a rule looks at a value and says what is wrong with it.

import {
  type BlockFault,
  missing,
  noneOf,
  notInEnum,
  patternMissed,
  severalOf,
  surplus,
  tooBig,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  tooSmall,
  unsupportedType,
  wrongKind,
} from './fault.ts'
import { into, type Spot } from './spot.ts'

export type Rule = (value: unknown, spot: Spot) => readonly BlockFault[]
export type JsonObject = { readonly [key: string]: unknown }
/** A rule between the keys of one object; it runs only when every key is well formed by itself. */
export type ObjectRule = (object: JsonObject, spot: Spot) => readonly BlockFault[]
type Fields = { readonly [key: string]: Rule }
type Range = { readonly min?: number; readonly max?: number }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The length that Slack counts: code points, not UTF-16 units. */
export function charsIn(text: string): number {
  let chars = 0
  for (const _ of text) chars += 1
  return chars
}

/** A string of `min` to `max` characters that matches `pattern`. */
export function text({ min, max, pattern }: Range & { readonly pattern?: RegExp } = {}): Rule {
  return (value, spot) => {
    if (typeof value !== 'string') return [wrongKind(spot, 'string', value)]
    const chars = charsIn(value)
    if (min !== undefined && chars < min) return [tooShort(spot, min, chars)]
    if (max !== undefined && chars > max) return [tooLong(spot, max, chars)]
    return pattern === undefined || pattern.test(value) ? [] : [patternMissed(spot, pattern.source)]
  }
}

export function number({ min, max }: Range = {}): Rule {
  return (value, spot) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return [wrongKind(spot, 'number', value)]
    if (min !== undefined && value < min) return [tooSmall(spot, min, value)]
    return max !== undefined && value > max ? [tooBig(spot, max, value)] : []
  }
}

export function integer(range: Range = {}): Rule {
  const within = number(range)
  return (value, spot) =>
    Number.isInteger(value) ? within(value, spot) : [wrongKind(spot, 'integer', value)]
}

export const flag: Rule = (value, spot) =>
  typeof value === 'boolean' ? [] : [wrongKind(spot, 'boolean', value)]

export function oneOf(...expected: readonly string[]): Rule {
  return (value, spot) => {
    if (typeof value !== 'string') return [wrongKind(spot, 'string', value)]
    return expected.includes(value) ? [] : [notInEnum(spot, expected, value)]
  }
}

/** A list of `min` to `max` items. Of a list that is too long the items are not looked at: the work stays bounded. */
export function list(item: Rule, { min, max }: Range = {}): Rule {
  return (value, spot) => {
    if (!Array.isArray(value)) return [wrongKind(spot, 'array', value)]
    if (min !== undefined && value.length < min) return [tooFew(spot, min, value.length)]
    if (max !== undefined && value.length > max) return [tooMany(spot, max, value.length)]
    return value.flatMap((entry: unknown, index) => item(entry, into(spot, index)))
  }
}

/** An object with exactly these keys, and then the rules between them. */
export function shape(required: Fields, optional: Fields = {}, ...between: readonly ObjectRule[]): Rule {
  const fields = new Map([...Object.entries(required), ...Object.entries(optional)])
  return (value, spot) => {
    if (!isObject(value)) return [wrongKind(spot, 'object', value)]
    const faults: BlockFault[] = []
    for (const key of Object.keys(required)) if (value[key] === undefined) faults.push(missing(spot, key))
    for (const [key, entry] of Object.entries(value)) {
      const rule = fields.get(key)
      // An undefined value vanishes in JSON, so it is no key at all.
      if (entry === undefined) continue
      faults.push(...(rule === undefined ? [surplus(spot, key)] : rule(entry, into(spot, key))))
    }
    return faults.length > 0 ? faults : between.flatMap((rule) => rule(value, spot))
  }
}

/** A shape that carries the `type` by which `kinds` chose it. */
export function typed(required: Fields, optional: Fields = {}, ...between: readonly ObjectRule[]): Rule {
  return shape({ type: text(), ...required }, optional, ...between)
}

/** An object whose `type` chooses the rule. */
export function kinds(rules: Fields): Rule {
  const byType = new Map(Object.entries(rules))
  const expected = [...byType.keys()].sort()
  return (value, spot) => {
    if (!isObject(value)) return [wrongKind(spot, 'object', value)]
    if (value.type === undefined) return [missing(spot, 'type')]
    if (typeof value.type !== 'string') return [wrongKind(into(spot, 'type'), 'string', value.type)]
    const rule = byType.get(value.type)
    return rule === undefined
      ? [unsupportedType(into(spot, 'type'), expected, value.type)]
      : rule(value, spot)
  }
}

/** At least one of the keys is there. */
export function atLeastOne(...keys: readonly string[]): ObjectRule {
  return (object, spot) =>
    keys.some((key) => object[key] !== undefined) ? [] : [noneOf(into(spot, 'type'), keys)]
}

/** One of the keys is there, and no second one. */
export function exactlyOne(...keys: readonly string[]): ObjectRule {
  return (object, spot) => {
    const given = keys.filter((key) => object[key] !== undefined)
    if (given.length === 0) return [noneOf(spot, keys)]
    return given.length > 1 ? [severalOf(spot, keys)] : []
  }
}

// One thing wrong with a Block Kit payload, in the shape of `blocks.validate`, and every sentence that says so.
// Sentences marked (ours) were not found in a real response; the others are Slack's own words.

import type { Spot } from './spot.ts'

/**
 * One broken rule.
 * `pointer` is a JSON pointer (RFC 6901) from the argument checked, such as `/blocks/0/text/text`; for a missing or a
 * surplus key it names the object. `field` is the nearest key by name. `constraint` says what was expected and what
 * came. `code` is always `failed_constraint`, the only code that the reference of `blocks.validate` shows.
 */
export type BlockFault = {
  readonly code: string
  readonly message: string
  readonly field: string
  readonly pointer: string
  readonly constraint?: Record<string, unknown>
}

// A value that is echoed back stays short, whatever its size.
const echoCharsMax = 100

const echo = (value: string): string =>
  value.length > echoCharsMax ? `${value.slice(0, echoCharsMax)}…` : value

/** Any fault, in the words given. */
export function fault(spot: Spot, message: string, constraint?: Record<string, unknown>): BlockFault {
  const base = { code: 'failed_constraint', message, field: spot.field, pointer: spot.pointer }
  return constraint === undefined ? base : { ...base, constraint }
}

const nameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

export const wrongKind = (spot: Spot, expected: string, value: unknown): BlockFault =>
  fault(spot, `must provide ${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}`, {
    type: 'type',
    expected,
    got: nameOf(value),
  })

export const missing = (spot: Spot, key: string): BlockFault =>
  fault({ ...spot, field: key }, `missing required field: ${key}`, { type: 'required', expected: key })

export const surplus = (spot: Spot, key: string): BlockFault =>
  fault({ ...spot, field: echo(key) }, `invalid additional property: ${echo(key)}`, {
    type: 'additional_property',
    got: echo(key),
  })

export const unsupportedType = (spot: Spot, expected: readonly string[], got: string): BlockFault =>
  fault(spot, `unsupported type: ${echo(got)}`, { type: 'enum', expected, got: echo(got) })

export const notInEnum = (spot: Spot, expected: readonly string[], got: string): BlockFault =>
  fault(spot, 'must be a valid enum value', { type: 'enum', expected, got: echo(got) })

export const noSchemaMatches = (spot: Spot): BlockFault => fault(spot, 'failed to match all allowed schemas')

export const tooLong = (spot: Spot, max: number, got: number): BlockFault =>
  fault(spot, `must be less than ${max + 1} characters`, { type: 'max_length', max, got })

export const tooShort = (spot: Spot, min: number, got: number): BlockFault =>
  fault(spot, `must be more than ${min - 1} characters`, { type: 'min_length', min, got })

export const patternMissed = (spot: Spot, pattern: string): BlockFault =>
  fault(spot, `input must match regex pattern: ${pattern}`, { type: 'pattern', expected: pattern })

export const tooMany = (spot: Spot, max: number, got: number): BlockFault =>
  fault(spot, `no more than ${max} items allowed`, { type: 'max_items', max, got })

export const tooFew = (spot: Spot, min: number, got: number): BlockFault =>
  fault(spot, `must provide at least ${min} items`, { type: 'min_items', min, got })

/** (ours) */
export const tooBig = (spot: Spot, max: number, got: number): BlockFault =>
  fault(spot, `must be at most ${max}`, { type: 'max', max, got })

/** (ours) */
export const tooSmall = (spot: Spot, min: number, got: number): BlockFault =>
  fault(spot, `must be at least ${min}`, { type: 'min', min, got })

export const alreadyExists = (spot: Spot, value: string): BlockFault =>
  fault(spot, `\`${spot.field}\` "${echo(value)}" already exists`, { type: 'unique', got: echo(value) })

const quoted = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(' or ')

/** The keys of which one is needed; Slack reports this at the block's `type` and names the keys. */
export const noneOf = (spot: Spot, keys: readonly string[]): BlockFault =>
  fault(spot, `must define either ${quoted(keys)}`, { type: 'required_any', expected: keys })

/** (ours) */
export const severalOf = (spot: Spot, keys: readonly string[]): BlockFault =>
  fault(spot, `must define only one of ${quoted(keys)}`, { type: 'exclusive', expected: keys })

/** (ours) */
export const notAnOption = (spot: Spot): BlockFault =>
  fault(spot, 'must match one of the provided options exactly', { type: 'one_of_options' })

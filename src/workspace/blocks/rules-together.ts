// What no block can break alone: ids that repeat, and totals over all blocks of a message or view.

import { alreadyExists, type BlockFault, fault, tooLong } from './fault.ts'
import { charsIn, isObject, type JsonObject } from './rule.ts'
import { into, type Spot } from './spot.ts'

type Placed = { readonly object: JsonObject; readonly spot: Spot }

const markdownCharsMax = 12_000
const dataVisualizationsMax = 2
const tablesMax = 1

function placed(value: unknown, spot: Spot): Placed[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown, index) => placed(entry, into(spot, index)))
  return isObject(value) ? [{ object: value, spot }] : []
}

/** All blocks, those inside a container, and the cards of a carousel. */
function allBlocks(blocks: unknown, spot: Spot): Placed[] {
  return placed(blocks, spot).flatMap((outer) => [
    outer,
    ...placed(outer.object.child_blocks, into(outer.spot, 'child_blocks')),
    ...(outer.object.type === 'carousel' ? placed(outer.object.elements, into(outer.spot, 'elements')) : []),
  ])
}

/** The elements of one block that can carry an `action_id`. */
function elementsOf({ object, spot }: Placed): Placed[] {
  const holders = object.type === 'carousel' ? [] : ['elements', 'accessory', 'element', 'actions']
  return holders.flatMap((key) => placed(object[key], into(spot, key)))
}

function repeated(key: string, among: readonly Placed[]): BlockFault[] {
  const seen = new Set<string>()
  return among.flatMap(({ object, spot }) => {
    const id = object[key]
    // An id left empty is one that Slack makes up.
    if (typeof id !== 'string' || id === '') return []
    if (seen.has(id)) return [alreadyExists(into(spot, key), id)]
    seen.add(id)
    return []
  })
}

function beyond(
  blocks: readonly Placed[],
  types: readonly string[],
  max: number,
  message: string,
): BlockFault[] {
  const surplus = blocks.filter(({ object }) => types.includes(String(object.type))).slice(max)
  return surplus.map(({ spot }) => fault(spot, message, { type: 'max_blocks', expected: types, max }))
}

function markdownTotal(blocks: readonly Placed[]): BlockFault[] {
  let chars = 0
  for (const { object, spot } of blocks) {
    if (object.type !== 'markdown' || typeof object.text !== 'string') continue
    chars += charsIn(object.text)
    if (chars > markdownCharsMax) return [tooLong(into(spot, 'text'), markdownCharsMax, chars)]
  }
  return []
}

/** (ours, the wording) `focus_on_load` may be true once in a view. */
function focusTwice(elements: readonly Placed[]): BlockFault[] {
  return elements
    .filter(({ object }) => object.focus_on_load === true)
    .slice(1)
    .map(({ spot }) => fault(into(spot, 'focus_on_load'), 'only one element may be focused on load'))
}

/** The faults of blocks that are each well formed. */
export function checkTogether(blocks: unknown, spot: Spot): readonly BlockFault[] {
  const all = allBlocks(blocks, spot)
  const elements = all.map(elementsOf)
  const ids = [...repeated('block_id', all), ...elements.flatMap((own) => repeated('action_id', own))]
  if (spot.surface !== 'message') return [...ids, ...focusTwice(elements.flat())]
  return [
    ...ids,
    ...beyond(all, ['table'], tablesMax, 'only_one_table_allowed'),
    // (ours, the wording)
    ...beyond(all, ['data_visualization'], dataVisualizationsMax, 'too many data_visualization blocks'),
    ...markdownTotal(all),
  ]
}

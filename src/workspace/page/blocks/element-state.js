/**
 * What the elements of a view hold: where each stands, and how to read it.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 * @typedef {{ blockId: string, actionId: string, read: () => Choice, fault: () => string | undefined }} Held
 */
import { fieldsOf, isFields, stringOf } from './fields.js'

/** @type {WeakMap<Element, Held>} */
const heldBy = new WeakMap()

/**
 * Lets `readValues` find the element. `fault` says what is wrong with what it holds now, beyond being empty.
 *
 * @param {HTMLElement} holder
 * @param {Fields} element
 * @param {Spot} spot
 * @param {{ read: () => Choice, fault?: () => string | undefined }} how
 */
export function hold(holder, element, { blockId }, { read, fault = () => undefined }) {
  holder.dataset.held = ''
  heldBy.set(holder, { blockId, actionId: stringOf(element.action_id), read, fault })
}

/** Everything that is held under a node, in the order in which it stands.  @type {(root: ParentNode) => Held[]} */
export function heldIn(root) {
  return [...root.querySelectorAll('[data-held]')].flatMap((node) => heldBy.get(node) ?? [])
}

/**
 * What an element held last, else what it holds at first; undefined for nothing.
 *
 * @param {Fields} element
 * @param {Spot} spot
 * @param {string} key As in `state.values`: `selected_option`.
 * @param {string} initialKey As in the element: `initial_option`.
 * @returns {unknown}
 */
export function startOf(element, { context, blockId }, key, initialKey) {
  const state = fieldsOf(fieldsOf(context.values)[blockId])[stringOf(element.action_id)]
  return (isFields(state) && key in state ? state[key] : element[initialKey]) ?? undefined
}

/**
 * `block_id` → `action_id` → choice, for every element under `root` that holds something: what `/control/submit` takes.
 *
 * @param {ParentNode} root
 * @returns {Record<string, Record<string, Choice>>}
 */
export function readValues(root) {
  /** @type {Record<string, Record<string, Choice>>} */
  const values = {}
  for (const { blockId, actionId, read } of heldIn(root)) {
    values[blockId] = { ...values[blockId], [actionId]: read() }
  }
  return values
}

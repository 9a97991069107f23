/**
 * What the elements of a view hold: each registers how it is read while it is shown.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 * @typedef {{ blockId: string, actionId: string, optional: boolean, read: () => Choice }} Held
 * @typedef {Set<Held>} Form
 */
import { useLayoutEffect } from 'preact/hooks'
import { fieldsOf, isFields, stringOf } from './fields.js'

/** @type {() => Form} */
export const openForm = () => new Set()

/** Registers an element while it is shown.  @type {(element: Fields, spot: Spot, how: Pick<Held, 'read'>) => void} */
export function useForm(element, { context: { form }, blockId, input }, how) {
  useLayoutEffect(() => {
    const held = { blockId, actionId: stringOf(element.action_id), optional: input?.optional ?? true, ...how }
    form?.add(held)
    return () => void form?.delete(held)
  })
}

/**
 * What names and describes a field: the label, hint and error of its input block, elsewhere its own words.
 *
 * @type {(spot: Spot, words: string) => Record<string, string | boolean | undefined>}
 */
export function nameField({ input }, words) {
  if (input === undefined) return { 'aria-label': words }
  const { id, describedBy, optional, invalid } = input
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': invalid || undefined,
    'aria-required': !optional,
  }
}

/**
 * What an element held last, or its initial value.
 *
 * @param {Fields} element
 * @param {Spot} spot
 * @param {string} key As in `state.values`: `selected_option`.
 * @param {string} initialKey As in the element: `initial_option`.
 * @returns {unknown} Undefined for nothing.
 */
export function startOf(element, { context, blockId }, key, initialKey) {
  const state = fieldsOf(fieldsOf(context.values)[blockId])[stringOf(element.action_id)]
  return (isFields(state) && key in state ? state[key] : element[initialKey]) ?? undefined
}

/**
 * `block_id` → `action_id` → choice, for every element that holds something: what `/control/submit` takes.
 *
 * @type {(form: Form) => Record<string, Record<string, Choice>>}
 */
export function readValues(form) {
  /** @type {Record<string, Record<string, Choice>>} */
  const values = {}
  for (const { blockId, actionId, read } of form) {
    values[blockId] = { ...values[blockId], [actionId]: read() }
  }
  return values
}

/**
 * What must be corrected before a view can be sent, by block id: what is missing. Empty when all is well.
 *
 * @type {(form: Form) => Record<string, string>}
 */
export function checkInputs(form) {
  /** @type {Record<string, string>} */
  const errors = {}
  for (const { blockId, optional, read } of form) {
    const choice = read()
    const isEmpty = choice === null || (Array.isArray(choice) && choice.length === 0)
    if (isEmpty && !optional) errors[blockId] = 'Please fill this in.'
  }
  return errors
}

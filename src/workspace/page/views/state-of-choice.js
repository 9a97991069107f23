/**
 * What a person has chosen or typed, in the shape in which a view holds it (`state.values`), so that a block that is drawn
 * anew begins with it.
 *
 * @import { Fields } from '../shell/wire-shapes.js'
 * @typedef {Record<string, Record<string, unknown>>} Choices `block_id` → `action_id` → choice, as `readValues` gives it.
 */
import { isFields } from '../blocks/fields.js'

/** Element type → the key of its value. The others hold options or text.  @type {Readonly<Record<string, string>>} */
const plainKeys = {
  users_select: 'selected_user',
  multi_users_select: 'selected_users',
  conversations_select: 'selected_conversation',
  multi_conversations_select: 'selected_conversations',
  channels_select: 'selected_channel',
  multi_channels_select: 'selected_channels',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
  rich_text_input: 'rich_text_value',
}

/**
 * The view's own values with the choices laid over them, as far as the view still has their elements.
 *
 * @param {Fields[]} blocks
 * @param {Record<string, Record<string, Fields>>} values
 * @param {Choices} choices
 */
export function overlay(blocks, values, choices) {
  /** @type {Record<string, Record<string, Fields>>} */
  const over = { ...values }
  for (const block of blocks) {
    const blockId = String(block.block_id ?? '')
    for (const element of elementsIn(block)) {
      const actionId = String(element.action_id)
      const choice = choices[blockId]?.[actionId]
      if (choice !== undefined) over[blockId] = { ...over[blockId], [actionId]: stateOf(element, choice) }
    }
  }
  return over
}

/** @type {(node: unknown) => Fields[]} */
function elementsIn(node) {
  if (Array.isArray(node)) return node.flatMap(elementsIn)
  if (!isFields(node)) return []
  return typeof node.action_id === 'string' ? [node] : Object.values(node).flatMap(elementsIn)
}

/** @type {(element: Fields, choice: unknown) => Fields} */
function stateOf(element, choice) {
  const type = String(element.type)
  const plain = plainKeys[type]
  if (plain !== undefined) return { type, [plain]: choice }
  if (type === 'datetimepicker') return { type, selected_date_time: choice === null ? null : Number(choice) }
  const options = optionsOf(element)
  /** @type {(one: unknown) => unknown} */
  const option = (one) => (isFields(one) ? one : (options.find(({ value }) => value === one) ?? null))
  if (['static_select', 'external_select', 'radio_buttons'].includes(type)) {
    return { type, selected_option: option(choice) }
  }
  if (['multi_static_select', 'multi_external_select', 'checkboxes'].includes(type)) {
    const chosen = Array.isArray(choice) ? choice : []
    return { type, selected_options: chosen.map(option).filter((one) => one !== null) }
  }
  return { type, value: choice }
}

/** @type {(element: Fields) => Fields[]} */
function optionsOf({ options, option_groups: groups }) {
  /** @type {(value: unknown) => unknown[]} */
  const items = (value) => (Array.isArray(value) ? value : [])
  return [
    ...items(options),
    ...items(groups).flatMap((group) => (isFields(group) ? items(group.options) : [])),
  ].filter(isFields)
}

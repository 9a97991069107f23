/** The elements of blocks that a person can use: where they are, what they hold at first, and what a choice makes of them. */
import { type Fields, isFields, itemsOf, stringOf } from '../state/fields.ts'
import type { StateValues } from '../state/views.ts'

export type Element = {
  readonly blockId: string
  readonly actionId: string
  readonly type: string
  readonly fields: Fields
  /** Set where it stands in an input block: whether it may stay empty. */
  readonly input?: { readonly optional: boolean }
}

/** What a person chose or typed: a value, an option that the bot suggested (external selects), several, or null for nothing. */
export type Choice = string | Fields | readonly (string | Fields)[] | null

export type ChoiceVerdict =
  | { readonly ok: true; readonly state: Fields }
  | { readonly ok: false; readonly why: string }

/** All elements with an action id, in the order in which they stand. */
export function elementsIn(blocks: readonly unknown[]): readonly Element[] {
  return blocks.flatMap((block) => search(block, '', undefined))
}

function search(node: unknown, blockId: string, input: { optional: boolean } | undefined): Element[] {
  if (Array.isArray(node)) return node.flatMap((item) => search(item, blockId, input))
  if (!isFields(node)) return []
  const within = stringOf(node.block_id) ?? blockId
  const asInput = node.type === 'input' ? { optional: node.optional === true } : input
  const actionId = stringOf(node.action_id)
  if (actionId !== undefined) {
    const element = { blockId: within, actionId, type: stringOf(node.type) ?? '', fields: node }
    return [asInput === undefined ? element : { ...element, input: asInput }]
  }
  return Object.values(node).flatMap((value) => search(value, within, asInput))
}

const optionHolders = new Set(['static_select', 'external_select', 'radio_buttons', 'overflow'])
const optionsHolders = new Set(['multi_static_select', 'multi_external_select', 'checkboxes'])
/** Type → the key that its value has in actions and in `state.values`, and the key of its initial value. */
const plainKeys: Readonly<Record<string, readonly [string, string]>> = {
  users_select: ['selected_user', 'initial_user'],
  multi_users_select: ['selected_users', 'initial_users'],
  conversations_select: ['selected_conversation', 'initial_conversation'],
  multi_conversations_select: ['selected_conversations', 'initial_conversations'],
  channels_select: ['selected_channel', 'initial_channel'],
  multi_channels_select: ['selected_channels', 'initial_channels'],
  datepicker: ['selected_date', 'initial_date'],
  timepicker: ['selected_time', 'initial_time'],
  datetimepicker: ['selected_date_time', 'initial_date_time'],
  plain_text_input: ['value', 'initial_value'],
  email_text_input: ['value', 'initial_value'],
  url_text_input: ['value', 'initial_value'],
  number_input: ['value', 'initial_value'],
  rich_text_input: ['rich_text_value', 'initial_value'],
}
const stateless = new Set(['button', 'icon_button', 'feedback_buttons', 'workflow_button', 'overflow'])

/** `state.values` as it is when a view or message appears, with what was chosen since laid over it. */
export function valuesOf(blocks: readonly unknown[], chosen: StateValues): StateValues {
  const values: StateValues = {}
  for (const element of elementsIn(blocks)) {
    if (stateless.has(element.type)) continue
    const now = chosen[element.blockId]?.[element.actionId] ?? initialState(element)
    values[element.blockId] = { ...values[element.blockId], [element.actionId]: now }
  }
  return values
}

/** Whether an element still waits to be filled in. */
export function isUnset(state: Fields): boolean {
  return Object.entries(state).every(
    ([key, value]) =>
      key === 'type' || value === null || value === '' || (Array.isArray(value) && value.length === 0),
  )
}

/** What the element holds after the choice, in the shape of `state.values`; a choice it does not offer is refused. */
export function choose(element: Element, choice: Choice): ChoiceVerdict {
  const { type, fields } = element
  if (type === 'button' || type === 'icon_button' || type === 'workflow_button')
    return { ok: true, state: { type } }
  if (type === 'feedback_buttons') {
    const offered = [fields.positive_button, fields.negative_button].filter(isFields).map((one) => one.value)
    if (typeof choice === 'string' && offered.includes(choice))
      return { ok: true, state: { type, value: choice } }
    return { ok: false, why: `expected one of ${JSON.stringify(offered)}, got ${JSON.stringify(choice)}` }
  }
  if (optionHolders.has(type)) {
    if (choice === null) return { ok: true, state: { type, selected_option: null } }
    const option = optionFor(element, choice)
    return option === undefined
      ? { ok: false, why: notOffered(element, choice) }
      : { ok: true, state: { type, selected_option: option } }
  }
  if (optionsHolders.has(type)) {
    const wanted = Array.isArray(choice) ? choice : choice === null ? [] : [choice]
    const options = wanted.map((one) => optionFor(element, one))
    const found = options.filter((option) => option !== undefined)
    if (found.length < options.length) return { ok: false, why: notOffered(element, choice) }
    return { ok: true, state: { type, selected_options: found } }
  }
  const keys = plainKeys[type]
  if (keys === undefined) return { ok: false, why: `an element of type ${type} cannot be used here` }
  return { ok: true, state: { type, [keys[0]]: plainValue(element, choice) } }
}

/** The options that the element offers by itself. */
function offeredOptions({ fields }: Element): readonly Fields[] {
  const groups = itemsOf(fields.option_groups).filter(isFields)
  return [...itemsOf(fields.options), ...groups.flatMap((group) => itemsOf(group.options))].filter(isFields)
}

function initialState(element: Element): Fields {
  const { type, fields } = element
  if (optionHolders.has(type)) return { type, selected_option: fields.initial_option ?? null }
  if (optionsHolders.has(type)) return { type, selected_options: fields.initial_options ?? [] }
  const keys = plainKeys[type]
  if (keys === undefined) return { type }
  return { type, [keys[0]]: fields[keys[1]] ?? (type.startsWith('multi_') ? [] : null) }
}

function optionFor(element: Element, choice: unknown): Fields | undefined {
  // An external select offers nothing by itself: what its person picks came from the bot a moment ago.
  if (element.type.endsWith('external_select')) {
    if (isFields(choice)) return choice
    return typeof choice === 'string'
      ? { text: { type: 'plain_text', text: choice, emoji: true }, value: choice }
      : undefined
  }
  return offeredOptions(element).find((option) => option.value === choice)
}

function notOffered(element: Element, choice: Choice): string {
  const offered = offeredOptions(element).map((option) => option.value)
  return `expected one of ${JSON.stringify(offered)}, got ${JSON.stringify(choice)}`
}

function plainValue({ type }: Element, choice: Choice): unknown {
  if (type.startsWith('multi_')) return Array.isArray(choice) ? choice : choice === null ? [] : [choice]
  if (type === 'datetimepicker' && typeof choice === 'string') return Number(choice)
  return choice
}

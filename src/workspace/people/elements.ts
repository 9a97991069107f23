/**
 * The elements of blocks that a person can use: where they are, what they hold at first, and what a choice makes of them.
 * Of the kinds that the page shows for use; of any other nothing can be chosen.
 */
import { z } from 'zod'
import { offeredBy } from '../blocks/parts.ts'
import { type Fields, isFields, stringOf } from '../state/fields.ts'
import type { StateValues } from '../state/views.ts'
import { refuseAct, typed } from './stage.ts'

export type Element = {
  readonly blockId: string
  readonly actionId: string
  readonly type: string
  readonly fields: Fields
  /** Set where it stands in an input block: whether it may stay empty. */
  readonly input?: { readonly optional: boolean }
}

const option = z.record(z.string(), z.unknown())

/** A choice: a value, an option that the bot suggested (external selects), several, or null for nothing. */
export const choiceShape = z.union([typed, z.array(z.union([typed, option])).max(100), option, z.null()])
export type Choice = z.input<typeof choiceShape>

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

/** What an element holds in actions and in `state.values`: one option, several, or text. */
const holds: Readonly<Record<string, 'option' | 'options' | 'text' | 'user' | 'moment'>> = {
  overflow: 'option',
  static_select: 'option',
  multi_external_select: 'options',
  plain_text_input: 'text',
  users_select: 'user',
  datetimepicker: 'moment',
}

/** `state.values` as it is when a view or message appears, with what was chosen since laid over it. */
export function valuesOf(blocks: readonly unknown[], chosen: StateValues): StateValues {
  const values: StateValues = {}
  for (const element of elementsIn(blocks)) {
    if (element.type === 'button' || element.type === 'overflow') continue
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

/** What the element holds after the choice, in the shape of `state.values`; a choice that it does not offer is refused. */
export function choose(element: Element, choice: Choice): Fields {
  const { type } = element
  if (type === 'button') return { type }
  const held = holds[type]
  if (held === undefined) return refuseAct('invalid_choice', `an element of type ${type} cannot be used here`)
  switch (held) {
    case 'option':
      return { type, selected_option: choice === null ? null : optionFor(element, choice) }
    case 'options':
      return { type, selected_options: [choice ?? []].flat().map((one) => optionFor(element, one)) }
    case 'text':
      return { type, value: choice }
    case 'user':
      // Who there is to choose from is the workspace's to say (`knownPerson`).
      return { type, selected_user: choice }
    case 'moment':
      return { type, selected_date_time: choice === null ? null : momentOf(choice) }
  }
}

function initialState({ type, fields }: Element): Fields {
  const held = holds[type]
  if (held === undefined) return { type }
  switch (held) {
    case 'option':
      return { type, selected_option: fields.initial_option ?? null }
    case 'options':
      return { type, selected_options: fields.initial_options ?? [] }
    case 'text':
      return { type, value: fields.initial_value ?? null }
    case 'user':
      return { type, selected_user: fields.initial_user ?? null }
    case 'moment':
      return { type, selected_date_time: fields.initial_date_time ?? null }
  }
}

/** Seconds since 1970, as somebody picks them. */
function momentOf(choice: Choice): number {
  return typeof choice === 'string' && /^\d{10}$/.test(choice)
    ? Number(choice)
    : refuseAct('invalid_choice', `expected seconds since 1970, got ${JSON.stringify(choice)}`)
}

function optionFor({ type, fields }: Element, choice: string | Fields | readonly unknown[]): Fields {
  // An external select offers nothing by itself: what its person picks came from the bot a moment ago.
  if (type.endsWith('external_select')) {
    if (isFields(choice)) return choice
    if (typeof choice === 'string')
      return { text: { type: 'plain_text', text: choice, emoji: true }, value: choice }
  }
  const offered = offeredBy(fields)
  const values = JSON.stringify(offered.map((option) => option.value))
  return (
    offered.find((option) => option.value === choice) ??
    refuseAct('invalid_choice', `expected one of ${values}, got ${JSON.stringify(choice)}`)
  )
}

/** The elements of blocks that a person can use, and what a choice makes of them. */
import type { z } from 'zod'
import { offeredBy } from '../blocks/parts.ts'
import { type Fields, isFields, stringOf } from '../state/fields.ts'
import type { StateValues } from '../state/views.ts'
import { refuseAct, typed } from './stage.ts'

export type Element = {
  readonly blockId: string
  readonly actionId: string
  readonly type: string
  readonly fields: Fields
  readonly input?: { readonly optional: boolean }
}

export const choiceShape = typed.nullable()
export type Choice = z.infer<typeof choiceShape>

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

const holds: Readonly<Record<string, string>> = {
  static_select: 'selected_option',
  plain_text_input: 'value',
  users_select: 'selected_user',
}

export function valuesOf(blocks: readonly unknown[], chosen: StateValues): StateValues {
  const values: StateValues = {}
  for (const { type, fields, blockId, actionId } of elementsIn(blocks)) {
    if (type === 'button') continue
    const atFirst = { type, [holds[type] ?? '']: fields.initial_option ?? null }
    values[blockId] = { ...values[blockId], [actionId]: chosen[blockId]?.[actionId] ?? atFirst }
  }
  return values
}

export function choose({ type, fields }: Element, choice: Choice): Fields {
  if (type === 'button') return { type }
  const key = holds[type] ?? ''
  if (key !== 'selected_option' || choice === null) return { type, [key]: choice }
  const offered = offeredBy(fields)
  const values = JSON.stringify(offered.map((option) => option.value))
  const option = offered.find(({ value }) => value === choice)
  const why = `expected one of ${values}, got ${JSON.stringify(choice)}`
  return { type, [key]: option ?? refuseAct('invalid_choice', why) }
}

export function isUnset(state: Fields): boolean {
  return Object.entries(state).every(([key, value]) => key === 'type' || value === null || value === '')
}

/**
 * Block Kit's rules as Slack enforces them (docs.slack.dev/reference/block-kit), for what the bot sends. What it never sends is refused
 * as unknown: whoever begins to send it gives it its rule, and the page its looks.
 */
import { z } from 'zod'
import { type Fields, isFields } from '../state/fields.ts'
import {
  anyText,
  brief,
  buttons,
  charsIn,
  type Fault,
  faultsIn,
  id,
  kinds,
  mrkdwn,
  pictureKeys,
  plainText,
  selects,
  text,
  typing,
} from './parts.ts'

export type BlockFault = { readonly message: string; readonly pointer: string }

const blockKeys = { type: z.string(), block_id: id.optional() }
const toPress = kinds({ ...buttons, static_select: selects.static_select })

const everywhere = {
  section: z
    .strictObject({ ...blockKeys, text: anyText(3_000).optional(), accessory: toPress.optional() })
    .superRefine(({ text }, { addIssue }) => {
      const message = 'must define either `text` or `fields`'
      if (text === undefined) addIssue({ code: 'custom', path: ['type'], message })
    }),
  context: z.strictObject({
    ...blockKeys,
    elements: z
      .array(kinds({ mrkdwn: mrkdwn(3_000) }))
      .min(1)
      .max(10),
  }),
  actions: z.strictObject({ ...blockKeys, elements: z.array(toPress).min(1).max(25) }),
  image: z.strictObject({ ...blockKeys, ...pictureKeys }),
}
const input = z.strictObject({
  ...blockKeys,
  label: plainText(2_000),
  element: kinds({ ...selects, ...typing }),
  hint: plainText(2_000).optional(),
  optional: z.boolean().optional(),
})
const blocksOf = {
  message: z.array(kinds(everywhere)).max(50),
  view: z.array(kinds({ ...everywhere, input })).max(100),
}

const viewKeys = {
  type: z.string(),
  blocks: blocksOf.view,
  callback_id: id.optional(),
  private_metadata: text({ max: 3_000 }).optional(),
}
const anyView = kinds({
  home: z.strictObject(viewKeys),
  modal: z
    .strictObject({
      ...viewKeys,
      title: plainText(24),
      submit: plainText(24).optional(),
      close: plainText(24).optional(),
    })
    .superRefine(({ blocks, submit }, { addIssue }) => {
      const first = blocks.findIndex(({ type }) => type === 'input')
      if (submit !== undefined || first < 0) return
      // Slack points to a key `input` that the block does not have.
      const path = ['blocks', first, 'input']
      const message = 'must define `submit` to use an `input` block in modals'
      addIssue({ code: 'custom', path, message })
    }),
})

/** What is wrong with the blocks of a message, first fault first. Ids are compared once each block is well formed. */
export function checkBlocks(blocks: unknown): readonly BlockFault[] {
  const faults = faultsIn(z.object({ blocks: blocksOf.message }), { blocks })
  return pointed(faults.length > 0 ? faults : sameIds(blocks))
}

export function checkView(view: unknown): readonly BlockFault[] {
  const faults = faultsIn(anyView, view)
  return pointed(faults.length > 0 || !isFields(view) ? faults : sameIds(view.blocks))
}

function pointed(faults: readonly Fault[]): readonly BlockFault[] {
  return faults.map(({ path, message }) => ({ message, pointer: pointerTo(path) }))
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

type Placed = { readonly fields: Fields; readonly path: readonly PropertyKey[] }

function placed(value: unknown, path: readonly PropertyKey[]): readonly Placed[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => placed(item, [...path, at]))
  return isFields(value) ? [{ fields: value, path }] : []
}

const elementsOf = ({ fields, path }: Placed): readonly Placed[] =>
  ['elements', 'accessory', 'element'].flatMap((key) => placed(fields[key], [...path, key]))

/** A `block_id` is unique within a message or view, an `action_id` within its block. */
function sameIds(blocks: unknown): readonly Fault[] {
  const all = placed(blocks, ['blocks'])
  return [...repeated('block_id', all), ...all.flatMap((block) => repeated('action_id', elementsOf(block)))]
}

function repeated(key: string, among: readonly Placed[]): readonly Fault[] {
  const seen = new Set<string>()
  return among.flatMap(({ fields, path }) => {
    const given = fields[key]
    // An id left empty is one that Slack makes up.
    if (typeof given !== 'string' || given === '') return []
    if (seen.has(given))
      return [{ path: [...path, key], message: `\`${key}\` "${brief(given)}" already exists` }]
    seen.add(given)
    return []
  })
}

const spoken = new Set(['text', 'title', 'label', 'caption', 'alt_text', 'description', 'name'])

/** What people read of all blocks together, in code points. Slack refuses near 13,200 (undocumented; bolt-js #2509). */
export function blocksTextLength(blocks: readonly unknown[]): number {
  // A stack of its own, because JSON may be nested deeper than calls may.
  const waiting: unknown[] = [...blocks]
  let chars = 0
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry !== 'string') waiting.push(entry)
      else if (spoken.has(key)) chars += charsIn(entry)
    }
  }
  return chars
}

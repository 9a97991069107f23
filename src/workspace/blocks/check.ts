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
  shape,
  text,
  typing,
  upTo,
} from './parts.ts'

export type BlockFault = { readonly message: string; readonly pointer: string }

const blockKeys = { block_id: id.optional() }
const toPress = kinds({ ...buttons, static_select: selects.static_select })

const everywhere = {
  section: shape({ ...blockKeys, text: anyText(3_000), accessory: toPress.optional() }),
  context: shape({ ...blockKeys, elements: upTo(10, kinds({ mrkdwn: mrkdwn(3_000) })) }),
  actions: shape({ ...blockKeys, elements: upTo(25, toPress) }),
  image: shape({ ...blockKeys, ...pictureKeys }),
}
const input = shape({
  ...blockKeys,
  label: plainText(2_000),
  element: kinds({ ...selects, ...typing }),
  hint: plainText(2_000).optional(),
  optional: z.boolean().optional(),
})
const some = text({ min: 1 })
const inCell = kinds({
  link: shape({ url: some, text: some }),
  user: shape({ user_id: some }),
  date: shape({ timestamp: z.int(), format: some, fallback: some }),
})
const cell = kinds({
  raw_text: shape({ text: some }),
  rich_text: shape({ elements: z.array(kinds({ rich_text_section: shape({ elements: z.array(inCell) }) })) }),
})
const column = z.strictObject({
  align: z.enum(['left', 'center', 'right']).optional(),
  is_wrapped: z.boolean().optional(),
})
const table = shape({
  ...blockKeys,
  rows: upTo(100, upTo(20, cell)),
  column_settings: z.array(column).max(20).optional(),
}).superRefine(({ rows }, { addIssue }) => {
  const message = 'must be less than 10001 characters in all cells' // (ours)
  if (textLength(rows) > 10_000) addIssue({ code: 'custom', path: ['rows'], message })
})
const blocksOf = {
  message: z.array(kinds({ ...everywhere, table })).max(50),
  view: z.array(kinds({ ...everywhere, input })).max(100),
}

const viewKeys = {
  blocks: blocksOf.view,
  callback_id: id.optional(),
  private_metadata: text({ max: 3_000 }).optional(),
}
const anyView = kinds({
  home: shape(viewKeys),
  modal: shape({
    ...viewKeys,
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
  }).superRefine(({ blocks, submit }, { addIssue }) => {
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

/** What people read of well-formed blocks together, in code points. */
export function textLength(blocks: readonly unknown[]): number {
  let chars = 0
  JSON.stringify(blocks, (key, value) => {
    if (typeof value === 'string' && (key === 'text' || key === 'alt_text')) chars += charsIn(value)
    return value
  })
  return chars
}

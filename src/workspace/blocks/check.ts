/**
 * Block Kit's rules as Slack enforces them, for the kinds of blocks and elements that the bot sends: what is wrong with the
 * blocks of a message, or with a whole view. Of any other kind only its id, the number of blocks and the total of text are
 * checked: Slack may refuse what is taken here. The other way round, a key of Slack's that the bot never sends is refused
 * here as one that nobody knows: whoever begins to send it gives it its rule, and the page its looks. Source:
 * https://docs.slack.dev/reference/block-kit
 */
import { z } from 'zod'
import { type Fields, isFields } from '../state/fields.ts'
import {
  anyText,
  brief,
  buttons,
  type Constraint,
  charsIn,
  type Fault,
  faultsIn,
  id,
  kinds,
  onePicture,
  otherElement,
  picture,
  pictureKeys,
  plainText,
  selects,
  text,
  texts,
  typing,
} from './parts.ts'

/** `pointer` is a JSON pointer (RFC 6901) from the argument checked, such as `/blocks/0/text/text`. */
export type BlockFault = { readonly message: string; readonly pointer: string }

const blockKeys = { type: z.string(), block_id: id.optional() }

const usable = { ...buttons, ...selects }
const toPress = kinds(usable, { schema: otherElement, except: ['plain_text_input', 'image'] })
const beside = kinds(
  { ...usable, image: picture },
  { schema: otherElement, except: ['plain_text_input', 'datetimepicker'] },
)
const toFillIn = kinds(
  { ...selects, ...typing },
  { schema: otherElement, except: ['button', 'overflow', 'image'] },
)

/** The blocks that stand on every surface. */
const everywhere = {
  section: z
    .strictObject({
      ...blockKeys,
      text: anyText(3_000).optional(),
      fields: z.array(anyText(2_000)).min(1).max(10).optional(),
      accessory: beside.optional(),
    })
    .superRefine(({ text, fields }, { addIssue }) => {
      const message = 'must define either `text` or `fields`'
      if (text === undefined && fields === undefined) addIssue({ code: 'custom', path: ['type'], message })
    }),
  context: z.strictObject({
    ...blockKeys,
    elements: z
      .array(kinds({ ...texts, image: picture }))
      .min(1)
      .max(10),
  }),
  actions: z.strictObject({ ...blockKeys, elements: z.array(toPress).min(1).max(25) }),
  image: z.strictObject({ ...blockKeys, ...pictureKeys }).superRefine(onePicture),
}
const input = z.strictObject({
  ...blockKeys,
  label: plainText(2_000),
  element: toFillIn,
  hint: plainText(2_000).optional(),
  optional: z.boolean().optional(),
})

// `file` blocks are received and never sent; `input` and `alert` do not stand in messages.
const onMessages = kinds(everywhere, { schema: z.looseObject(blockKeys), except: ['input', 'file', 'alert'] })
const onViews = kinds({ ...everywhere, input }, { schema: z.looseObject(blockKeys), except: ['file'] })
const blocksOf = { message: z.array(onMessages).max(50), view: z.array(onViews).max(100) }

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

/**
 * Everything wrong with the blocks of a message, first fault first; an empty list means that Slack takes them. Pointers
 * start with `/blocks`; ids are compared once every block is well formed by itself. Whether Slack can get a picture is not a matter of shape and not asked here.
 */
export function checkBlocks(blocks: unknown): readonly BlockFault[] {
  const faults = faultsIn(z.object({ blocks: blocksOf.message }), { blocks })
  return pointed(faults.length > 0 ? faults : sameIds(blocks))
}

/** Everything wrong with a modal or Home view. The 250 KB of a whole view are the caller's. */
export function checkView(view: unknown): readonly BlockFault[] {
  const faults = faultsIn(anyView, view)
  return pointed(faults.length > 0 || !isFields(view) ? faults : sameIds(view.blocks))
}

/** What `blocks.validate` may be asked about, and the schema of each. */
const toValidate = {
  blocks: blocksOf.message,
  message: z.strictObject({
    blocks: blocksOf.message.optional(),
    attachments: z.array(z.unknown()).max(100).optional(),
  }),
  view: anyView,
}

/**
 * Everything wrong with one of them, the pointers from it on. A union is not named beside the place inside it that it failed at, as it is when
 * a message is posted.
 */
export function validate(
  what: keyof typeof toValidate,
  value: unknown,
): readonly (BlockFault & { readonly constraint?: Constraint })[] {
  const shapes = faultsIn(toValidate[what], value)
  const faults = shapes.filter(
    (one) => one.constraint?.type !== 'all_of' || !shapes.some((other) => isWithin(other, one)),
  )
  const ids = () =>
    what === 'blocks' ? sameIds(value).map(withoutBlocks) : isFields(value) ? sameIds(value.blocks) : []
  return (faults.length > 0 ? faults : ids()).map(({ path, message, constraint }) => ({
    message,
    pointer: pointerTo(path),
    ...(constraint === undefined ? {} : { constraint }),
  }))
}

function isWithin(fault: Fault, outer: Fault): boolean {
  return fault !== outer && outer.path.every((key, at) => key === fault.path[at])
}

const withoutBlocks = ({ path, message }: Fault): Fault => ({ path: path.slice(1), message })

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

/**
 * All text of all blocks together, in code points: texts, titles, labels, options, alt texts. Ids, values and addresses are
 * not text. Slack refuses a total near 13,200 with `msg_blocks_too_long` (undocumented; bolt-js #2509), so the limit is the caller's.
 */
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

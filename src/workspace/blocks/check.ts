// Block Kit's rules as Slack enforces them: what is wrong with the blocks of a message, or with a whole view.
// Source: https://docs.slack.dev/reference/block-kit and the error texts of real responses.

import { type BlockFault, fault, wrongKind } from './fault.ts'
import { flag, isObject, kinds, list, type ObjectRule, type Rule, text, typed } from './rule.ts'
import { checkTogether } from './rules-together.ts'
import { idText, plainText } from './schema-text.ts'
import { into, type Spot, type Surface } from './spot.ts'
import { blockOn } from './surfaces.ts'

const blocksMax: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }

const blocksOf = (surface: Surface): Rule => list(blockOn[surface], { max: blocksMax[surface] })
const blocksRules = { message: blocksOf('message'), modal: blocksOf('modal'), home: blocksOf('home') }

const sharedView = { callback_id: idText, external_id: idText, private_metadata: text({ max: 3000 }) }
const shortText = plainText(24)

const submitForInputs: ObjectRule = ({ blocks, submit }, spot) => {
  if (submit !== undefined || !Array.isArray(blocks)) return []
  const first = blocks.findIndex((entry: unknown) => isObject(entry) && entry.type === 'input')
  if (first < 0) return []
  // Slack points to a key `input` that the block does not have.
  const where = into(into(into(spot, 'blocks'), first), 'input')
  return [
    fault(where, 'must define `submit` to use an `input` block in modals', {
      type: 'required',
      expected: 'submit',
    }),
  ]
}

const blocksTogether: ObjectRule = ({ blocks }, spot) => checkTogether(blocks, into(spot, 'blocks'))

const views: Readonly<Record<'modal' | 'home', Rule>> = {
  modal: typed(
    { title: shortText, blocks: blocksRules.modal },
    { ...sharedView, submit: shortText, close: shortText, clear_on_close: flag, notify_on_close: flag },
    submitForInputs,
    blocksTogether,
  ),
  home: typed({ blocks: blocksRules.home }, sharedView, blocksTogether),
}
const anyView = kinds(views)

const rootOf = (surface: Surface): Spot => ({ pointer: '', field: 'view', surface })

/**
 * Everything wrong with `blocks` on this surface, first fault first; an empty list means that Slack takes them.
 * Pointers start with `/blocks`. Ids and totals are looked at only when every block is well formed by itself.
 * Whether Slack can fetch an image, and whether a file is its sender's, is not a matter of shape and not asked here.
 */
export function checkBlocks(blocks: unknown, surface: Surface): readonly BlockFault[] {
  const spot = into(rootOf(surface), 'blocks')
  const faults = blocksRules[surface](blocks, spot)
  return faults.length > 0 ? faults : checkTogether(blocks, spot)
}

/**
 * Everything wrong with a modal or Home view; an empty list means that Slack takes it. Pointers start at the view
 * (`/title/text`, `/blocks/0/…`). The 250 KB of a whole view are the caller's.
 */
export function checkView(view: unknown): readonly BlockFault[] {
  if (!isObject(view)) return [wrongKind(rootOf('modal'), 'object', view)]
  return anyView(view, rootOf(view.type === 'home' ? 'home' : 'modal'))
}

export { blocksTextLength } from './text-length.ts'
export type { BlockFault, Surface }

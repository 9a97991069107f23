/** A view as the app gives it, checked as Slack does; used by `views.*` and by the answers to a submission. */
import { checkView } from '../blocks/check.ts'
import { isFields, itemsOf } from '../state/fields.ts'
import { tidyBlocks } from '../state/sanitize.ts'
import type { State } from '../state/state.ts'
import type { View, ViewAsk } from '../state/views.ts'
import { checkPictures } from './pictures.ts'
import { badArguments, type No, no } from './reply.ts'

export type ViewVerdict =
  | { readonly ok: true; readonly ask: ViewAsk }
  | { readonly ok: false; readonly reply: No }

/** The whole view as JSON; Slack-facts 2.2. */
const viewBytesMax = 250_000

/** `replaces` is the view that this one takes the place of, whose `external_id` it may keep. */
export function readView(state: State, value: unknown, type: 'modal' | 'home', replaces?: View): ViewVerdict {
  const refuse = (reply: No): ViewVerdict => ({ ok: false, reply })
  if (!isFields(value)) return refuse(badArguments('view must be an object [json-pointer:/view]'))
  if (Buffer.byteLength(JSON.stringify(value)) > viewBytesMax) return refuse(no('view_too_large'))
  const faults = checkView(value)
  const pictures = faults.length > 0 ? [] : checkPictures(state, value.blocks, '/blocks')
  const reasons = [...faults, ...pictures].map(
    ({ message, pointer }) => `${message} [json-pointer:/view${pointer}]`,
  )
  if (reasons.length > 0) return refuse(badArguments(...reasons))
  if (value.type !== type) {
    return refuse(
      badArguments(
        `expected a view of type ${type}, got ${JSON.stringify(value.type)} [json-pointer:/view/type]`,
      ),
    )
  }
  const { external_id: externalId } = value
  if (typeof externalId === 'string' && externalId !== '') {
    const holder = state.views.byExternalId(externalId)
    if (holder !== undefined && holder !== replaces) return refuse(no('duplicate_external_id'))
  }
  const blocks = tidyBlocks(itemsOf(value.blocks).filter(isFields), state.ids.blockId)
  return { ok: true, ask: { ...value, type, blocks } }
}

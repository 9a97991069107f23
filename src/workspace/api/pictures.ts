/** The pictures in blocks, checked while a message is taken: Slack fetches addresses and looks up files (slack-facts 2.5, 5.2, 5.3). */
import type { BlockFault } from '../blocks/check.ts'
import { isFields } from '../state/fields.ts'
import { kindOf } from '../state/files.ts'
import type { State } from '../state/state.ts'

export function checkPictures(state: State, value: unknown, pointer: string): readonly BlockFault[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => checkPictures(state, item, `${pointer}/${at}`))
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${pointer}/${key}`
    if (key === 'image_url' && typeof inner === 'string') {
      return state.images.canFetch(inner) ? [] : [{ message: 'downloading image failed', pointer: here }]
    }
    if (key === 'slack_file') {
      return isUsable(state, inner) && !state.faults.takeImageRefusal()
        ? []
        : [{ message: 'invalid slack file', pointer: here }]
    }
    return checkPictures(state, inner, here)
  })
}

/** Only by its id: the bot names no file by its address. */
function isUsable(state: State, reference: unknown): boolean {
  const file = isFields(reference) ? state.files.find(String(reference.id)) : undefined
  if (file?.bytes === undefined || file.ownerId !== state.bot.userId) return false
  return state.files.isReady(file) && kindOf(file.bytes).mimetype.startsWith('image/')
}

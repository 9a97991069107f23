/**
 * The pictures in blocks, looked at while a message is taken (slack-facts 2.5, 5.2, 5.3). They are files that the bot has
 * uploaded, named by their ids; what stands at an address of the web cannot be fetched from here.
 */
import type { BlockFault } from '../blocks/check.ts'
import { isFields } from '../state/fields.ts'
import { kindOf } from '../state/files.ts'
import type { State } from '../state/state.ts'

export function checkPictures(state: State, value: unknown, pointer: string): readonly BlockFault[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => checkPictures(state, item, `${pointer}/${at}`))
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${pointer}/${key}`
    if (key === 'image_url') return [{ message: 'downloading image failed', pointer: here }]
    if (key === 'slack_file')
      return isUsable(state, inner) ? [] : [{ message: 'invalid slack file', pointer: here }]
    return checkPictures(state, inner, here)
  })
}

function isUsable(state: State, reference: unknown): boolean {
  if (state.faults.takeImageRefusal()) return false
  const file = isFields(reference) ? state.files.find(String(reference.id)) : undefined
  if (file?.bytes === undefined || file.ownerId !== state.bot.userId) return false
  return state.files.isReady(file) && kindOf(file.bytes).mimetype.startsWith('image/')
}

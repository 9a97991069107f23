/** The pictures in blocks, checked while a message is taken: Slack fetches addresses and looks up files (slack-facts 2.5, 5.2, 5.3). */
import { isFields } from '../state/fields.ts'
import { kindOf, type StoredFile } from '../state/files.ts'
import type { State } from '../state/state.ts'
import { tellFile } from '../state/tell-message.ts'

export type PictureFault = { readonly message: string; readonly pointer: string }

export function checkPictures(state: State, value: unknown, pointer: string): readonly PictureFault[] {
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

function isUsable(state: State, reference: unknown): boolean {
  const file = lookUp(state, reference)
  if (file?.bytes === undefined) return false
  return (
    file.ownerId === state.bot.userId &&
    state.files.isReady(file) &&
    kindOf(file.bytes).mimetype.startsWith('image/')
  )
}

function lookUp(state: State, reference: unknown): StoredFile | undefined {
  if (!isFields(reference)) return undefined
  if (typeof reference.id === 'string') return state.files.find(reference.id)
  const { url } = reference
  if (typeof url !== 'string') return undefined
  return state.files.all().find((file) => {
    const told = tellFile(state, file)
    return told.url_private === url || told.permalink === url
  })
}

/** Shapes shared by the parts of the file: mappings without unknown keys, lists and texts with a limit, addresses. */
import { z } from 'zod'

/** A mapping without unknown keys; the message for an unknown key lists the valid ones. */
export function mapping<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `one of ${keys}` : `a mapping of ${keys}`),
  })
}

export function textOf(charsMax: number, expected = `text of 1 to ${charsMax} characters`) {
  return z.string({ error: expected }).min(1, { error: expected }).max(charsMax, { error: expected })
}

export function listOf<Item extends z.ZodType>(item: Item, max: number, what: string) {
  return z.array(item, { error: `a list of ${what}` }).max(max, { error: `at most ${max} ${what}` })
}

/** An address, as a URL. */
export const address = z
  .string({ error: 'an address with http:// or https://' })
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url
    context.addIssue({ code: 'custom', message: 'an address with http:// or https://' })
    return z.NEVER
  })

/** Schemas for parts of the policy file, with messages that say what is expected. */
import { z } from 'zod'

/** A mapping without unknown keys; the message for an unknown key lists the valid ones. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T, note = '') {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `one of ${keys}` : `a mapping of ${keys}${note}`),
  })
}

/** A text for which `isGood`; `expected` is the message. */
export function text(expected: string, isGood: (value: string) => boolean) {
  // The description is what editors show, by the schema of the file.
  return z.string({ error: expected }).refine(isGood, { error: expected }).describe(expected)
}

/** One of these words. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` })
}

/** Is it UTF-8, percent-encoded or not? */
export function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** A channel, or a person, whom it reaches by direct message. */
export const channelOrPersonId = {
  shape: /^[CGUW][A-Z0-9]{1,20}$/,
  expected: 'a channel id such as C0123456789, or the id of a person such as U0123456789',
}
export const channelId = { shape: /^[CG][A-Z0-9]{1,20}$/, expected: 'a channel id such as C0123456789' }

const mentioned = '(?:oncall|<(?:!subteam\\^S[A-Z0-9]{1,20}|@[UW][A-Z0-9]{1,20}|!here|!channel|!everyone)>)'
const mentionShape = new RegExp(`^${mentioned}(?: ${mentioned}){0,9}$`)

/** Who is mentioned; null for nobody. */
export const mention = text(
  'a mention in Slack notation, such as <!subteam^S123>, <@U123> or <!here>, or oncall',
  (value) => mentionShape.test(value),
)
  .nullable()
  .default(null)

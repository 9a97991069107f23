/** Shapes of what people write into settings and the policy file. Each message says what is expected, and never what came. */
import { z } from 'zod'

/** A mapping without unknown keys; the message for an unknown key lists the valid ones. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => `${code === 'unrecognized_keys' ? 'one' : 'a mapping'} of ${keys}`,
  })
}

/** A text of this form. The description is what editors show. */
export function text(expected: string, form: RegExp | ((value: string) => boolean)) {
  const isGood = form instanceof RegExp ? (value: string) => form.test(value) : form
  return z.string({ error: expected }).refine(isGood, { error: expected }).describe(expected)
}

/** A text that `parse` understands; null is a no. */
export function read<Value>(expected: string, parse: (text: string) => Value | null) {
  const shape = z.string({ error: expected }).describe(expected)
  return shape.transform((value, context): Value => {
    const parsed = parse(value)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` })
}

export const channelId = text('a channel id such as C0123456789', /^[CG][A-Z0-9]{1,20}$/)

/** The https:// address of a calendar: in the clear only to this machine, since such addresses are often secrets. */
export const calendarAddress = text('the https:// address of a calendar', (value) => {
  const url = URL.parse(value)
  if (url === null || value.length > 2000 || url.username !== '' || url.password !== '') return false
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
})

const shownCharsMax = 60
/** A token of Slack, or an address with a password. */
const looksSecret = /\bx(?:ox[a-z]|app)-|whsec_|:\/\/[^/\s]*:[^/\s]*@/

/** What came, for a problem. Whatever holds one of `secrets`, or looks like one, is told by its length only. */
export function shown(value: unknown, secrets: readonly string[]): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a mapping'
  const all = String(value)
  if (looksSecret.test(all) || secrets.some((secret) => all.includes(secret)))
    return `a value of ${all.length} characters that holds a secret`
  const cut = all.length > shownCharsMax ? `${all.slice(0, shownCharsMax)}…` : all
  return typeof value === 'string' ? JSON.stringify(cut) : cut
}

/** Shapes shared by the parts of the file: mappings without unknown keys, lists and texts with a limit, addresses and their passwords, own certificates. */
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

export const path = textOf(1_000, 'a path')
/** Own certificates; the names are those of Prometheus' `tls_config`. */
export const tls = mapping({
  ca_file: path.optional(),
  cert_file: path.optional(),
  key_file: path.optional(),
  server_name: textOf(253, 'a name').optional(),
  insecure_skip_verify: z.boolean({ error: 'true or false' }).default(false),
}).refine(({ cert_file: cert, key_file: key }) => (cert === undefined) === (key === undefined), {
  error: 'both cert_file and key_file, or neither',
})

export type TlsPart = z.output<typeof tls>

/** `authorization` is the whole header, a secret; null if the address has no user. */
export function withoutCredentials(given: URL): { readonly url: URL; readonly authorization: string | null } {
  const url = new URL(given)
  const { username, password } = url
  url.username = ''
  url.password = ''
  if (username === '' && password === '') return { url, authorization: null }
  const pair = `${decoded(username)}:${decoded(password)}`
  return { url, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** Without percent-encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A literal percent sign.
    return text
  }
}

/** The shape of an address with what goes along with every request to it: headers, token or password, own certificates. */
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Endpoint } from '../prometheus/settings.ts'
import { address, decoded, mapping, path, type TlsPart, tls, withoutCredentials } from './shapes.ts'

const headersMax = 20
const headerCharsMax = 4_000

const tokenExpected = 'a token: visible ASCII without spaces'
const token = z.string({ error: tokenExpected }).regex(/^[\x21-\x7e]+$/, { error: tokenExpected })

/** Those that the request itself sets; with others of one's own it could not be read. */
const takenHeaders =
  /^(?:accept|accept-encoding|connection|content-.*|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i
const nameExpected = 'the name of a header that the request does not set itself, such as X-Scope-OrgID'
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: nameExpected })
  .refine((name) => !takenHeaders.test(name), { error: nameExpected })
const headerExpected = `1 to ${headerCharsMax} visible ASCII characters and spaces, or { file: PATH }`
const headerText = z
  .string()
  .max(headerCharsMax, { error: headerExpected })
  .regex(/^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/, { error: headerExpected })
const headerValue = z.union([headerText, z.strictObject({ file: path })], { error: headerExpected })

const mapped = mapping({
  url: address,
  headers: z
    .record(headerName, headerValue, {
      error: ({ code }) => (code === 'invalid_key' ? nameExpected : 'a mapping of headers to their values'),
    })
    .refine((given) => Object.keys(given).length <= headersMax, { error: `at most ${headersMax} headers` })
    .refine(
      (given) =>
        new Set(Object.keys(given).map((name) => name.toLowerCase())).size === Object.keys(given).length,
      {
        error: 'each header once, whatever its capitals',
      },
    )
    .default({}),
  token: token.optional(),
  token_file: path.optional(),
  password_file: path.optional(),
  tls: tls.optional(),
}).superRefine((given, context) => {
  const { url, headers, token, token_file: tokenFile, password_file: passwordFile } = given
  const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message })
  const isNamed = url.username !== '' || url.password !== ''
  const ways = {
    token,
    token_file: tokenFile,
    password_file: passwordFile,
    headers: Object.keys(headers).some((name) => name.toLowerCase() === 'authorization') || undefined,
  }
  const [first, second] = Object.entries(ways).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  if (second !== undefined) refuse(second, `no second credential beside ${first}`)
  if (passwordFile !== undefined && (url.username === '' || url.password !== ''))
    refuse('password_file', 'an address with a user and no password beside it')
  if (isNamed && first !== undefined && first !== 'password_file')
    refuse(first, 'no user and password in the address beside it')
  if (given.tls !== undefined && url.protocol !== 'https:')
    refuse('url', 'an address with https:// beside tls')
})

/** As given; paths of files are still relative to the file. */
export type EndpointPart = z.output<typeof mapped>

/** An address, or a mapping with one. */
export const endpoint = z.unknown().transform((given, context): EndpointPart => {
  const isMapping = typeof given === 'object' && given !== null && !Array.isArray(given)
  const found = isMapping ? mapped.safeParse(given) : address.safeParse(given)
  if (found.success) return found.data instanceof URL ? partOf(found.data) : found.data
  // Their own places and words: those of a union would name neither.
  for (const issue of found.error.issues) context.addIssue({ ...issue, path: [...issue.path] } as never)
  return z.NEVER
})

export function partOf(url: URL): EndpointPart {
  return { url, headers: {} }
}

/** Whether it says more than an address. */
export function isMore(part: EndpointPart): boolean {
  return Object.entries(part).some(([key, value]) => key !== 'url' && Object.keys(value ?? {}).length > 0)
}

/** The same with paths that are relative to this file made absolute. */
export function withPaths(part: EndpointPart, file: string): EndpointPart {
  const absolute = (path: string): string => resolve(dirname(file), path)
  const tlsOf = ({ ca_file, cert_file, key_file, ...rest }: TlsPart): TlsPart => ({
    ...rest,
    ...(ca_file === undefined ? {} : { ca_file: absolute(ca_file) }),
    ...(cert_file === undefined ? {} : { cert_file: absolute(cert_file) }),
    ...(key_file === undefined ? {} : { key_file: absolute(key_file) }),
  })
  const { headers, token_file: tokenFile, password_file: passwordFile, tls: own, ...rest } = part
  return {
    ...rest,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : { file: absolute(value.file) },
      ]),
    ),
    ...(tokenFile === undefined ? {} : { token_file: absolute(tokenFile) }),
    ...(passwordFile === undefined ? {} : { password_file: absolute(passwordFile) }),
    ...(own === undefined ? {} : { tls: tlsOf(own) }),
  }
}

/** A token from the environment, or the file that holds it; for addresses without credentials of their own. */
export type CommonToken = { readonly token: string | null; readonly tokenFile: string | null }

export function endpointOf(part: EndpointPart, common: CommonToken): Endpoint {
  const { url, authorization } = withoutCredentials(part.url)
  url.search = ''
  url.hash = ''
  const hasOwnHeader = Object.keys(part.headers).some((name) => name.toLowerCase() === 'authorization')
  const isWithout =
    authorization === null && part.token === undefined && part.token_file === undefined && !hasOwnHeader
  const bearer = part.token ?? (isWithout ? common.token : null)
  const tokenFile = part.token_file ?? (isWithout ? common.tokenFile : null)
  return {
    url: url.href.replace(/\/+$/, ''),
    authorization: bearer === null ? authorization : `Bearer ${bearer}`,
    ...(tokenFile === null ? {} : { tokenFile }),
    ...(part.password_file === undefined
      ? {}
      : {
          authorization: null,
          passwordFile: { user: decoded(part.url.username), path: part.password_file },
        }),
    ...(Object.keys(part.headers).length === 0 ? {} : { headers: part.headers }),
    ...(part.tls === undefined ? {} : { tls: part.tls }),
  }
}

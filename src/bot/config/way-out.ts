/** The settings of the way out: the proxy, and certificates of one's own. */
import { X509Certificate } from 'node:crypto'
import type { ProxySettings } from '../../shared/outward.ts'
import { describeValue, type Problem } from './config-error.ts'
import { Secret } from './secret.ts'
import { isDecodable, text } from './shapes.ts'

export const proxyAddress = text(
  'the address of a proxy, http://USER:PASSWORD@HOST:PORT, percent-encoded (# as %23, ü as %C3%BC)',
  isProxyAddress,
)
  .transform((value) => new Secret(value))
  .optional()

export const direct = text('hosts between commas, or *', (value) =>
  /^[\x20-\x7e]{1,4000}$/.test(value),
).optional()

/** Null without an address of a proxy. */
export function proxyOf(set: {
  readonly HTTP_PROXY?: Secret | undefined
  readonly HTTPS_PROXY?: Secret | undefined
  readonly NO_PROXY?: string | undefined
}): ProxySettings | null {
  const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: direct = '' } = set
  if (http === undefined && https === undefined) return null
  return { http: http ?? null, https: https ?? null, direct }
}

/** The text of the file of certificates, each of which can be read. */
export function readAuthorities(
  path: string | undefined,
  readFile: (path: string) => string,
  secrets: readonly string[],
): { readonly pem: string | null; readonly problems: readonly Problem[] } {
  if (path === undefined) return { pem: null, problems: [] }
  try {
    const pem = readFile(path)
    const all = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
    if (all.length > 0 && all.every((one) => new X509Certificate(one))) return { pem, problems: [] }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const came = `${describeValue(path, secrets)}, which cannot be read (${String(error.code)})`
    return { pem: null, problems: [{ setting: 'CA_FILE', expected: certificates, came }] }
  }
  const came = `${describeValue(path, secrets)}, which holds none`
  return { pem: null, problems: [{ setting: 'CA_FILE', expected: certificates, came }] }
}

const certificates = 'the path of a file of certificates in PEM'

function isProxyAddress(value: string): boolean {
  const url = URL.parse(value)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isWeb || url.pathname !== '/' || url.search !== '' || url.hash !== '') return false
  return isDecodable(url.username) && isDecodable(url.password)
}

/** What must never be shown of it: the addresses, and passwords long enough to be no word that lines hold anyway. */
export function secretsOfProxy(proxy: ProxySettings | null): Secret[] {
  const addresses = [proxy?.http, proxy?.https].flatMap((one) => one?.reveal() ?? [])
  return addresses.flatMap((address) => {
    const { password } = new URL(address)
    if (password === '') return []
    const all = [address, ...(password.length < 6 ? [] : [password, decodeURIComponent(password)])]
    return all.map((one) => new Secret(one))
  })
}

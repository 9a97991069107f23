/** How an alert's sparkline gets onto its card. The link comes from outside: nothing here trusts it. */

/** The setting: `auto` lets Slack fetch what it can reach and uploads the rest; `chart` draws every picture itself. */
export type Images = 'auto' | 'url' | 'upload' | 'chart' | 'off'

/** Tries at one picture, fetching and showing counted together; a card without it is complete too. */
export const pictureAttemptsMax = 6

/** No picture waits longer for its next try, whatever the API or Slack ask for. */
export const pictureWaitMaxMs = 10 * 60_000

/**
 * - `url`: Slack fetches the alert's sparkline
 * - `upload`: the bot fetches it and hands Slack the bytes
 * - `chart`: the bot draws the metric as it is now, from `metrics.json`
 * - `episode`: the bot draws the metric from before the alert opened until after it closed
 */
export type PictureWay = 'url' | 'upload' | 'chart' | 'episode'

/** A picture that a card is to have; a later one for the same card takes its place. */
export type NewPicture = { readonly cardId: string; readonly alertId: string; readonly way: PictureWay }

/** The way for a link, or null when there is none. `apiOrigin` is the only place that the bot itself fetches from. */
export function pictureWay(link: string, images: Images, apiOrigin: string): PictureWay | null {
  if (images === 'off') return null
  if (images === 'chart') return 'chart'
  const url = parseHttpUrl(link)
  if (url === null) return null
  if (images === 'url') return 'url'
  if (images === 'auto' && isPublicHost(url.hostname)) return 'url'
  return url.origin === apiOrigin ? 'upload' : null
}

/** The way that is left when Slack refused to fetch the link. */
export function wayAfterRefusal(link: string, images: Images, apiOrigin: string): PictureWay | null {
  return images === 'auto' && parseHttpUrl(link)?.origin === apiOrigin ? 'upload' : null
}

/** The link as a URL if its scheme is http or https and it carries no credentials; else null. */
export function parseHttpUrl(link: string): URL | null {
  const url = URL.parse(link)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  return url.username === '' && url.password === '' ? url : null
}

/**
 * Could a server on the public internet reach this host, going by its name alone? Slack refuses a whole message over one
 * image that it cannot fetch, so hosts that are surely private are not even tried.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicIpv4(host)
  const privateEndings = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home.arpa']
  return host.includes('.') && !privateEndings.some((end) => host === end || host.endsWith(`.${end}`))
}

function isPublicIpv4(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number)
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100 && b >= 64 && b < 128) return false
  if (a === 172 && b >= 16 && b < 32) return false
  return !(a === 169 && b === 254) && !(a === 192 && b === 168)
}

// Only the global unicast block is public; an embedded IPv4 address stands outside of it, but for those of 6to4.
function isPublicIpv6(address: string): boolean {
  return /^[23][0-9a-f]{3}:/.test(address) && !address.startsWith('2002:')
}

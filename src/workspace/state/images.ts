/**
 * Whether Slack could fetch an image by its address while it handles a post (slack-facts 2.5). Nothing is fetched here:
 * addresses that Slack's servers could never reach are refused, and for the public ones a table or function answers. Its
 * default knows the names that no real host has: `.example` and `example.com` with its subdomains can be fetched, all else cannot.
 */
import { BlockList, isIP } from 'node:net'

/** `flaky` fails the first time and every second time after that. */
export type ImageVerdict = 'ok' | 'fail' | 'flaky'
/** By host name, or by a function of the whole address; a host that the table does not name gets the default. */
export type PublicImages = Readonly<Record<string, ImageVerdict>> | ((url: URL) => ImageVerdict)

/** More flaky hosts than this begin anew. */
const flakyHostsMax = 1_000

export type Images = { canFetch(address: string): boolean }

const unreachable = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  unreachable.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  unreachable.addSubnet(net, bits, 'ipv6')
}

/** Names that only mean something inside somebody's own network. */
const innerNames = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|invalid)$/

export function openImages(options: { publicImages?: PublicImages; refuse: () => boolean }): Images {
  const table = options.publicImages ?? {}
  const tries = new Map<string, number>()

  function verdict(url: URL): ImageVerdict {
    if (typeof table === 'function') return table(url)
    const listed = Object.hasOwn(table, url.hostname) ? table[url.hostname] : undefined
    return listed ?? (/(^|\.)(example|example\.com)$/.test(url.hostname) ? 'ok' : 'fail')
  }

  return {
    canFetch(address) {
      const url = URL.parse(address)
      if (url === null || !isPublic(url) || options.refuse()) return false
      const said = verdict(url)
      if (said !== 'flaky') return said === 'ok'
      if (tries.size >= flakyHostsMax) tries.clear()
      const before = tries.get(url.hostname) ?? 0
      tries.set(url.hostname, before + 1)
      return before % 2 === 1
    },
  }
}

function isPublic(url: URL): boolean {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const family = isIP(host)
  if (family !== 0) return !unreachable.check(host, family === 4 ? 'ipv4' : 'ipv6')
  return host.includes('.') && !innerNames.test(host)
}

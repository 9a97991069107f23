/** Checks that a request was made by a program of this machine, and for nobody else, because the control API has no key. */
import type { IncomingMessage } from 'node:http'

type Asked = Pick<IncomingMessage, 'headers' | 'httpVersion'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Refuses remote clients, what a proxy passes on, other names of this machine, and pages of other servers. */
export function isOfThisMachine({ headers, httpVersion, socket }: Asked): boolean {
  return (
    isLoopback(socket.remoteAddress) &&
    !isPassedOn(headers, httpVersion) &&
    isLocal(headers.host) &&
    !isOfAnotherPage(headers)
  )
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address)
}

/** What proxies and tunnels add: RFC 7239, RFC 9110 7.6.3, and the names that nginx, Envoy and the large networks use. */
const proxyHeader =
  /^(?:forwarded|via|x[-_](?:forwarded|original|real|client|cluster|envoy|proxy)(?:[-_].*)?|true-client-ip|cf-.*|x-amzn-trace-id)$/

/** nginx speaks HTTP 1.0 to what is behind it unless it is told otherwise, and adds no header then. */
function isPassedOn(headers: IncomingMessage['headers'], httpVersion: string): boolean {
  return httpVersion === '1.0' || Object.keys(headers).some((name) => proxyHeader.test(name))
}

/** Another page's hostname may resolve to 127.0.0.1; its requests still carry that name. */
function isLocal(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/.test(host)
}

/** Programs send neither header; see https://w3c.github.io/webappsec-fetch-metadata/ for the second. */
function isOfAnotherPage({ origin, host, 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host
}

/** Who is asking: a program of this machine for itself, or somebody behind a proxy, to whom everybody looks like this machine. */
import type { IncomingMessage } from 'node:http'

/** What proxies and tunnels add (RFC 7239, RFC 9110 7.6.3, and the names of nginx, Envoy and the large networks). */
const proxyHeader =
  /^(?:forwarded|via|x[-_](?:forwarded|original|real|client|cluster|envoy|proxy)(?:[-_].*)?|true-client-ip|cf-.*|x-amzn-trace-id)$/

type Request = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>

function isPassedOn({ headers, httpVersion }: Pick<Request, 'headers' | 'httpVersion'>): boolean {
  // nginx speaks HTTP 1.0 to what is behind it unless it is told otherwise, and adds no header then.
  return httpVersion === '1.0' || Object.keys(headers).some((name) => proxyHeader.test(name))
}

/** Made by a program of this machine, for nobody else: not passed on, under a local name, not by a page of another server. */
export function isOfThisMachine(request: Request): boolean {
  const { host, origin, 'sec-fetch-site': site } = request.headers
  const isLoopback = /^(?:127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '')
  const isLocalName = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/.test(host ?? '')
  const isOtherPage =
    (site !== undefined && site !== 'same-origin' && site !== 'none') ||
    (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host)
  return isLoopback && !isPassedOn(request) && isLocalName && !isOtherPage
}

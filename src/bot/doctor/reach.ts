/** Tests whether an address can be reached, without sending a request to it. */
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { request } from 'undici'
import { isProxied, refusedByProxy } from '../../shared/outward.ts'
import { type Finding, failed, ok, skipped } from './finding.ts'

const connectMs = 5_000

/** Whether the host of a URL can be reached, as `check` of `name`; `reached` is what is said if it can. */
export async function reachFinding(
  check: string,
  address: string,
  { name, reached, todo }: { readonly name: string; readonly reached: string; readonly todo: string },
): Promise<Finding> {
  const unreached = await whyUnreachable(address)
  if (unreached === null) return ok(check, reached)
  const { why, isKnown } = unreached
  return isKnown
    ? failed(check, `${name} cannot be reached (${why})`, todo)
    : skipped(check, `whether ${name} can be reached is not known (${why})`)
}

/** A code or a phrase that says why; not known where a proxy may have answered in place of the host. */
type Unreached = { readonly why: string; readonly isKnown: boolean }

/** Connects to a URL's host, encrypted where the URL says so, and sends nothing more. Null if that works. */
async function whyUnreachable(address: string): Promise<Unreached | null> {
  const { host: hostAndPort, hostname, port, protocol } = new URL(address)
  const isEncrypted = protocol === 'https:' || protocol === 'wss:'
  const origin = `http${isEncrypted ? 's' : ''}://${hostAndPort}`
  if (isProxied(origin)) return whyUnreachableByProxy(`${origin}/`)
  const host = hostname.replace(/^\[|\]$/g, '')
  const at = { host, port: Number(port) || (isEncrypted ? 443 : 80) }
  const socket = isEncrypted ? connectTls({ ...at, servername: host }) : connect(at)
  try {
    const why = await new Promise<string | null>((resolve) => {
      // Covers the name's look-up too, which no time limit of a socket does.
      setTimeout(() => resolve('ETIMEDOUT'), connectMs).unref()
      socket.once(isEncrypted ? 'secureConnect' : 'connect', () => resolve(null))
      socket.once('error', (error) => resolve('code' in error ? String(error.code) : 'no answer'))
      socket.once('close', () => resolve('it closed the connection'))
    })
    return why === null ? null : { why, isKnown: true }
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}

/** Asks for the root of the host: what stands at any other address might count the request. */
async function whyUnreachableByProxy(root: string): Promise<Unreached | null> {
  try {
    const { body, statusCode } = await request(root, {
      method: 'HEAD',
      reset: true,
      signal: AbortSignal.timeout(connectMs),
    })
    await body.dump()
    // Without TLS there is no tunnel: the proxy says in the same way that it may not, or cannot, reach the host.
    const isDoubtful = root.startsWith('http:') && (statusCode === 403 || statusCode >= 500)
    return isDoubtful ? { why: `HTTP ${statusCode}, perhaps of the proxy`, isKnown: false } : null
  } catch (error) {
    const code = refusedByProxy(error) ?? Object(error).code
    return { why: typeof code === 'string' ? code : 'no answer', isKnown: true }
  }
}

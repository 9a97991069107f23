/** Tests whether an address can be reached, without sending a request to it. */
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { request } from 'undici'
import { hasProxy, refusedByProxy } from '../../shared/outward.ts'

const connectMs = 5_000

/** Connects to a URL's host, encrypted where the URL says so, and sends nothing more. Null if that works, or a code that says why not. */
export async function whyUnreachable(address: string): Promise<string | null> {
  const { hostname, port, protocol } = new URL(address)
  const isEncrypted = protocol === 'https:' || protocol === 'wss:'
  if (hasProxy()) return whyUnreachableByProxy(`http${isEncrypted ? 's' : ''}://${new URL(address).host}/`)
  const host = hostname.replace(/^\[|\]$/g, '')
  const at = { host, port: Number(port) || (isEncrypted ? 443 : 80) }
  const socket = isEncrypted ? connectTls({ ...at, servername: host }) : connect(at)
  try {
    return await new Promise<string | null>((resolve) => {
      // Covers the name's look-up too, which no time limit of a socket does.
      setTimeout(() => resolve('ETIMEDOUT'), connectMs).unref()
      socket.once(isEncrypted ? 'secureConnect' : 'connect', () => resolve(null))
      socket.once('error', (error) => resolve('code' in error ? String(error.code) : 'no answer'))
      socket.once('close', () => resolve('it closed the connection'))
    })
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}

/** Asks for the root of the host: what stands at any other address might count the request. */
async function whyUnreachableByProxy(root: string): Promise<string | null> {
  try {
    const { body } = await request(root, {
      method: 'HEAD',
      reset: true,
      signal: AbortSignal.timeout(connectMs),
    })
    await body.dump()
    return null
  } catch (error) {
    const code = refusedByProxy(error) ?? Object(error).code
    return typeof code === 'string' ? code : 'no answer'
  }
}

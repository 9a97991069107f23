/**
 * How this process reaches what is outside: through the proxy, and trusting an authority of its own, as the settings say. Postgres is
 * no part of it.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit } from 'undici'
import type { ReadFile } from './load.ts'
import type { Config } from './settings.ts'

/** Never by way of a proxy: it would look for them on its own machine. */
const loopback = ['localhost', '127.0.0.1', '::1']

export type WayOut = {
  /** For undici, and to whatever address: it decides by itself what goes through the proxy. */
  readonly dispatcher: Dispatcher
  /** For the Slack SDK. */
  readonly fetch: typeof globalThis.fetch
  /** For sockets; undefined without a proxy, since with one of ours the SDK cannot end a socket that hangs. */
  readonly socketDispatcher: Dispatcher | undefined
}

/** Call it once, before anything goes out: the certificates of `caFile` are trusted by the whole process from then on. */
export function wayOutOf({ proxy, caFile }: Pick<Config, 'proxy' | 'caFile'>, readFile: ReadFile): WayOut {
  if (caFile !== null) setDefaultCACertificates([...getCACertificates('default'), readFile(caFile)])
  // As Node's own fetch: undici would choose HTTP/2 where it is offered.
  const options = { allowH2: false }
  const [http, https] = [proxy.http?.reveal() ?? '', (proxy.https ?? proxy.http)?.reveal() ?? '']
  if (http === '' && https === '')
    return { dispatcher: new Agent(options), fetch: globalThis.fetch, socketDispatcher: undefined }
  // All three are given, so that undici reads nothing of the environment.
  const noProxy = [...proxy.none, ...loopback].join(',')
  const dispatcher = new EnvHttpProxyAgent({ ...options, httpProxy: http, httpsProxy: https, noProxy })
  // Node's own fetch, of an older undici, takes no dispatcher of this one.
  const ours = (input: string, init?: RequestInit) => fetch(input, { ...init, dispatcher })
  return {
    dispatcher,
    fetch: ours as unknown as typeof globalThis.fetch,
    socketDispatcher: dispatcher,
  }
}

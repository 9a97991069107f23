/**
 * How this process reaches what is outside: through a proxy, and trusting an authority of its own, if the settings say so. The entry sets
 * both once, before anything is called; every other file opens its connections here, or calls undici, which then goes the same way.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, setGlobalDispatcher } from 'undici'

type Revealing = { reveal(): string }

export type ProxySettings = {
  /** Address of the proxy for http:// addresses; null: none. It may hold a user name and a password. */
  readonly http: Revealing | null
  /** The same for https:// and wss://; null: as `http`. */
  readonly https: Revealing | null
  /** Hosts that are reached directly, as NO_PROXY lists them. */
  readonly direct: string
}

/** Never by way of a proxy: it would look for them on its own machine. */
const loopback = 'localhost,127.0.0.1,::1'

let proxy: ProxySettings | null = null

/** Call it once, before anything else is called. `authorities`: certificates in PEM, trusted beside those that Node trusts. */
export function goOut(by: {
  readonly proxy: ProxySettings | null
  readonly authorities: string | null
}): void {
  if (by.authorities !== null) setDefaultCACertificates([...getCACertificates('default'), by.authorities])
  if (by.proxy === null) return
  proxy = by.proxy
  // Like Node's own; undici's would choose HTTP/2 if it is offered.
  setGlobalDispatcher(openAgent({ allowH2: false }))
}

/** An agent of undici with these options, through the proxy if there is one. */
export function openAgent(options: Agent.Options): Dispatcher {
  if (proxy === null) return new Agent(options)
  const { http, https, direct } = proxy
  return new EnvHttpProxyAgent({
    ...options,
    // Empty, so that undici does not read the environment itself.
    httpProxy: http?.reveal() ?? '',
    httpsProxy: https?.reveal() ?? http?.reveal() ?? '',
    noProxy: [direct, loopback].join(','),
  })
}

/** For a client that opens its own connections unless it is given another way; undefined without a proxy. */
export function openProxied(options: Agent.Options): Dispatcher | undefined {
  return proxy === null ? undefined : openAgent(options)
}

/** Whether requests to this origin go through a proxy. It sends nothing: undici, which has rules of its own for NO_PROXY, says how it would connect. */
export function isProxied(origin: string): boolean {
  let isIt = false
  const factory = (_: unknown, options: Agent.Options): never => {
    // To a proxy it connects by a function of its own.
    isIt = typeof options.connect === 'function'
    throw new Error('only asked, not sent')
  }
  openAgent({ factory }).dispatch({ origin, path: '/', method: 'HEAD' }, { onResponseError: () => undefined })
  return isIt
}

/** The code `PROXY_407` if the proxy refused to connect, with its status; null for any other error. Nothing was sent then. */
export function refusedByProxy(error: unknown): string | null {
  for (
    let one: unknown = error, depth = 0;
    one instanceof Error && depth < causesMax;
    one = one.cause, depth += 1
  ) {
    // undici has no other mark for it.
    const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(one.message)?.[1]
    if (status !== undefined) return `PROXY_${status}`
  }
  return null
}

const causesMax = 5

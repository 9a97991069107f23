/**
 * How this process reaches what is outside, but for Postgres: through the proxy, trusting an authority of its own, within 10 s, and at
 * most 5 MiB. No error holds the address that was asked, which is often a secret.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit } from 'undici'
import { hour, second } from './clock.ts'
import type { ReadFile } from './config/load.ts'
import type { Config } from './config/settings.ts'

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

const withinMs = 10 * second
/** The signal ends it; undici's own five minutes are too short for who may take ten. */
const noLimit = { headersTimeout: 0, bodyTimeout: 0 }
const bytesMax = 5 * 1024 * 1024
/** A longer wait than anybody asks for is not believed. */
const retryAfterMaxMs = hour
const causesMax = 5

export type Question = {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
  readonly withinMs?: number
}
export type Answer = { readonly status: number; readonly afterMs: number | null; readonly body: Buffer }

/** `message` goes on after whom was asked: "can't be reached (ECONNREFUSED)". `isSent`: what was asked may have been done. */
export class NoAnswer extends Error {
  readonly isSent: boolean

  constructor(message: string, isSent: boolean) {
    super(message)
    this.isSent = isSent
  }
}

/**
 * Any answer, whatever its status; throws `NoAnswer` and nothing else. Redirects are not followed. Not by undici's `request`, which takes
 * more time, and of which V8 keeps each answer until it collects the old ones too.
 */
export async function call(dispatcher: Dispatcher, address: string, asked: Question = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = null } = asked
  const parts: Buffer[] = []
  let [status, seconds, size, isLate] = [0, 0, 0, false]
  let controller: Dispatcher.DispatchController | null = null
  const end = (why: string) => controller?.abort(new NoAnswer(why, true))
  const timer = setTimeout(() => {
    isLate = true
    end('timed out')
  }, asked.withinMs ?? withinMs)
  try {
    const { origin, pathname, search } = new URL(address)
    const options = { origin, path: pathname + search, method, headers, body, ...noLimit }
    await new Promise<void>((resolve, reject) => {
      dispatcher.dispatch(options, {
        onRequestStart(started) {
          controller = started
          if (isLate) end('timed out')
        },
        onResponseStart(_, code, fields) {
          status = code
          seconds = Number(fields['retry-after'])
        },
        onResponseData(_, part) {
          size += part.length
          parts.push(part)
          // The rest is never read.
          if (size > bytesMax) end('answered with more than 5 MiB')
        },
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      })
    })
    const afterMs = seconds > 0 ? Math.min(seconds * second, retryAfterMaxMs) : null
    return { status, afterMs, body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof NoAnswer) throw error
    const { word, isSent } = failureOf(error)
    throw new NoAnswer(isSent ? `gave no whole answer (${word})` : `can't be reached (${word})`, isSent)
  } finally {
    clearTimeout(timer)
  }
}

/** No connection came about, so nothing was asked. */
const neverSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|PROXY_\d+)$|CERT|SIGNATURE|_TLS_/

/** What went wrong, such as `ECONNREFUSED`, or `PROXY_407` where a proxy refused: of the error or of what caused it. */
export function failureOf(error: unknown): { readonly word: string; readonly isSent: boolean } {
  let one = error
  for (let depth = 0; one instanceof Error && depth < causesMax; depth += 1) {
    // undici has no other mark for it.
    const proxy = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(one.message)?.[1]
    const code = 'code' in one && typeof one.code === 'string' ? one.code : ''
    if (one.name === 'TimeoutError' || /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code))
      return { word: 'timed out', isSent: true }
    const word = proxy === undefined ? code : `PROXY_${proxy}`
    // The codes of the Slack SDK are all lower case.
    if (/^[A-Z][A-Z0-9_]{1,60}$/.test(word)) return { word, isSent: !neverSent.test(word) }
    one = one.cause
  }
  return { word: 'the connection broke', isSent: true }
}

/** http or https, and nothing in front of an @, which would pass for another's address. */
export function isWeb(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** The JSON object that a text is; null if it is none. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/**
 * One request to the monitoring API, and what its answer means. The key is part of every path, so nothing of a request leaves this file:
 * no failure, no log and no record holds an address or the key. Answers end at 5 MiB and 10 s; redirects are not followed.
 */
import type { Dispatcher } from 'undici'
import { second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { messageOf, parseJson } from './parse.ts'
import { ApiFailure, type FailureKind } from './port.ts'

const bodyMax = 5 * 1024 * 1024
const retryAfterMaxMs = 60 * 60 * second

/** Fields without a value are not sent. */
export type Fields = Readonly<Record<string, string | null>>
export type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly segments: readonly string[]
  readonly query?: Fields
  readonly form?: Fields
}
export type ApiAddress = { readonly url: string; readonly key: Secret }
/** Makes one request; the JSON of a success, null for an empty one. Throws `ApiFailure`. */
export type Ask = (call: Call) => Promise<unknown>

export function openAsk({ url, key }: ApiAddress, dispatcher: Dispatcher, timeoutMs: number): Ask {
  const base = new URL(url)
  const prefix = base.pathname.replace(/\/+$/, '')
  return async (call) => {
    const form = call.form === undefined ? null : fieldsOf(call.form).toString()
    const type = form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const path = pathOf(base.origin, prefix, ['api', 'v2', key.reveal(), ...call.segments])
    const answer = await send(dispatcher, {
      origin: base.origin,
      path: call.query === undefined ? path : `${path}?${fieldsOf(call.query)}`,
      method: call.method,
      headers: { accept: 'application/json', ...type },
      body: form,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return readAnswer(answer, key.reveal())
  }
}

/** Exactly these segments: `encodeURIComponent('..')` is `..`, and `DELETE servers/..` would reach the account. */
function pathOf(origin: string, prefix: string, meant: readonly string[]): string {
  const isBad = (segment: string) =>
    ['', '.', '..'].includes(segment) || segment.length > 1_000 || !segment.isWellFormed()
  if (meant.some(isBad)) throw new ApiFailure('refused', "that can't be the name of a server")
  const path = `${prefix}/${meant.map(encodeURIComponent).join('/')}`
  const reached = new URL(origin + path).pathname.slice(prefix.length + 1).split('/')
  const isAsMeant =
    reached.length === meant.length && reached.every((part, at) => decodeURIComponent(part) === meant[at])
  if (!isAsMeant) throw new ApiFailure('refused', "that can't be the name of a server")
  return path
}

function fieldsOf(given: Fields): URLSearchParams {
  const fields = Object.entries(given).filter((field): field is [string, string] => field[1] !== null)
  return new URLSearchParams(fields)
}

type Answer = { readonly status: number; readonly retryAfterMs: number | null; readonly body: Buffer }

export async function send(
  dispatcher: Dispatcher,
  request: Dispatcher.RequestOptions,
  max = bodyMax,
): Promise<Answer> {
  try {
    const { statusCode: status, headers, body } = await dispatcher.request(request)
    const parts: Buffer[] = []
    let size = 0
    // Throwing out of the loop ends the connection: the rest is never read.
    for await (const part of body) {
      size += part.length
      if (size > max) throw new ApiFailure('unclear', `answered with more than ${max / 1024 / 1024} MiB`)
      parts.push(part)
    }
    return { status, retryAfterMs: retryAfterOf(headers['retry-after']), body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof ApiFailure) throw error
    throw failureOf(error)
  }
}

/** Errors of the connection hold addresses: only their code is taken over. */
function failureOf(error: unknown): ApiFailure {
  const { name, code, message } = Object(error) as { name?: unknown; code?: unknown; message?: unknown }
  if (name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new ApiFailure('unclear', 'timed out')
  const proxy = /^Proxy .*\((\d{3})\)/.exec(String(message))?.[1]
  if (proxy !== undefined) return new ApiFailure('later', `the proxy refused the connection (HTTP ${proxy})`)
  const word = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'no code'
  if (neverSent.has(word) || /CERT|SIGNATURE|_TLS_/.test(word))
    return new ApiFailure('later', `can't be reached (${word})`)
  return new ApiFailure('unclear', `gave no whole answer (${word})`)
}

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Seconds, or a date of HTTP, which the answer's own date does not matter for: at most an hour. */
function retryAfterOf(given: string | string[] | undefined): number | null {
  const seconds = Number(given)
  return given !== undefined && seconds > 0 ? Math.min(seconds * second, retryAfterMaxMs) : null
}

/** The JSON of a success, null for an empty one; throws what any other answer means (docs/api.md#errors). */
function readAnswer({ status, retryAfterMs, body }: Answer, key: string): unknown {
  const text = body.toString('utf8').trim()
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && text === '') return null
  let json: unknown
  try {
    json = parseJson(text, key)
  } catch {
    if (isSuccess) throw new ApiFailure('unclear', `returned HTTP ${status} without JSON`)
  }
  if (isSuccess) return json
  throw refusalOf(status, messageOf(json), retryAfterMs)
}

/** Only a message in its own words proves that the API said it: a proxy answers 403 and 404 too, whatever is behind it. */
function refusalOf(status: number, message: string | null, retryAfterMs: number | null): ApiFailure {
  const returned = `returned HTTP ${status}`
  const fail = (kind: FailureKind, words: string) => new ApiFailure(kind, words, retryAfterMs)
  if (status === 401 || (status === 403 && message !== null)) return fail('key', 'the API key was refused')
  if (status === 429 || (status === 503 && message !== null)) return fail('later', returned)
  if (message === null || status < 400 || status >= 500 || status === 407 || status === 408)
    return fail('unclear', returned)
  return fail(status === 404 ? 'missing' : 'refused', message)
}

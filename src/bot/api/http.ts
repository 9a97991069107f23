/**
 * One request to the monitoring API, and what its answer means. The key is part of every path, so nothing of a request leaves this file:
 * no failure, no log and no record holds an address or the key.
 */
import type { Dispatcher } from 'undici'
import { type Answer, call, NoAnswer } from '../call.ts'
import type { Secret } from '../config/settings.ts'
import { messageOf, parseJson } from './parse.ts'
import { ApiFailure, type FailureKind } from './port.ts'

/** Fields without a value are not sent. */
export type Fields = Readonly<Record<string, string | null>>
export type ApiCall = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly segments: readonly string[]
  readonly query?: Fields
  readonly form?: Fields
}
export type ApiAddress = { readonly url: string; readonly key: Secret }
/** Makes one request; the JSON of a success, null for an empty one. Throws `ApiFailure`. */
export type Ask = (asked: ApiCall) => Promise<unknown>

export function openAsk({ url, key }: ApiAddress, dispatcher: Dispatcher, withinMs: number): Ask {
  const base = new URL(url)
  const prefix = base.pathname.replace(/\/+$/, '')
  return async ({ method, segments, query, form }) => {
    const path = pathOf(base.origin, prefix, ['api', 'v2', key.reveal(), ...segments])
    const address = base.origin + (query === undefined ? path : `${path}?${fieldsOf(query)}`)
    const body = form === undefined ? null : fieldsOf(form).toString()
    const type = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { accept: 'application/json', ...type }
    try {
      return readAnswer(await call(dispatcher, address, { method, headers, body, withinMs }), key.reveal())
    } catch (error) {
      if (error instanceof NoAnswer) throw new ApiFailure(error.isSent ? 'unclear' : 'later', error.message)
      throw error
    }
  }
}

/** Exactly these segments: `encodeURIComponent('..')` is `..`, and `DELETE servers/..` would reach the account. */
function pathOf(origin: string, prefix: string, segments: readonly string[]): string {
  const isName = (segment: string) => segment !== '' && segment.length <= 1_000 && segment.isWellFormed()
  const path = segments.every(isName) ? `${prefix}/${segments.map(encodeURIComponent).join('/')}` : ''
  if (new URL(origin + path).pathname === path) return path
  throw new ApiFailure('refused', "that can't be the name of a server")
}

function fieldsOf(given: Fields): URLSearchParams {
  const fields = Object.entries(given).filter((field): field is [string, string] => field[1] !== null)
  return new URLSearchParams(fields)
}

/** The JSON of a success, null for an empty one; throws what any other answer means (docs/api.md#errors). */
function readAnswer({ status, afterMs, body }: Answer, key: string): unknown {
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
  throw refusalOf(status, messageOf(json), afterMs)
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

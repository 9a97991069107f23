/** One HTTP request to the outside: within 10 s, and at most 5 MiB. No error of it holds the address, which is often a secret. */
import { type Dispatcher, request } from 'undici'
import { hour, second } from './clock.ts'

const withinMs = 10 * second
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

/** Any answer, whatever its status; throws `NoAnswer` and nothing else. Redirects are not followed. */
export async function call(dispatcher: Dispatcher, address: string, asked: Question = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = null } = asked
  const signal = AbortSignal.timeout(asked.withinMs ?? withinMs)
  const parts: Buffer[] = []
  try {
    const answer = await request(address, { method, headers, body, dispatcher, signal })
    let size = 0
    // Throwing out of the loop ends the connection: the rest is never read.
    for await (const part of answer.body) {
      size += part.length
      if (size > bytesMax) throw new NoAnswer('answered with more than 5 MiB', true)
      parts.push(part)
    }
    const seconds = Number(answer.headers['retry-after'])
    const afterMs = seconds > 0 ? Math.min(seconds * second, retryAfterMaxMs) : null
    return { status: answer.statusCode, afterMs, body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof NoAnswer) throw error
    const { word, isSent } = failureOf(error)
    if (word === 'timed out') throw new NoAnswer(word, true)
    throw new NoAnswer(isSent ? `gave no whole answer (${word})` : `can't be reached (${word})`, isSent)
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

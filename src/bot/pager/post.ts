/** Posts JSON to a pager, and says how that ended. No reason holds the address, a key or what was sent. */
import { type Dispatcher, request } from 'undici'
import { hour, second } from '../clock.ts'
import { refusedByProxy } from '../config/way-out.ts'
import type { PageOutcome } from './port.ts'

const withinMs = 10 * second
const answerBytesMax = 64_000
/** A longer wait than any pager asks for is not believed. */
const retryAfterMaxMs = hour

/** What was answered, or why nothing was. `text` is its beginning: nothing that matters is longer. */
export type Answer = { readonly status: number; readonly afterMs: number | null; readonly text: string }

/** `who` names the pager in the reason. */
export async function post(
  who: string,
  address: string,
  dispatcher: Dispatcher,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<Answer | Extract<PageOutcome, { kind: 'later' }>> {
  try {
    // No connection is kept: the other end may close it meanwhile.
    const answer = await request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      dispatcher,
      reset: true,
      signal: AbortSignal.timeout(withinMs),
    })
    const seconds = Number(answer.headers['retry-after'])
    const afterMs = seconds > 0 ? Math.min(seconds * second, retryAfterMaxMs) : null
    return { status: answer.statusCode, afterMs, text: await beginningOf(answer.body) }
  } catch (error) {
    const { name, code } = Object(error) as { name?: unknown; code?: unknown }
    const isLate = name === 'TimeoutError'
    const word = refusedByProxy(error) ?? (typeof code === 'string' ? code : 'no answer')
    const why = isLate ? `no answer within ${withinMs / second} s` : word
    return { kind: 'later', why: `${who} can't be reached (${why})`, afterMs: null }
  }
}

/** Whatever ends the text, the status has said what became of the event. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.byteLength
      if (size >= answerBytesMax) break
    }
  } catch {
    // It was cut off.
  }
  return Buffer.concat(parts).toString('utf8')
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

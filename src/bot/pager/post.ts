/** Posts JSON to a pager, and translates what can go wrong. No failure holds the address, a key or what was sent. */
import { request } from 'undici'
import { OutsideFailure } from '../domain/base/failure.ts'

const withinMs = 10_000
const answerBytesMax = 64_000
/** A longer wait than any pager asks for is not believed. */
const retryAfterMaxMs = 60 * 60_000

/** What a pager answers; `isCut`: there may be more. */
export type Answer = { readonly status: number; readonly text: string; readonly isCut: boolean }

/**
 * Posts once. `who` names the pager in failures. Throws an `OutsideFailure` unless it answers 2xx or 400; what a 400 means, its
 * caller knows.
 */
export async function post(
  who: string,
  address: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<Answer> {
  const { retryAfter, ...answer } = await answered(who, address, headers, body)
  const { status } = answer
  if ((status >= 200 && status < 300) || status === 400) return answer
  if (status === 429) {
    const seconds = Number(retryAfter)
    const waitMs = retryAfter !== '' && seconds > 0 ? Math.min(seconds * 1000, retryAfterMaxMs) : null
    throw new OutsideFailure('rate_limited', `${who} takes no more for now (HTTP 429)`, {
      status,
      ...(waitMs === null ? {} : { retryAfterMs: waitMs }),
    })
  }
  throw new OutsideFailure('unreachable', `${who} answered HTTP ${status}`, { status })
}

async function answered(
  who: string,
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) {
  try {
    // No connection is kept: the other end may close it meanwhile.
    const answer = await request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      reset: true,
      signal: AbortSignal.timeout(withinMs),
    })
    const retryAfter = String(answer.headers['retry-after'] ?? '')
    return { status: answer.statusCode, ...(await limited(answer.body)), retryAfter }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
    const why = isLate ? `no answer within ${withinMs / 1000} s` : code
    throw new OutsideFailure('unreachable', `${who} cannot be reached (${why})`, isLate ? {} : { code })
  }
}

/** The beginning of an answer, as far as it comes: nothing that matters is longer, and its status has said what became of the event. */
async function limited(body: AsyncIterable<Uint8Array>): Promise<{ text: string; isCut: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  let isCut = false
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.byteLength
      if (size >= answerBytesMax) break
    }
  } catch {
    // Or it did not end in time.
    isCut = true
  }
  return { text: Buffer.concat(parts).subarray(0, answerBytesMax).toString('utf8'), isCut }
}

/** The answer as a JSON object; null if it is none. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

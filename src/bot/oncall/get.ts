/** Gets a text over HTTPS, within limits of size, time and redirects; failures never hold the address, which is often a secret. */
import { request } from 'undici'
import { refusedByProxy } from '../../shared/outward.ts'
import { OutsideFailure } from '../domain/base/failure.ts'

export type GetLimits = {
  readonly bytesMax: number
  readonly withinMs: number
  readonly redirectsMax: number
}

export const calendarLimits: GetLimits = { bytesMax: 5 * 1024 * 1024, withinMs: 10_000, redirectsMax: 3 }

export type Got = { readonly status: number; readonly text: string; readonly retryAfterMs: number | null }

/** May a request go there? In the clear only to this machine, and never with a password in the address. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
}

/** `what` begins the message of a failure: `the calendar`. Follows redirects to other safe addresses. */
export async function getText(
  what: string,
  address: string,
  headers: Readonly<Record<string, string>>,
  { bytesMax, withinMs, redirectsMax }: GetLimits,
): Promise<Got> {
  const signal = AbortSignal.timeout(withinMs)
  const fail = (why: string) => new OutsideFailure('unreachable', `${what} ${why}`)
  let at = address
  try {
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      // No connection is kept for minutes: the other end may close it meanwhile.
      const answer = await request(at, { headers, signal, reset: true })
      const { location } = answer.headers
      if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== 'string') {
        const text = await textWithin(answer.body, bytesMax)
        if (text === null) throw fail(`is larger than ${bytesMax / 1024 / 1024} MiB`)
        // PagerDuty says it in a header of its own.
        const after = answer.headers['retry-after'] ?? answer.headers['ratelimit-reset']
        const seconds = typeof after === 'string' && /^\d{1,6}$/.test(after) ? Number(after) : null
        return { status: answer.statusCode, text, retryAfterMs: seconds === null ? null : seconds * 1_000 }
      }
      await answer.body.dump()
      const next = URL.parse(location, at)?.href ?? ''
      // A token must not go to another host.
      const isFollowed = isSafeAddress(next) && (!headers.authorization || sameOrigin(next, at))
      if (!isFollowed) throw fail('redirects to an address that is not followed')
      at = next
    }
  } catch (error) {
    if (error instanceof OutsideFailure) throw error
    const code = refusedByProxy(error) ?? String(Object(error).code ?? 'no answer')
    throw fail(`cannot be reached (${signal.aborted ? `${withinMs / 1_000} s passed` : code})`)
  }
  throw fail(`redirects more than ${redirectsMax} times`)
}

function sameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin
}

async function textWithin(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

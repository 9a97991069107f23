/** Where the monitoring service is, an address on this machine and no other, and one question to its control API on behalf of the page. */
import { Agent, request } from 'undici'
import { z } from 'zod'

const answerWithinMs = 5_000
/** A storm of thousands of alerts fits; more is not the service. */
const answerBytesMax = 5_000_000
// No connection is kept: a service that was started again must not be asked over a connection to the one before.
const dispatcher = new Agent({ pipelining: 0, maxResponseSize: answerBytesMax })

export type TownAnswer = { readonly status: 200 | 404 | 409 | 422 | 502; readonly body: object }

const said = z.object({ message: z.string().max(2_000) })

/**
 * What the service answered, as JSON: 200 with its hash; its own refusals (404, 409, 422) as `{ ok: false, error, detail }`
 * with its words; 502 where it cannot be reached, takes too long or answers anything else.
 */
export async function askTown(
  url: URL,
  method: 'GET' | 'POST' | 'DELETE',
  body?: string,
): Promise<TownAnswer> {
  let answer: { readonly status: number; readonly text: string }
  try {
    const response = await request(url, {
      method,
      dispatcher,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })
    answer = { status: response.statusCode, text: await response.body.text() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return down(whyOf(error))
  }
  const parsed = parseJson(answer.text)
  if (parsed === undefined && answer.status === 200) return down('what came is no JSON')
  return passOn(answer.status, parsed)
}

/** Undefined where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function passOn(status: number, body: unknown): TownAnswer {
  if (status === 200 && typeof body === 'object' && body !== null) return { status, body }
  const words = said.safeParse(body).data?.message
  if (words !== undefined && (status === 404 || status === 409 || status === 422)) {
    return { status, body: { ok: false, error: 'refused', detail: words } }
  }
  return down(`it answered ${status}${words === undefined ? '' : `: ${words}`}`)
}

function down(why: string): TownAnswer {
  const detail = `The monitoring service does not answer as it should: ${why}.`
  return { status: 502, body: { ok: false, error: 'service_down', detail } }
}

function whyOf(error: Error): string {
  if (error.name === 'TimeoutError') return `nothing came within ${answerWithinMs / 1_000} seconds`
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `more than ${answerBytesMax} bytes came`
  return code === 'ECONNREFUSED'
    ? 'nothing listens at its address'
    : `the connection failed${code && ` (${code})`}`
}

/** Says what was expected. The text itself is not repeated: it may hold a key. */
export class TownAddressError extends Error {}

/** Answers it without a slash at the end. Throws a `TownAddressError`. */
export function parseTownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOurs =
    url !== null &&
    url.protocol === 'http:' &&
    ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  if (isOurs) return url.origin
  throw new TownAddressError(
    "the monitoring service's control address: expected http://127.0.0.1:PORT (or localhost) and nothing after it",
  )
}

/** Where the monitoring service is, an address on this machine and no other, and one question to its control API on behalf of the page. */
import { z } from 'zod'

const answerWithinMs = 5_000
/** A storm of thousands of alerts fits; more is not the service. */
const answerBytesMax = 5_000_000

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
    const response = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })
    answer = { status: response.status, text: await textOf(response) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return down(whyOf(error))
  }
  const parsed = parseJson(answer.text)
  return parsed === undefined ? down('what came is no JSON') : passOn(answer.status, parsed)
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

async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength
    if (bytes > answerBytesMax) throw new RangeError(`more than ${answerBytesMax} bytes came`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function whyOf(error: Error): string {
  if (error.name === 'TimeoutError') return `nothing came within ${answerWithinMs / 1_000} seconds`
  if (error instanceof RangeError) return error.message
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
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
  const came =
    url === null
      ? 'what is no address'
      : `one of ${url.protocol}//${url.hostname} with more or other than that`
  throw new TownAddressError(
    `the monitoring service's control address: expected http://127.0.0.1:PORT (or localhost) and nothing after it; came ${came}`,
  )
}

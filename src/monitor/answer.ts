/** What an answer says: its JSON where the request succeeded, else the failure that its status and message mean. */
import { type FailureKind, keyRefusedWords, OutsideFailure } from '../domain/base/failure.ts'
import type { Answer } from './exchange.ts'
import type { Redact } from './redact.ts'
import { isHash, parseMessage } from './wire.ts'

/** A neighbour that asks for longer than this is asked again after this anyway. */
const retryAfterMsShownMax = 3_600_000

/**
 * The JSON of a 2xx answer. Every other status throws (api-spec.md 7, api-in-the-wild.md): 401 and 403 `forbidden`, 404
 * `missing` where the API says so in a message (else nobody knows who spoke: `unreachable`), 429 `rate_limited`, other 4xx
 * `rejected`, redirects, time-outs and 5xx `unreachable`; so does a 2xx without JSON. An empty 2xx is `null`.
 */
export function readAnswer(answer: Answer, redact: Redact, nowMs: number): unknown {
  const { status } = answer
  const content = readContent(answer.body)
  if (status >= 200 && status < 300) {
    if (content.kind === 'json') return content.value
    if (content.kind === 'an empty body') return null
    throw new OutsideFailure('unreachable', `the monitoring API answered ${status} with ${content.kind}`, {
      status,
    })
  }
  if (status === 401 || status === 403) {
    throw new OutsideFailure('forbidden', keyRefusedWords, { status })
  }
  const retryAfterMs = readRetryAfter(answer.retryAfter, nowMs)
  const message = content.kind === 'json' ? redact(parseMessage(content.value) ?? '') : ''
  const said =
    message !== ''
      ? message
      : status < 400
        ? 'a redirect, which is not followed'
        : content.kind === 'json'
          ? 'no message'
          : content.kind
  // Only the API's own words tell that something does not exist: a proxy answers 404 as well, whatever is behind it.
  const kind = status === 404 && message === '' ? 'unreachable' : kindOf(status)
  throw new OutsideFailure(kind, `the monitoring API answered ${status}: ${said}`, {
    status,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

/**
 * The message of a change that was made. "The hash always has a message" (api-spec.md 1): what has none was said by somebody
 * else, whatever its status. Where the shape is not shown (4.7, 4.11), any hash or nothing will do.
 */
export function readChanged(answer: Answer, redact: Redact, by: { nowMs: number; isShown: boolean }): string {
  const body = readAnswer(answer, redact, by.nowMs)
  const message = parseMessage(body)
  if (message !== null) return redact(message)
  if (!by.isShown && (body === null || isHash(body))) return ''
  const { status } = answer
  throw new OutsideFailure('unreachable', `the monitoring API answered ${status} without a message`, {
    status,
  })
}

export function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404) return 'missing'
  if (status === 429) return 'rate_limited'
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unreachable'
}

type Content =
  | { readonly kind: 'json'; readonly value: unknown }
  | {
      readonly kind:
        | 'an HTML page'
        | 'an empty body'
        | 'a body that is not JSON'
        | 'JSON of far too many parts'
    }

/** Lists, objects and fields together: three times as many as anything holds that is read. */
const partsMax = 250_000

function readContent(body: Buffer): Content {
  if (!isReadable(body)) return { kind: 'JSON of far too many parts' }
  const text = body.toString('utf8').trim()
  if (text === '') return { kind: 'an empty body' }
  if (text.startsWith('<')) return { kind: 'an HTML page' }
  try {
    return { kind: 'json', value: JSON.parse(withLargeIntegers(text)) }
  } catch {
    return { kind: 'a body that is not JSON' }
  }
}

/** Within the limit on its bytes there is room for millions of lists in lists, and to read them would take seconds. */
function isReadable(body: Buffer): boolean {
  if (body.length <= partsMax) return true
  let parts = 0
  // Searched for, as a loop over millions of bytes would itself keep everybody waiting.
  for (const sign of ['[', '{', ':']) {
    for (let at = body.indexOf(sign); at >= 0 && parts <= partsMax; at = body.indexOf(sign, at + 1))
      parts += 1
  }
  return parts <= partsMax
}

/** A value of 16 digits, or what looks like one within a text. */
const maybeLarge = /[[,:]\s*-?\d{16}/
/** A text, which stays as it is, or an integer of 16 digits and more. */
const textOrLarge = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.+-])/g

/**
 * Integers beyond 2^53 stay exact, as texts of their own: ids of triggers are "large" (api-spec.md 2). Before it is parsed,
 * for to look at each of a million values afterwards would keep everybody waiting.
 */
function withLargeIntegers(text: string): string {
  if (!maybeLarge.test(text)) return text
  return text.replace(textOrLarge, (found) =>
    found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`,
  )
}

/** Milliseconds from now, from seconds or an HTTP date (RFC 9110, 10.2.3); null where neither was given. */
function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
  // Date.parse alone would take "-5" for a month.
  const dateMs = /^[a-z]{3,9}, .* GMT$/i.test(value) ? Date.parse(value) : Number.NaN
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : dateMs - nowMs
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), retryAfterMsShownMax)
}

/** Interprets an answer: its JSON if the request succeeded, else the failure that its status and message mean. */
import { type FailureKind, keyRefusedWords, OutsideFailure } from '../domain/base/failure.ts'
import { storableJson } from '../domain/base/storable.ts'
import type { Answer } from './exchange.ts'
import type { Redact } from './redact.ts'
import { isHash, parseMessage } from './wire.ts'

/** Longest wait, even if `Retry-After` asks for more. */
const retryAfterMsShownMax = 3_600_000

/**
 * The JSON of a 2xx answer. Every other status throws (docs/api.md#errors): 401 `forbidden`; 403 `forbidden` and
 * 404 `missing` if the API says so in a message (else it may be a proxy: `unreachable`), 429 `rate_limited`, other 4xx
 * `rejected`, redirects, time-outs, 5xx and a proxy's own 407 `unreachable`; so does a 2xx without JSON. An empty 2xx is `null`.
 */
export function readAnswer(answer: Answer, redact: Redact, nowMs: number): unknown {
  const { status } = answer
  const content = readContent(answer.body)
  if (status >= 200 && status < 300) {
    if (content.kind === 'json') return content.value
    if (content.kind === 'an empty body') return null
    throw new OutsideFailure(
      'unreachable',
      `the monitoring API returned HTTP ${status} with ${content.kind}`,
      {
        status,
      },
    )
  }
  const message = content.kind === 'json' ? redact(parseMessage(content.value) ?? '') : ''
  // Only the API's own message proves that it was the API: a proxy answers 403 and 404 too, whatever is behind it.
  const isUnproven = (status === 403 || status === 404) && message === ''
  const kind = isUnproven ? 'unreachable' : kindOf(status)
  if (kind === 'forbidden') throw new OutsideFailure(kind, keyRefusedWords, { status })
  const retryAfterMs = readRetryAfter(answer.retryAfter, nowMs)
  const said =
    message !== ''
      ? `: ${message}`
      : status < 400
        ? ', a redirect, which is not followed'
        : status < 500
          ? ` with ${content.kind === 'json' ? 'no message' : content.kind}`
          : ''
  throw new OutsideFailure(kind, `the monitoring API returned HTTP ${status}${said}`, {
    status,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

/**
 * The message of a successful change. The API always sends one (docs/api.md#requests-and-answers), so an answer without it comes
 * from something else, whatever its status. For changes whose answer is not specified (docs/api.md#not-specified), any object or
 * an empty body is accepted.
 */
export function readChanged(answer: Answer, redact: Redact, by: { nowMs: number; isShown: boolean }): string {
  const body = readAnswer(answer, redact, by.nowMs)
  const message = parseMessage(body)
  if (message !== null) return redact(message)
  if (!by.isShown && (body === null || isHash(body))) return ''
  const { status } = answer
  throw new OutsideFailure('unreachable', `the monitoring API returned HTTP ${status} without a message`, {
    status,
  })
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404) return 'missing'
  if (status === 429) return 'rate_limited'
  const isOnTheWay = status === 407 || status === 408
  return status >= 400 && status < 500 && !isOnTheWay ? 'rejected' : 'unreachable'
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

/** Lists, objects and fields together: three times as many as any valid answer has. */
const partsMax = 250_000

function readContent(body: Buffer): Content {
  if (!isReadable(body)) return { kind: 'JSON of far too many parts' }
  const text = body.toString('utf8').trim()
  if (text === '') return { kind: 'an empty body' }
  if (text.startsWith('<')) return { kind: 'an HTML page' }
  try {
    return { kind: 'json', value: JSON.parse(storableJson(withLargeIntegers(text))) }
  } catch {
    return { kind: 'a body that is not JSON' }
  }
}

/** A body within the byte limit can contain millions of nested lists, and parsing them would take seconds. */
function isReadable(body: Buffer): boolean {
  if (body.length <= partsMax) return true
  let parts = 0
  // A native search, because a loop over millions of bytes would itself block the process.
  for (const sign of ['[', '{', ':']) {
    for (let at = body.indexOf(sign); at >= 0 && parts <= partsMax; at = body.indexOf(sign, at + 1))
      parts += 1
  }
  return parts <= partsMax
}

/** A value of 16 digits, or what looks like one inside a string. */
const maybeLarge = /[[,:]\s*-?\d{16}/
/** A string, which stays as it is, or an integer of 16 digits or more. */
const textOrLarge = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.+-])/g

/**
 * Keeps integers beyond 2^53 exact, as strings: ids of triggers are "large" (docs/api.md#triggers). Done before parsing,
 * because visiting a million values afterwards would block the process.
 */
function withLargeIntegers(text: string): string {
  if (!maybeLarge.test(text)) return text
  return text.replace(textOrLarge, (found) =>
    found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`,
  )
}

/** Milliseconds from now, from seconds or an HTTP date (RFC 9110, 10.2.3); null if neither was given. */
function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
  // Date.parse alone would read "-5" as a month.
  const dateMs = /^[a-z]{3,9}, .* GMT$/i.test(value) ? Date.parse(value) : Number.NaN
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : dateMs - nowMs
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), retryAfterMsShownMax)
}

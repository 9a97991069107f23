import type { Seen } from '../alert/unreadable.ts'

/**
 * The kinds of failure a neighbour (the monitoring API, Slack) can show us.
 *
 * - `unreachable`: no usable answer (refused, reset, time-out, 5xx, a body that is not what was promised)
 * - `rate_limited`: 429; `retryAfterMs` says when to come back, where the neighbour said so
 * - `rejected`: the request was understood and is wrong (400, 422)
 * - `forbidden`: the key or token was refused (401, 403)
 * - `missing`: the neighbour says in its own words that what was named does not exist (404 with its message); a 404 of
 *   anybody else, such as a proxy, is `unreachable`
 * - `broken`: monbot itself broke at what came; made by flows, where the work goes on
 */
export type FailureKind = 'unreachable' | 'rate_limited' | 'rejected' | 'forbidden' | 'missing' | 'broken'

/** What people are told of a refused key; it does not mend itself. */
export const keyRefusedWords = 'the API key was refused'

export type FailureDetails = {
  /** The HTTP status, where there was an answer. */
  readonly status?: number
  /** A code from a short list (`ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, `invalid_auth`), never free text. */
  readonly code?: string
  readonly retryAfterMs?: number
}

/**
 * The world failed. Made only in the adapters; its message may be shown to people, so it never holds a URL, a key or a
 * body. There is deliberately no `cause`: the errors of HTTP clients carry the URL, and the URL carries the API's key.
 */
export class OutsideFailure extends Error {
  override readonly name = 'OutsideFailure'
  readonly kind: FailureKind
  readonly status: number | null
  readonly code: string | null
  readonly retryAfterMs: number | null

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message)
    this.kind = kind
    this.status = details.status ?? null
    this.code = details.code ?? null
    this.retryAfterMs = details.retryAfterMs ?? null
  }
}

/**
 * What the bot keeps on disk cannot be read or written any more. Made only in `store/`, with a sentence for the operator.
 * Nobody handles it: the process ends by it, and whoever is just being answered is told so.
 */
export class MemoryFailure extends Error {
  override readonly name: string = 'MemoryFailure'
}

/** Of work that monbot broke at: the log has it under that id. */
export function brokenAt(what: string, errorId: string): OutsideFailure {
  return new OutsideFailure('broken', `monbot broke at ${what}; its log says why, under ${errorId}`)
}

/** What is open was read, and told; only the list of what is over was not. */
export class HistoryUnread extends OutsideFailure {
  /** What was seen of what is open. */
  readonly seen: Seen

  constructor({ kind, message, status, code, retryAfterMs }: OutsideFailure, seen: Seen) {
    super(kind, message, {
      ...(status === null ? {} : { status }),
      ...(code === null ? {} : { code }),
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    })
    this.seen = seen
  }
}

/** Codes of failures that happen before a byte of the request is on its way. */
export const neverSentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * May a change that failed like this have been made all the same? A time-out, a broken connection and a 5xx say nothing
 * about it; a refusal and a request that never left do.
 */
export function mayHaveBeenDone({ kind, status, code }: OutsideFailure): boolean {
  return kind === 'unreachable' && !(status === null && code !== null && neverSentCodes.has(code))
}

/** What fails like this fails for the next server as well, so it is not even tried there. */
export function failsForAll({ kind }: OutsideFailure): boolean {
  return kind === 'unreachable' || kind === 'forbidden' || kind === 'rate_limited'
}

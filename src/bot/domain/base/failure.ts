import type { Seen } from '../alert/unreadable.ts'

/**
 * The kinds of failure of the outside world: the monitoring API, or Slack.
 *
 * - `unreachable`: no usable answer (refused, reset, time-out, 5xx, a body that is not what was promised)
 * - `rate_limited`: 429; `retryAfterMs` says when to try again, if it was said
 * - `rejected`: the request was understood and is wrong (400, 422)
 * - `forbidden`: the key or token was refused (401; 403 with the API's message)
 * - `missing`: the API itself says that what was named does not exist (404 with its message); a 403 or 404 from anything else,
 *   such as a proxy, is `unreachable`
 * - `broken`: a bug of monbot's own; made by flows, so that other work goes on
 */
export type FailureKind = 'unreachable' | 'rate_limited' | 'rejected' | 'forbidden' | 'missing' | 'broken'

/** What people see about a refused key; it does not recover by itself. */
export const keyRefusedWords = 'the API key was refused'

type FailureDetails = {
  /** The HTTP status, if there was an answer. */
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
 * The bot's file on disk can no longer be read or written. Made only in `store/`, with a sentence for the operator. Nothing
 * handles it: it ends the process, after a reply to whoever is waiting for an answer.
 */
export class StoreFailure extends Error {
  override readonly name: string = 'StoreFailure'
}

/**
 * The memory does not answer now, and will again: Postgres is away, restarts, or refuses connections. Background work waits and
 * tries again; a person is told. Made only in `store/`.
 */
export class MemoryAway extends Error {
  override readonly name = 'MemoryAway'
  /** The answer to a commit was lost, and what became of it could not be asked yet. */
  readonly mayBeWritten: boolean

  constructor(message: string, mayBeWritten = false) {
    super(message)
    this.mayBeWritten = mayBeWritten
  }
}

/** Another process leads, and this one must write nothing more: it ends, and its supervisor starts it as a standby. */
export class Deposed extends StoreFailure {
  override readonly name = 'Deposed'
}

/** For work that failed by a bug of monbot's own: the log has it under that id. */
export function brokenAt(what: string, errorId: string): OutsideFailure {
  return new OutsideFailure('broken', `monbot broke at ${what}; its log says why, under ${errorId}`)
}

/** Open alerts were read and announced; only the list of ended ones could not be read. */
export class HistoryUnread extends OutsideFailure {
  /** What was seen of the open alerts. */
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

/** The code of a read that monbot itself broke off to stop: the next start repeats it, and nothing is decided without it. */
export const stoppingCode = 'STOPPING'

/** The code of a call that was not made, because another process may lead by now. */
export const notLeadingCode = 'NOT_LEADING'

/** Codes of failures that happen before any byte of the request is sent. */
export const neverSentCodes: ReadonlySet<string> = new Set([
  notLeadingCode,
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A proxy that did not connect, with its status.
  ...[400, 401, 403, 404, 405, 407, 429, 500, 502, 503, 504].map((status) => `PROXY_${status}`),
])

/**
 * Can a change that failed like this have been made anyway? A time-out, a broken connection and a 5xx leave that open; a
 * refusal and a request that was never sent rule it out.
 */
export function mayHaveBeenDone({ kind, status, code }: OutsideFailure): boolean {
  return kind === 'unreachable' && !(status === null && code !== null && neverSentCodes.has(code))
}

/** Would the next server fail in the same way, so that it need not be tried? */
export function failsForAll({ kind }: OutsideFailure): boolean {
  return kind === 'unreachable' || kind === 'forbidden' || kind === 'rate_limited'
}

/** Is another try useless? What was named does not exist, is invalid, or is not allowed. */
export function isFinal({ kind }: OutsideFailure): boolean {
  return kind === 'missing' || kind === 'rejected' || kind === 'forbidden'
}

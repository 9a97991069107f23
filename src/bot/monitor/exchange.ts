/** Makes one request and reads its answer, within an overall time limit and a limit of bytes. */
import type { Dispatcher } from 'undici'
import { refusedByProxy } from '../../shared/outward.ts'
import { neverSentCodes, OutsideFailure } from '../domain/base/failure.ts'

export type Ask = {
  readonly origin: string
  /** Path and query; contains the key, so it goes to the socket and nowhere else. */
  readonly path: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Form fields; null sends no body. */
  readonly form: URLSearchParams | null
}

export type Answer = {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: Buffer
}

/** The code for an answer longer than the cap; a retry would only read the same again. */
export const tooLarge = 'BODY_TOO_LARGE'

/**
 * Makes the request. Any status is an answer; redirects are not followed. Throws only `OutsideFailure` of the kind `unreachable`,
 * with a code and no cause: errors of undici and Node may carry the address.
 */
export async function exchange(
  dispatcher: Dispatcher,
  ask: Ask,
  limits: { readonly attemptMs: number; readonly bodyBytesMax: number },
): Promise<Answer> {
  const signal = AbortSignal.timeout(limits.attemptMs)
  const run = async (): Promise<Answer> => {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: ask.origin,
      path: ask.path,
      method: ask.method,
      headers:
        ask.form === null
          ? { accept: 'application/json' }
          : { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: ask.form === null ? null : ask.form.toString(),
      signal,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    // Throwing out of the loop destroys the stream and its connection: the rest is never read.
    for await (const piece of body) {
      const chunk: Buffer = piece
      bytes += chunk.length
      if (bytes > limits.bodyBytesMax) {
        const cap = `${limits.bodyBytesMax} bytes`
        throw new OutsideFailure('unreachable', `the monitoring API answered with more than ${cap}`, {
          status: statusCode,
          code: tooLarge,
        })
      }
      chunks.push(chunk)
    }
    const retryAfter = headers['retry-after']
    return {
      status: statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      body: Buffer.concat(chunks),
    }
  }
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(signal.reason)
  try {
    // The race covers a request that still waits for its connection: undici obeys the signal only after that.
    signal.addEventListener('abort', giveUp)
    return await Promise.race([run(), late.promise])
  } catch (error) {
    if (error instanceof OutsideFailure) throw error
    const code = signal.aborted ? 'ETIMEDOUT' : codeOf(error)
    const what = signal.aborted
      ? 'timed out'
      : neverSentCodes.has(code)
        ? `could not be reached (${code})`
        : `gave no whole answer (${code})`
    throw new OutsideFailure('unreachable', `the monitoring API ${what}`, { code })
  } finally {
    // Else the signal, which lives until the time limit, keeps the answer in memory as long.
    signal.removeEventListener('abort', giveUp)
  }
}

/** Only what looks like a code: free text may contain an address. */
function codeOf(error: unknown): string {
  const code: unknown = refusedByProxy(error) ?? Object(error).code
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'UNKNOWN'
}

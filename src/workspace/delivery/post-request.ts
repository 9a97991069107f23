/** One request to the bot, on a connection of its own: what it answered, or why it did not. */
import { Agent, request } from 'undici'
import type { SignedRequest } from './signed-request.ts'

export type PostOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      /** The bot asked for no second try. */
      readonly noRetry: boolean
    }
  /** `reason` is a word of `x-slack-retry-reason`. */
  | { readonly kind: 'unreached'; readonly reason: string }
  /** The signal ended it. */
  | { readonly kind: 'ended' }

export type Poster = {
  post(url: string, request: SignedRequest, signal: AbortSignal): Promise<PostOutcome>
  close(): Promise<void>
}

/** A view of 250 KB in an answer fits, with room to spare. */
const answerBytesMax = 1_000_000

export function openPoster(): Poster {
  // No connection is kept: a bot that was restarted must not be sent to over a connection to the one before.
  const dispatcher = new Agent({ pipelining: 0 })

  return {
    async post(url, { body, headers }, signal) {
      try {
        const answer = await request(url, { method: 'POST', body, headers, dispatcher, signal })
        const noRetry = answer.headers['x-slack-no-retry'] === '1'
        return { kind: 'answered', status: answer.statusCode, noRetry, body: await textOf(answer.body) }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return signal.aborted ? { kind: 'ended' } : { kind: 'unreached', reason: reasonOf(error) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|EPROTO/.test(code)) return 'ssl_error'
  return /^(?:E[A-Z]+|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT))$/.test(code) ? 'connection_failed' : 'unknown_error'
}

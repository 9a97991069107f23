/** Passes requests of Slack and of a pager from a replica that stands by to the one that leads: whoever balances the load may choose either. */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Agent, request as send } from 'undici'
import type { Logger } from '../flow/ports/ports.ts'

/** Slack itself waits for 3 s. */
const withinMs = 3_500
const answerBytesMax = 1_000_000
/** What the one that leads checks, unread here: its signature covers the body as it came. */
const asked = {
  '/slack/events': [
    'content-type',
    'x-slack-signature',
    'x-slack-request-timestamp',
    'x-slack-retry-num',
    'x-slack-retry-reason',
  ],
  '/pager': ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
} as const
const answered = ['content-type', 'x-slack-no-retry']
/** Two that each take the other for the one that leads pass nothing to and fro. */
const passedMark = 'x-monbot-passed'

/** `leader`: where its server is, such as `http://10.0.0.7:3000`; null: nobody leads, and the sender hears 503. Never throws. */
export function passOn(
  leader: () => string | null,
  logger: Logger,
  path: keyof typeof asked = '/slack/events',
): (request: Request) => Promise<Response> {
  // Anybody can send requests: the same again is no news.
  let told: string | null = null
  // Never through a proxy: it is a neighbour.
  const dispatcher = new Agent({ allowH2: false })
  const nobody = (why: string) => {
    if (why !== told) logger.warn('request:not_passed', { why })
    told = why
    return new Response(null, { status: 503 })
  }
  return async (request) => {
    const url = leader()
    if (url === null || request.headers.has(passedMark)) return nobody('nobody leads')
    try {
      const { statusCode, headers, body } = await send(`${url}${path}`, {
        method: 'POST',
        headers: { ...picked(asked[path], (name) => request.headers.get(name)), [passedMark]: '1' },
        body: request.body === null ? null : Readable.fromWeb(request.body as ReadableStream),
        reset: true,
        dispatcher,
        signal: AbortSignal.timeout(withinMs),
      })
      const text = statusCode === 204 ? null : await limited(body)
      told = null
      const passedBack = picked(answered, (name) => headers[name]?.toString() ?? null)
      return new Response(text, { status: statusCode, headers: passedBack })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
      return nobody(`the one that leads gave no answer (${code})`)
    }
  }
}

function picked(names: readonly string[], value: (name: string) => string | null): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = value(name)
      return found === null ? [] : [[name, found]]
    }),
  )
}

async function limited(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.byteLength
    if (size > answerBytesMax) throw new Error('An answer to Slack that is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

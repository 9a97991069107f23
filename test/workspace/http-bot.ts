/** A bot in HTTP mode as small as can be: a server that keeps what it was sent and answers what a test says. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { WorkspaceOptions } from '../../src/workspace/workspace.ts'
import { type Fields, fieldsOf, neighbour } from './neighbour.ts'

export type Taken = {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Whether the signature is that of the bot's own secret. */
  readonly isSigned: boolean
  /** The payload, whatever form it came in. */
  readonly payload: Fields
}
export type Given = {
  readonly status?: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

export const signingSecret = 'canary-signing-secret-51c0'

/** `answer` null never answers; `undefined` is an empty 200. */
export async function withHttpBot(
  answer: (taken: Taken) => Given | null | undefined = () => undefined,
  options: WorkspaceOptions = {},
) {
  const taken: Taken[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString('utf8')
    const one = {
      headers: request.headers,
      body,
      isSigned: isSigned(request.headers, body),
      payload: read(body),
    }
    taken.push(one)
    const given = answer(one)
    if (given === null) return
    response.writeHead(given?.status ?? 200, given?.headers).end(given?.body ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the bot has no port')
  const requestUrl = `http://127.0.0.1:${address.port}/slack/events`
  const leave = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(async () => {
    if (server.listening) await leave()
  })
  return {
    ...(await neighbour({ ...options, http: { requestUrl, signingSecret } })),
    taken,
    requestUrl,
    leave,
  }
}

function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const base = `v0:${String(headers['x-slack-request-timestamp'])}:${body}`
  return (
    headers['x-slack-signature'] === `v0=${createHmac('sha256', signingSecret).update(base).digest('hex')}`
  )
}

function read(body: string): Fields {
  if (body.startsWith('{')) return fieldsOf(JSON.parse(body))
  const form = new URLSearchParams(body)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : fieldsOf(JSON.parse(payload))
}

/** Stands between the bot and the monitoring API, lets through what no fault twists, and tells of each request how far it has come. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Twist } from './faults.ts'

/**
 * - `asked`: the request is here, and the API knows nothing of it yet
 * - `did`: the API has done it, and the bot knows nothing of it yet
 * - `answered`: the bot has been sent the answer
 */
export type Passage = 'asked' | 'did' | 'answered'

export type Gate = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Where it leads; to be set before anything passes. */
  leadTo(url: string): void
  close(): Promise<void>
}

/** `call` is like `POST servers web-1 false`; `twistOf` is asked what becomes of it, before the API knows of it. */
export async function openGate(
  tell: (passage: Passage, call: string) => void,
  twistOf: (call: string) => Twist | null,
): Promise<Gate> {
  const late = new Set<NodeJS.Timeout>()
  let target = ''
  const server = createServer((came, answer) => void pass(came, answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  async function pass(came: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(came)
    const call = callOf(came, body.toString('utf8'))
    tell('asked', call)
    const twist = twistOf(call)
    switch (twist?.kind) {
      case 'drop':
        answer.destroy()
        return
      case 'instead':
        answer.writeHead(twist.status, { 'content-type': 'text/html' })
        answer.end(twist.html)
        return
      case 'late': {
        answer.destroy()
        const timer = setTimeout(() => {
          late.delete(timer)
          forward(came, body, (there) => void there.resume()).on('error', () => undefined)
        }, twist.afterMs)
        late.add(timer)
        return
      }
      case 'changed':
      case undefined:
        forward(came, body, (there) => void back(there, answer, call, twist?.change)).on('error', () =>
          answer.destroy(),
        )
    }
  }

  function forward(
    { url, method, headers }: IncomingMessage,
    body: Buffer,
    onAnswer: (there: IncomingMessage) => void,
  ): ClientRequest {
    const onward = request(new URL(url ?? '/', target), { method, headers }, onAnswer)
    onward.end(body)
    return onward
  }

  async function back(
    there: IncomingMessage,
    answer: ServerResponse,
    call: string,
    change?: (body: string) => string,
  ): Promise<void> {
    const body = await bytesOf(there).catch(() => null)
    if (body === null) {
      answer.destroy()
      return
    }
    tell('did', call)
    answer.on('finish', () => tell('answered', call))
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = there.headers
    const isChanged = change !== undefined && there.statusCode === 200
    answer.writeHead(there.statusCode ?? 500, isChanged ? headers : there.headers)
    answer.end(isChanged ? change(body.toString('utf8')) : body)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    leadTo: (url) => {
      target = url
    },
    close: () =>
      new Promise((resolve) => {
        for (const timer of late) clearTimeout(timer)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Without the key: `GET alerts.json lifecycle=start`, `POST servers web-1 true`, `POST account false`. */
function callOf({ method, url }: IncomingMessage, body: string): string {
  const { pathname, searchParams } = new URL(url ?? '/', 'http://gate')
  if (!pathname.startsWith('/api/')) return 'GET picture'
  const rest = pathname.split('/').slice(4)
  const lifecycle = searchParams.get('lifecycle')
  const notifications =
    /notifications\W+(true|false|on|off)/.exec(body)?.[1] ?? searchParams.get('notifications')
  return [method, ...rest.slice(0, 2), lifecycle, notifications].filter((word) => word != null).join(' ')
}

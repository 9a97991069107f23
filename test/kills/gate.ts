/** Stands between the bot and the monitoring API, lets everything through, and tells of each request how far it has come. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** `tell` may answer `drop` to what was `asked`: then it never reaches the API. `call` is like `POST servers web-1 false`. */
export async function openGate(tell: (passage: Passage, call: string) => 'drop' | 'pass'): Promise<Gate> {
  let target = ''
  const server = createServer((came, answer) => void pass(came, answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  async function pass(came: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(came)
    const call = callOf(came, body.toString('utf8'))
    if (tell('asked', call) === 'drop') {
      answer.destroy()
      return
    }
    const { method, headers } = came
    const onward = request(
      new URL(came.url ?? '/', target),
      { method, headers },
      (there) => void back(there, answer, call),
    )
    broken(onward, answer)
    onward.end(body)
  }

  async function back(there: IncomingMessage, answer: ServerResponse, call: string): Promise<void> {
    const body = await bytesOf(there).catch(() => null)
    if (body === null) {
      answer.destroy()
      return
    }
    tell('did', call)
    answer.on('finish', () => tell('answered', call))
    answer.writeHead(there.statusCode ?? 500, there.headers)
    answer.end(body)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    leadTo: (url) => {
      target = url
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function broken(onward: ClientRequest, answer: ServerResponse): void {
  onward.on('error', () => answer.destroy())
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

/** The server's end of Socket Mode (docs/slack.md#socket-mode). */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Fields, isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets'
export type Sockets = ReturnType<typeof openSockets>

const socketsMax = 10
const messageBytesMax = 1_000_000
const graceMs = 10_000
const host = 'applink-local'

type Link = { readonly ws: WebSocket; isServing: boolean; cancelEnd: () => void }

export function openSockets(
  state: State,
  options: {
    readonly pingMs: number
    readonly lifeSeconds: number
    readonly onSocket: ((ws: WebSocket) => void) | undefined
  },
) {
  const server = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax })
  const links = new Set<Link>()
  const listeners = new Set<(message: Fields) => void>()
  const heart = setInterval(() => {
    for (const { ws } of links) ws.ping('Ping from the workspace')
  }, options.pingMs).unref()
  const serving = (): Link[] =>
    [...links].filter(({ isServing, ws }) => isServing && ws.readyState === ws.OPEN)

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // The client may reset the connection while it is refused; without a listener that error would end the process.
    stream.on('error', () => stream.destroy())
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const ticket = url.searchParams.get('ticket') ?? ''
    if (url.pathname === '/link/' && state.socketTickets.use(ticket).ok)
      server.handleUpgrade(request, stream, head, join)
    else stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  }

  function join(ws: WebSocket): void {
    const link: Link = { ws, isServing: false, cancelEnd: () => undefined }
    links.add(link)
    ws.on('error', () => ws.terminate())
    ws.on('message', (data) => {
      const message = parseMessage(String(data))
      if (message !== undefined) for (const listener of listeners) listener(message)
    })
    ws.on('close', () => {
      link.cancelEnd()
      link.isServing = false
      links.delete(link)
      state.events.emit({ type: 'socket_closed', open: serving().length })
    })
    options.onSocket?.(ws)
    if (serving().length >= socketsMax) {
      goodbye(link, 'too_many_websockets')
      return
    }
    link.isServing = true
    const open = serving().length
    state.events.emit({ type: 'socket_opened', open })
    say(link, hello(state, open, options.lifeSeconds))
    link.cancelEnd = state.timers.after(options.lifeSeconds * 1_000 - graceMs, () => {
      goodbye(link, 'warning')
      link.cancelEnd = state.timers.after(graceMs, () => goodbye(link, 'refresh_requested'))
    })
  }

  /** Tells the client to go. After a `warning` it still serves; otherwise it is cut 10 s later. */
  function goodbye(link: Link, reason: DisconnectReason): void {
    say(link, { type: 'disconnect', reason, debug_info: { host } })
    if (reason === 'warning') return
    link.isServing = false
    link.cancelEnd()
    link.cancelEnd = state.timers.after(graceMs, () => link.ws.terminate())
  }

  function some(which: 'one' | 'all'): Link[] {
    const all = serving()
    const one = all[state.ids.pick(all.length)]
    return which === 'all' ? all : one === undefined ? [] : [one]
  }

  return {
    invite: () =>
      `${state.url().replace('http', 'ws')}link/?ticket=${state.socketTickets.issue(null)}&app_id=${state.appId}`,
    upgrade,
    send(envelope: Fields): boolean {
      const [link] = some('one')
      if (link !== undefined) say(link, envelope)
      return link !== undefined
    },
    onMessage: (listener: (message: Fields) => void) => void listeners.add(listener),
    disconnect(reason: DisconnectReason, which: 'one' | 'all'): void {
      for (const link of some(which)) goodbye(link, reason)
    },
    serving: () => serving().length,
    close(): void {
      clearInterval(heart)
      for (const { ws } of links) ws.terminate()
      server.close()
    },
  }
}

function say({ ws }: Link, message: Fields): void {
  ws.send(JSON.stringify(message), (error) => {
    if (error) ws.terminate()
  })
}

function hello(state: State, open: number, lifeSeconds: number): Fields {
  return {
    type: 'hello',
    num_connections: open,
    connection_info: { app_id: state.appId },
    debug_info: { host, approximate_connection_time: lifeSeconds },
  }
}

/** Undefined for what cannot be read: Slack drops it, and so do we. */
function parseMessage(text: string): Fields | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isFields(message) ? message : undefined
  } catch {
    return undefined
  }
}

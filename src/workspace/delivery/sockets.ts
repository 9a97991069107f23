/**
 * The server's end of Socket Mode (slack-facts 4.4): tickets that open one connection each, hello, pings, at most ten
 * sockets, and the ways in which a connection ends or goes wrong on command.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { type Fields, isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'

export const disconnectReasons = [
  'warning',
  'refresh_requested',
  'link_disabled',
  'too_many_websockets',
] as const
export type DisconnectReason = (typeof disconnectReasons)[number]

/**
 * `no_hello`, `refuse_upgrade` (HTTP 408) and `hang_upgrade` meet the next connections. `never_close` (the closing
 * handshake is never completed) and `pong_loss` (pings are not answered) meet the open ones at once, and the next ones.
 */
export const socketFaultShape = z.strictObject({
  kind: z.enum(['no_hello', 'refuse_upgrade', 'hang_upgrade', 'never_close', 'pong_loss']),
  /** How many new connections it meets; null: all until cleared. */
  times: z.number().int().nonnegative().max(1_000_000).nullable().default(1),
})
export type SocketFault = z.input<typeof socketFaultShape>

export type Sockets = {
  /** An address for one connection. */
  invite(): string
  /** Answers a request to upgrade. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
  /** Sends to one of the sockets that serve, whichever chance picks; false when none does. */
  send(envelope: Fields): boolean
  /** Calls for every message that comes in. */
  onMessage(listener: (message: Fields) => void): void
  /** Tells one socket (chance picks) or all to go. All but `warning` stop being served, and are cut 10 s later. */
  disconnect(reason: DisconnectReason, which: 'one' | 'all'): number
  /** Cuts the connections without a word. */
  cut(which: 'one' | 'all'): number
  setFault(fault: SocketFault): void
  clearFaults(): void
  /** How many serve. */
  serving(): number
  close(): void
}

type Link = { readonly ws: WebSocket; serving: boolean; answersPings: boolean; cancelEnd: () => void }

const socketsMax = 10
/** Between a request to go and the cut. */
const graceMs = 10_000
const messageBytesMax = 1_000_000
/** What `&debug_reconnects=true` makes of a connection's life. */
const debugLifeSeconds = 360

export function openSockets(state: State, options: { pingMs: number; lifeSeconds: number }): Sockets {
  const server = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: messageBytesMax })
  const links = new Set<Link>()
  const hanging = new Set<Duplex>()
  const faults = new Map<SocketFault['kind'], number | null>()
  const listeners = new Set<(message: Fields) => void>()

  const heart = setInterval(() => {
    for (const { ws } of links) ws.ping('Ping from the workspace')
  }, options.pingMs).unref()

  const serving = (): Link[] => [...links].filter((link) => link.serving)

  function meets(kind: SocketFault['kind']): boolean {
    const left = faults.get(kind)
    if (left === undefined || left === 0) return false
    if (left !== null) faults.set(kind, left - 1)
    state.events.emit({ type: 'fault_used', fault: kind })
    return true
  }

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // The client may reset the connection while it is refused; without a listener that error would end the process.
    stream.on('error', () => stream.destroy())
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const known =
      url.pathname === '/link/' && state.socketTickets.use(url.searchParams.get('ticket') ?? '').ok
    const status = known ? (meets('refuse_upgrade') ? '408 Request Timeout' : undefined) : '403 Forbidden'
    if (status !== undefined) {
      refuse(stream, status)
      return
    }
    if (meets('hang_upgrade')) {
      hanging.add(stream)
      stream.on('close', () => hanging.delete(stream))
      return
    }
    const life = url.searchParams.get('debug_reconnects') === 'true' ? debugLifeSeconds : options.lifeSeconds
    server.handleUpgrade(request, stream, head, (ws) => join(ws, life))
  }

  function refuse(stream: Duplex, status: string): void {
    state.events.emit({ type: 'socket_refused', open: serving().length })
    stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }

  function join(ws: WebSocket, lifeSeconds: number): void {
    const link: Link = { ws, serving: false, answersPings: !meets('pong_loss'), cancelEnd: () => undefined }
    links.add(link)
    if (meets('never_close')) neverClose(ws)
    ws.on('ping', (data) => {
      if (link.answersPings) ws.pong(data)
    })
    ws.on('message', (data) => hear(String(data)))
    ws.on('error', () => ws.terminate())
    ws.on('close', () => {
      link.cancelEnd()
      link.serving = false
      links.delete(link)
      state.events.emit({ type: 'socket_closed', open: serving().length })
    })
    if (serving().length >= socketsMax) {
      goodbye(link, 'too_many_websockets')
      return
    }
    if (meets('no_hello')) return
    link.serving = true
    state.events.emit({ type: 'socket_opened', open: serving().length })
    say(link, hello(lifeSeconds))
    link.cancelEnd = state.timers.after(lifeSeconds * 1_000 - graceMs, () => {
      goodbye(link, 'warning')
      link.cancelEnd = state.timers.after(graceMs, () => goodbye(link, 'refresh_requested'))
    })
  }

  function hello(lifeSeconds: number): Fields {
    return {
      type: 'hello',
      num_connections: serving().length,
      connection_info: { app_id: state.appId },
      debug_info: {
        host: 'applink-local',
        started: new Date(state.nowMs()).toISOString(),
        build_number: 1,
        approximate_connection_time: lifeSeconds,
      },
    }
  }

  function hear(text: string): void {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return // Slack drops what it cannot read, and so do we.
    }
    if (isFields(message)) for (const listener of listeners) listener(message)
  }

  function goodbye(link: Link, reason: DisconnectReason): void {
    say(link, { type: 'disconnect', reason, debug_info: { host: 'applink-local' } })
    state.events.emit({ type: 'socket_told', reason, open: serving().length })
    if (reason === 'warning') return
    link.serving = false
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
    send(envelope) {
      const [link] = some('one')
      if (link === undefined) return false
      say(link, envelope)
      return true
    },
    onMessage: (listener) => {
      listeners.add(listener)
    },
    disconnect(reason, which) {
      const going = some(which)
      for (const link of going) goodbye(link, reason)
      return going.length
    },
    cut(which) {
      const gone = some(which)
      for (const link of gone) {
        link.serving = false
        link.ws.terminate()
      }
      return gone.length
    },
    setFault(ask) {
      const { kind, times } = socketFaultShape.parse(ask)
      faults.set(kind, times)
      for (const link of links) {
        if (kind === 'pong_loss') link.answersPings = false
        if (kind === 'never_close') neverClose(link.ws)
      }
    },
    clearFaults() {
      faults.clear()
      for (const link of links) link.answersPings = true
    },
    serving: () => serving().length,
    close() {
      clearInterval(heart)
      for (const stream of hanging) stream.destroy()
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

/** The answer to a close frame is a call of `close`: without it the handshake stays half done. */
function neverClose(ws: WebSocket): void {
  ws.close = () => undefined
}

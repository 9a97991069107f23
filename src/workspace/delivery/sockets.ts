/**
 * The server's end of Socket Mode (docs/slack.md#socket-mode): tickets that open one connection each, hello, pings, at most ten
 * sockets, and the ways in which a connection ends or goes wrong on command.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { openOrders } from '../faults/faults.ts'
import { type Fields, isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type DisconnectReason, openSocketLink, type SocketLink } from './socket-link.ts'

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

export type Sockets = ReturnType<typeof openSockets>

const socketsMax = 10
const messageBytesMax = 1_000_000
/** What `&debug_reconnects=true` makes of a connection's life. */
const debugLifeSeconds = 360

export function openSockets(state: State, options: { pingMs: number; lifeSeconds: number }) {
  const server = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: messageBytesMax })
  const links = new Set<SocketLink>()
  const faults = openSocketFaults(state, links)
  const listeners = new Set<(message: Fields) => void>()

  const heart = setInterval(() => {
    for (const { ws } of links) ws.ping('Ping from the workspace')
  }, options.pingMs).unref()

  const serving = (): SocketLink[] => [...links].filter((link) => link.isServing())
  const countServing = (): number => serving().length
  const door = openDoor(state, faults, countServing)

  /** Answers a request to upgrade. */
  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // The client may reset the connection while it is refused; without a listener that error would end the process.
    stream.on('error', () => stream.destroy())
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (!door.admits(url, stream)) return
    const life = url.searchParams.get('debug_reconnects') === 'true' ? debugLifeSeconds : options.lifeSeconds
    server.handleUpgrade(request, stream, head, (ws) => join(ws, life))
  }

  function join(ws: WebSocket, lifeSeconds: number): void {
    const link = openSocketLink(ws, state, countServing)
    if (faults.meets('pong_loss')) link.answerPings(false)
    links.add(link)
    if (faults.meets('never_close')) link.answerClose(false)
    ws.on('message', (data) => {
      const message = parseMessage(String(data))
      if (message !== undefined) for (const listener of listeners) listener(message)
    })
    ws.on('close', () => {
      links.delete(link)
      state.events.emit({ type: 'socket_closed', open: countServing() })
    })
    if (countServing() >= socketsMax) link.goodbye('too_many_websockets')
    else if (!faults.meets('no_hello')) link.serve(lifeSeconds)
  }

  function some(which: 'one' | 'all'): SocketLink[] {
    const all = serving()
    const one = all[state.ids.pick(all.length)]
    return which === 'all' ? all : one === undefined ? [] : [one]
  }

  return {
    /** An address for one connection. */
    invite: () =>
      `${state.url().replace('http', 'ws')}link/?ticket=${state.socketTickets.issue(null)}&app_id=${state.appId}`,
    upgrade,
    /** Sends to one of the sockets that serve, whichever chance picks; false when none does. */
    send(envelope: Fields): boolean {
      const [link] = some('one')
      if (link === undefined) return false
      link.say(envelope)
      return true
    },
    /** Calls for every message that comes in. */
    onMessage(listener: (message: Fields) => void): void {
      listeners.add(listener)
    },
    /** Tells one socket (chance picks) or all to go. All but `warning` stop being served, and are cut 10 s later. */
    disconnect(reason: DisconnectReason, which: 'one' | 'all'): number {
      const going = some(which)
      for (const link of going) link.goodbye(reason)
      return going.length
    },
    /** Cuts the connections without a word. */
    cut(which: 'one' | 'all'): number {
      const gone = some(which)
      for (const link of gone) link.cut()
      return gone.length
    },
    setFault: faults.set,
    clearFaults: faults.clear,
    /** How many serve. */
    serving: countServing,
    close(): void {
      clearInterval(heart)
      door.close()
      for (const { ws } of links) ws.terminate()
      server.close()
    },
  }
}

/** The faults that were ordered; what they did to connections that are open ends with them. */
function openSocketFaults(state: State, links: ReadonlySet<SocketLink>) {
  const orders = openOrders<z.output<typeof socketFaultShape>>()
  return {
    set(ask: SocketFault): void {
      const order = socketFaultShape.parse(ask)
      orders.clear(({ kind }) => kind === order.kind)
      orders.add(order)
      for (const link of links) {
        if (order.kind === 'pong_loss') link.answerPings(false)
        if (order.kind === 'never_close') link.answerClose(false)
      }
    },
    clear(): void {
      orders.clear()
      for (const link of links) {
        link.answerPings(true)
        link.answerClose(true)
      }
    },
    /** Whether a fault of this kind meets this connection; it then meets one less. */
    meets(wanted: SocketFault['kind']): boolean {
      const isMet = orders.take(({ kind }) => kind === wanted) !== undefined
      if (isMet) state.events.emit({ type: 'fault_used', fault: wanted })
      return isMet
    },
  }
}

/** Lets a connection in by its ticket, if no fault meets it. */
function openDoor(state: State, faults: ReturnType<typeof openSocketFaults>, countServing: () => number) {
  const hanging = new Set<Duplex>()

  function refuse(stream: Duplex, status: string): false {
    state.events.emit({ type: 'socket_refused', open: countServing() })
    stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    return false
  }

  return {
    /** False: it was refused, or hangs until the door closes. */
    admits(url: URL, stream: Duplex): boolean {
      const ticket = url.searchParams.get('ticket') ?? ''
      if (url.pathname !== '/link/' || !state.socketTickets.use(ticket).ok)
        return refuse(stream, '403 Forbidden')
      if (faults.meets('refuse_upgrade')) return refuse(stream, '408 Request Timeout')
      if (!faults.meets('hang_upgrade')) return true
      hanging.add(stream)
      stream.on('close', () => hanging.delete(stream))
      return false
    },
    close(): void {
      for (const stream of hanging) stream.destroy()
    },
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

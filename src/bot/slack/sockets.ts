/**
 * Two connections of Socket Mode: Slack closes each every few hours, and while one is opened anew the other one serves. They are
 * opened anew here, by a new receiver each time, since the SDK's own way has no time limit, gives up after some errors, and leaves
 * seconds without any connection (docs/slack.md#socket-mode).
 */
import type { App, Receiver, SocketModeReceiver as Socket } from '@slack/bolt'
import receivers from '@slack/bolt/dist/receivers/SocketModeReceiver.js'
import type { Dispatcher } from 'undici'
import { type Clock, minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { whyOf } from './calls.ts'
import { clientOptions, type Reach, sdkLogger } from './client.ts'
import { outcomeOf } from './outcomes.ts'

/** How people reach the bot: `sinceMs` is since when `isReady` has been so; `strangers`: sockets of this app that are not ours. */
export type Connection = {
  readonly isReady: boolean
  readonly sinceMs: number
  readonly sockets: number
  readonly strangers: number
  readonly why: string | null
}

export type Line = {
  readonly receiver: Receiver
  connection(): Connection
}

export type SocketOptions = {
  readonly appToken: Secret
  readonly reach: Reach
  readonly clock: Clock
  /** For the WebSocket, where there is a proxy. Without one the SDK can also end a socket whose other end is gone. */
  readonly dispatcher?: Dispatcher | undefined
}

/** The second socket is opened so much later, so that Slack does not close both at once. */
const secondAfterMs = 30 * second
const helloWithinMs = 20 * second
const closeWithinMs = 3 * second
/** The SDK's 5 s are known to be too short (bolt-js #2496). */
const pongWithinMs = 15 * second
const serverPingWithinMs = minute
/** One that did not live so long is opened anew after growing pauses. */
const shortLifeMs = 10 * second
const pauseMaxMs = 30 * second

/** `start` resolves once the first socket serves, or failed once: it is tried for ever. */
export function openSockets(options: SocketOptions): Line {
  const { clock, reach } = options
  const stopping = new AbortController()
  const open = new Set<Socket>()
  const running: Promise<void>[] = []
  let app: App | null = null
  let ready = { isReady: false, sinceMs: clock.nowMs() }
  let strangers = 0
  let why: string | null = null

  function count(socket: Socket, isOpen: boolean): void {
    if (isOpen) open.add(socket)
    else open.delete(socket)
    const isReady = open.size > 0
    if (isReady !== ready.isReady) ready = { isReady, sinceMs: clock.nowMs() }
    if (isReady) why = null
    reach.log.info(isOpen ? 'socket:opened' : 'socket:closed', { sockets: open.size })
  }

  function heardHello(connections: number): void {
    strangers = Math.max(0, connections - open.size)
    if (strangers > 0) reach.log.warn('socket:strangers', { strangers, hint: 'another bot uses this app' })
  }

  /** Until one socket is closed; how long it lived, or 0 if it was never opened. */
  async function serve(onOpen: () => void): Promise<number> {
    const socket = newSocket(options, heardHello)
    if (app !== null) socket.init(app)
    const closed = Promise.withResolvers<void>()
    let isOver = false
    // One that was given up may still come about.
    socket.client.on('connected', () => (isOver ? void socket.client.disconnect() : count(socket, true)))
    socket.client.on('disconnected', () => closed.resolve())
    const opened = socket.client.start().then(
      () => null,
      (error: unknown) =>
        error === undefined ? 'Slack closed it before its hello' : whyOf(outcomeOf(error)),
    )
    const over = new AbortController()
    const late = clock
      .wait(helloWithinMs, AbortSignal.any([over.signal, stopping.signal]))
      .then(() => 'no hello')
    const failed = await Promise.race([opened, late])
    over.abort()
    const openedMs = clock.steadyMs()
    onOpen()
    if (failed === null) await Promise.race([closed.promise, aborted(stopping.signal)])
    else if (!stopping.signal.aborted) reach.log.warn('socket:failed', { why: failed })
    if (failed !== null && open.size === 0) why = failed
    const lived = failed === null ? clock.steadyMs() - openedMs : 0
    isOver = true
    await Promise.race([socket.client.disconnect(), clock.wait(closeWithinMs)])
    if (open.has(socket)) count(socket, false)
    return lived
  }

  async function keep(onOpen: () => void): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      failures = (await serve(onOpen)) < shortLifeMs ? failures + 1 : 0
      if (failures > 0) await clock.wait(Math.min(second * 2 ** (failures - 1), pauseMaxMs), stopping.signal)
    }
  }

  return {
    connection: () => ({ ...ready, sockets: open.size, strangers, why }),
    receiver: {
      init: (to) => {
        app = to
      },
      start: () => {
        running.push(clock.wait(secondAfterMs, stopping.signal).then(() => keep(() => {})))
        return new Promise<void>((resolve) => running.push(keep(resolve)))
      },
      stop: async () => {
        stopping.abort()
        await Promise.all(running)
      },
    },
  }
}

/** Slack's hello says how many connections the app has, this one among them. */
function newSocket(
  { appToken, reach, dispatcher }: SocketOptions,
  onHello: (connections: number) => void,
): Socket {
  const socket = new receivers.default({
    appToken: appToken.reveal(),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    logger: sdkLogger(reach.log),
    clientPingTimeout: pongWithinMs,
    serverPingTimeout: serverPingWithinMs,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(reach) },
    // The SDK's own handler acknowledges on a socket that may be closed, and nothing would catch that error.
    processEventErrorHandler: async ({ error }) => {
      reach.log.error('request:failed', { error: String(error) })
      return false
    },
  })
  const { client } = socket
  const [read] = client.listeners('ws_message')
  client.removeAllListeners('ws_message')
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    // The SDK's reader throws at an envelope without an event, such as `app_rate_limited` (node-slack-sdk #2771).
    Promise.resolve(read?.call(client, data, isBinary)).catch((error: unknown) =>
      reach.log.warn('socket:unreadable', { error: String(error) }),
    )
    const connections = helloOf(String(data))
    if (connections !== null) onHello(connections)
  })
  return socket
}

function helloOf(text: string): number | null {
  if (!text.includes('"hello"')) return null
  try {
    const { type, num_connections: connections } = JSON.parse(text) as Record<string, unknown>
    return type === 'hello' && typeof connections === 'number' ? connections : null
  } catch {
    return null
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

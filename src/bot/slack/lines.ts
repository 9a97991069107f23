/**
 * How Slack's events reach the bot. Two connections of Socket Mode: Slack closes each every few hours, and while one is opened anew the
 * other one serves. They are opened anew here, by a new receiver each time, since the SDK's own way has no time limit, gives up after some
 * errors, and leaves seconds without any connection (docs/slack.md#socket-mode). Or HTTP mode: Slack's requests at `/slack/events` are
 * checked, read and answered by Bolt's own receiver; it takes times from the future, so those are refused here (docs/slack.md#http-mode).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App, Receiver, SocketModeReceiver as Socket } from '@slack/bolt'
import http from '@slack/bolt/dist/receivers/HTTPReceiver.js'
import sockets from '@slack/bolt/dist/receivers/SocketModeReceiver.js'
import type { Dispatcher } from 'undici'
import { type Clock, minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { type Log, warnSeldom } from '../log.ts'
import { clientOptions, outcomeOf, type Reach, sdkLogger, whyOf } from './client.ts'

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
/** A bot that froze and lost its lead leaves its sockets behind for a while: a count of strangers holds once it is as old. */
const recountAfterMs = 5 * minute
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
  let suspectedMs: number | null = null
  let why: string | null = null

  function count(socket: Socket, isOpen: boolean): void {
    if (isOpen) open.add(socket)
    else open.delete(socket)
    const isReady = open.size > 0
    if (isReady !== ready.isReady) ready = { isReady, sinceMs: clock.nowMs() }
    if (isReady) why = null
    reach.log.info(isOpen ? 'socket:opened' : 'socket:closed', { sockets: open.size })
  }

  /** Slack's hello says how many connections the app has, this one among them. True: there are strangers, perhaps for a moment. */
  function read(message: string): boolean {
    const connections = /"num_connections":\s*(\d+)/.exec(message)?.[1]
    if (connections === undefined) return false
    const counted = Number(connections) - open.size
    suspectedMs = counted > 0 ? (suspectedMs ?? clock.steadyMs()) : null
    const isLasting = suspectedMs !== null && clock.steadyMs() - suspectedMs >= recountAfterMs
    strangers = isLasting ? counted : 0
    if (strangers > 0) reach.log.warn('socket:strangers', { strangers, hint: 'another bot uses this app' })
    return counted > 0
  }

  /** Opens one socket, and ends with it; how long it served, 0 if it never did. */
  async function serve(onTried: () => void): Promise<number> {
    const socket = newSocket(options)
    const { client } = socket
    if (app !== null) socket.init(app)
    const over = new AbortController()
    const end = (reason: string) => over.abort(reason)
    let openedMs: number | null = null
    client.on('connected', () => {
      // One that was given up may still come about.
      if (over.signal.aborted) return void client.disconnect()
      openedMs = clock.steadyMs()
      count(socket, true)
      onTried()
    })
    client.on('ws_message', (message: unknown) => {
      if (!read(String(message))) return
      // Only a new hello counts anew.
      void clock.wait(recountAfterMs, over.signal).then(() => end('a count of strangers is old'))
    })
    client.on('disconnected', () => end('Slack closed it'))
    client.start().catch((error: unknown) => end(whyOf(outcomeOf(error))))
    const signal = AbortSignal.any([over.signal, stopping.signal])
    void clock.wait(helloWithinMs, signal).then(() => openedMs ?? end('no hello'))
    await aborted(signal)
    if (openedMs === null && !stopping.signal.aborted) {
      if (open.size === 0) why = String(over.signal.reason)
      reach.log.warn('socket:failed', { why: String(over.signal.reason) })
    }
    over.abort()
    onTried()
    await Promise.race([client.disconnect(), clock.wait(closeWithinMs)])
    if (open.has(socket)) count(socket, false)
    return openedMs === null ? 0 : clock.steadyMs() - openedMs
  }

  async function keep(onTried: () => void): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      failures = (await serve(onTried)) < shortLifeMs ? failures + 1 : 0
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

function newSocket({ appToken, reach, dispatcher }: SocketOptions): Socket {
  return new sockets.default({
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
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export type HttpLine = Line & {
  /** Answers one `POST /slack/events`. */
  handle(request: IncomingMessage, response: ServerResponse): void
}

const eventsPath = '/slack/events'
/** As far as Bolt lets them lie in the past. */
const aheadMaxMs = 5 * minute

export function openHttp(signingSecret: Secret, basePath: string, clock: Clock, log: Log): HttpLine {
  let ready = { isReady: false, sinceMs: clock.nowMs() }
  const turn = (isReady: boolean) => {
    ready = { isReady, sinceMs: clock.nowMs() }
  }
  const refused = warnSeldom(log, clock, 'request:refused')
  const receiver = new http.default({
    signingSecret: signingSecret.reveal(),
    endpoints: [eventsPath, basePath + eventsPath],
    logger: {
      ...sdkLogger(log),
      // A wrong signing secret shows nowhere else.
      warn: (why: string) => refused({ why }),
      error: (why: string) => log.error('request:failed', { why }),
    },
  })
  return {
    handle(request, response) {
      const aheadMs = Number(request.headers['x-slack-request-timestamp']) * second - clock.nowMs()
      if (!ready.isReady) response.writeHead(503).end()
      else if (aheadMs <= aheadMaxMs || Number.isNaN(aheadMs)) receiver.requestListener(request, response)
      else {
        refused({ why: 'its time is in the future' })
        response.writeHead(401).end()
      }
    },
    connection: () => ({ ...ready, sockets: 0, strangers: 0, why: null }),
    receiver: {
      init: (app) => receiver.init(app),
      start: async () => turn(true),
      stop: async () => turn(false),
    },
  }
}

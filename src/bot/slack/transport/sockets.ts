/**
 * Keeps two Socket Mode connections open: Slack closes each every few hours, and while one is reopened, the other serves. They
 * are reopened here, because the SDK gives up after some errors, has no time limit, and causes an unhandled rejection if it is
 * closed meanwhile (docs/slack.md#socket-mode).
 */
import type { App, Receiver, Logger as SdkLogger, SocketModeReceiver as SocketReceiver } from '@slack/bolt'
import { z } from 'zod'
import { openProxied } from '../../../shared/outward.ts'
import { backoffMs } from '../../domain/base/backoff.ts'
import { OutsideFailure } from '../../domain/base/failure.ts'
import { slackRestMaxMs } from '../../domain/delivery/delivery.ts'
import { within } from '../../flow/concurrency/within.ts'
import type { Clock, Logger } from '../../flow/ports/ports.ts'
import { SocketModeReceiver } from '../bolt.ts'
import { failureOf } from '../errors.ts'
import { clientOptions } from '../fetch.ts'
import { printable } from '../mrkdwn.ts'

/**
 * The state of the connection: `sockets` open, `ready` while at least one is, `sinceMs` since `ready` changed, and `why` it is
 * not, if known.
 */
export type Connection = {
  readonly ready: boolean
  readonly sinceMs: number
  readonly sockets: number
  readonly why?: string
}

export type Sockets = {
  /**
   * The receiver for Bolt. `start` resolves with the first hello; it rejects with an `OutsideFailure` if the first try brought
   * none, and others follow until the stop.
   */
  readonly receiver: Receiver
  connection(): Connection
  /** Closes all sockets properly, so that Slack sends nothing more to this process. */
  stop(): Promise<void>
}

type SocketOptions = {
  readonly appToken: { reveal(): string }
  readonly apiUrl: string
  readonly sdkLogger: SdkLogger
  readonly logger: Logger
  readonly clock: Clock
  /** How long after the first socket the second is opened, so that Slack does not close both at once. */
  readonly secondAfterMs: number
  /** A socket that answers a ping later than this is closed. */
  readonly pongMs: number
}

const serverPingMs = 60_000
const helloMs = 20_000
const closeMs = 3_000
/** How long to wait on stop for a socket that is just being opened. */
const settleMs = 1_000
const reopenMs = 100
const pause = { firstMs: 1_000, maxMs: 30_000 }
/** A socket that did not live so long is reopened after growing waits. */
const shortLifeMs = 10_000

type Line = { readonly closed: Promise<void>; readonly openedMs: number }

export function openSockets(options: SocketOptions): Sockets {
  const { logger, clock, secondAfterMs } = options
  const stopping = new AbortController()
  const known = new Set<SocketReceiver>()
  const open = new Set<SocketReceiver>()
  const running: Promise<void>[] = []
  let state = { ready: false, sinceMs: clock.nowMs() }
  let app: App | null = null
  let why: string | null = null

  function count(receiver: SocketReceiver, isOpen: boolean): void {
    if (open.has(receiver) === isOpen) return
    if (isOpen) open.add(receiver)
    else open.delete(receiver)
    logger.info(isOpen ? 'socket:connected' : 'socket:lost', { sockets: open.size })
    const ready = open.size > 0
    if (ready !== state.ready) state = { ready, sinceMs: clock.nowMs() }
    if (ready) why = null
  }

  async function connect(): Promise<Line | OutsideFailure> {
    const receiver = openReceiver(options)
    if (app !== null) receiver.init(app)
    passReadableFrames(receiver.client, logger)
    known.add(receiver)
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    receiver.client.on('connected', () => count(receiver, true))
    receiver.client.on('disconnected', () => {
      count(receiver, false)
      known.delete(receiver)
      resolve()
    })
    const started = await within(clock, helloMs, receiver.client.start().catch(notOpened))
    if (started === 'late' || started instanceof OutsideFailure) {
      await close(receiver)
      return started === 'late' ? noHello() : started
    }
    if (stopping.signal.aborted) await close(receiver)
    return { closed, openedMs: clock.nowMs() }
  }

  async function close(receiver: SocketReceiver): Promise<void> {
    await within(clock, closeMs, receiver.client.disconnect())
    known.delete(receiver)
    count(receiver, false)
  }

  async function keep(given: Line | OutsideFailure | null): Promise<void> {
    let line: Line | OutsideFailure | null = given
    for (let failures = 0; !stopping.signal.aborted; ) {
      line ??= await connect()
      if (line instanceof OutsideFailure) {
        failures += 1
        if (!state.ready) why = line.message
        logger.warn('socket:failed', { why: line.message, failures })
      } else {
        await line.closed
        failures = clock.nowMs() - line.openedMs < shortLifeMs ? failures + 1 : 0
      }
      const pause = failures === 0 ? reopenMs : pauseMs(failures, line)
      line = null
      await clock.wait(pause, stopping.signal)
    }
  }

  return {
    receiver: {
      init: (to) => {
        app = to
      },
      start: async () => {
        const line = await connect()
        running.push(keep(line))
        running.push(clock.wait(secondAfterMs, stopping.signal).then(() => keep(null)))
        if (line instanceof OutsideFailure) throw line
      },
      stop,
    },
    connection: () => ({ ...state, sockets: open.size, ...(why === null ? {} : { why }) }),
    stop,
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all([...known].map(close))
    await within(clock, settleMs, Promise.all(running))
  }
}

/** Makes a receiver with its own options object, because the SDK writes into it. */
function openReceiver({ appToken, apiUrl, sdkLogger, logger, pongMs }: SocketOptions): SocketReceiver {
  // Without a proxy the SDK's own, which can also end a socket whose other end no longer answers.
  const dispatcher = openProxied({ allowH2: false })
  return new SocketModeReceiver({
    appToken: appToken.reveal(),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    logger: sdkLogger,
    clientPingTimeout: pongMs,
    serverPingTimeout: serverPingMs,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl) },
    // The SDK's own handler would acknowledge on a socket that may be closed, and nothing would catch that error.
    processEventErrorHandler: async ({ error }) => {
      logger.error('request:failed', { error: String(error) })
      return false
    },
  })
}

function pauseMs(failures: number, last: Line | OutsideFailure): number {
  const asked = last instanceof OutsideFailure ? (last.retryAfterMs ?? 0) : 0
  return Math.max(Math.min(asked, slackRestMaxMs), backoffMs(failures - 1, pause))
}

// A socket that is closed before its hello rejects without any error.
function notOpened(error: unknown): OutsideFailure {
  if (error === undefined) {
    return new OutsideFailure('unreachable', 'Slack closed a socket before its hello', { code: 'no_hello' })
  }
  return failureOf(error, 'open a socket')
}

function noHello(): OutsideFailure {
  const message = `Slack opened no socket within ${helloMs / 1000} s`
  return new OutsideFailure('unreachable', message, { code: 'no_hello' })
}

const typeCharsMax = 100

const named = z.object({ type: z.string() })
const envelope = z.object({
  type: z.unknown().optional(),
  envelope_id: z.string().optional().catch(undefined),
  payload: z.unknown().optional(),
})

/** Call it once per client, before the client is started. Withheld frames are acknowledged and logged. */
function passReadableFrames(client: SocketReceiver['client'], logger: Logger): void {
  const listeners = client.listeners('ws_message')
  client.removeAllListeners('ws_message')
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    const unread = isBinary === true ? null : unreadable(data)
    if (unread === null) {
      for (const listener of listeners) listener.call(client, data, isBinary)
      return
    }
    logger.warn('socket:unreadable', { type: unread.type })
    // Without an acknowledgement Slack would send it again. On a closed socket there is nobody to acknowledge to.
    if (unread.envelopeId !== null)
      void sender(client)
        .send(unread.envelopeId)
        .catch(() => undefined)
  })
}

/** The SDK's method for acknowledgements. It is private, and otherwise only an emitted event has an `ack`. */
function sender(client: SocketReceiver['client']) {
  return client as unknown as { send(envelopeId: string): Promise<void> }
}

/** What is unreadable about a frame; null if the SDK can read it (it ignores invalid JSON by itself). */
function unreadable(data: unknown): { readonly type: string; readonly envelopeId: string | null } | null {
  const frame = parsed(data)
  if (frame === undefined) return null
  const { success, data: outer } = envelope.safeParse(frame)
  if (!success) return { type: 'no envelope', envelopeId: null }
  if (outer.type !== 'events_api') return null
  const payload = z.object({ event: named }).safeParse(outer.payload)
  if (payload.success) return null
  const type = named.safeParse(outer.payload).data?.type ?? 'unknown'
  return { type: printable(type, typeCharsMax), envelopeId: outer.envelope_id ?? null }
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}

/** The connection to Slack through Bolt: the checks before the first message, the chat, and the transports for people's requests. */
import type { Logger as SdkLogger } from '@slack/bolt'
import { attempt } from '../flow/attempt.ts'
import { within } from '../flow/concurrency/within.ts'
import type { Chat, Clock, Directory, EmailBook, Logger, SlackTrouble } from '../flow/ports/ports.ts'
import { App, LogLevel } from './bolt.ts'
import { openChat } from './chat.ts'
import {
  type CheckedChannels,
  checkChannels,
  checkToken,
  refusedBotToken,
  type Self,
  troubleOf,
} from './check-setup.ts'
import { openDirectory } from './directory.ts'
import { failureOf } from './errors.ts'
import { clientOptions } from './fetch.ts'
import { type Inbound, listenTo } from './inbound/inbound.ts'
import type { InboundPorts } from './inbound/inbound-ports.ts'
import { openRespond } from './inbound/respond.ts'
import { openHttpReceiver } from './transport/http-receiver.ts'
import { type Connection, openSockets } from './transport/sockets.ts'

type Revealing = { reveal(): string }

type SlackOptions = {
  readonly botToken: Revealing
  /** Socket Mode; null in HTTP mode. Exactly one of the two is given. */
  readonly appToken: Revealing | null
  /** HTTP mode; null in Socket Mode. */
  readonly signingSecret: Revealing | null
  /** The Web API's root, with a slash at the end. */
  readonly apiUrl: string
  /** Every channel that cards go to. */
  readonly channels: readonly string[]
  readonly logger: Logger
  readonly clock: Clock
  /** How long after the first socket the second is opened; default: half a minute. */
  readonly secondSocketAfterMs?: number
  /** How long the answer to our ping may take; default: ten seconds. */
  readonly pongMs?: number
}

export type Slack = {
  /** Checks token and channels, before any other call to Slack. Call it again if it answers a trouble. */
  connect(): Promise<CheckedChannels | SlackTrouble>
  readonly chat: Chat
  readonly directory: Directory & EmailBook
  /**
   * Starts to accept requests. Resolves with null once Slack said hello, else with what prevents that; it is tried again without
   * end. Call it once, after `connect`.
   */
  listen(ports: InboundPorts): Promise<SlackTrouble | null>
  /** Can people reach the bot, since when (epoch milliseconds), and how many sockets are open (HTTP mode: 0)? */
  connection(): Connection
  /** HTTP mode: answers `POST /slack/events`, and never throws; null in Socket Mode. */
  readonly events: ((request: globalThis.Request) => Promise<Response>) | null
  /** Closes the connections, and waits a few seconds at most for answers in progress. */
  stop(): Promise<void>
}

const secondSocketAfterMs = 30_000
// The SDK closes a socket whose pong is later than this; its default of 5 s is known to be too short.
const pongMs = 10_000
/** With the time to close the sockets this is less than the process waits before it ends. */
const finishMs = 4_000

/** Makes the client for Slack; it calls nothing before `connect`. */
export function openSlack(options: SlackOptions): Slack {
  const { logger, clock, apiUrl, channels } = options
  const sdkLogger = toSdkLogger(logger)
  const transport = openTransport(options, sdkLogger)
  const app = new App({
    token: options.botToken.reveal(),
    receiver: transport.receiver,
    logger: sdkLogger,
    deferInitialization: true,
    convoStore: false,
    clientOptions: clientOptions(apiUrl),
  })
  const { client } = app
  let self: Self | null = null
  const known = (): Self => {
    if (self === null) throw new Error('Slack is asked before it is connected')
    return self
  }
  const chat = openChat(client, known, clock)
  const respond = openRespond({ client, chat, clock, logger, apiUrl })
  const leaving = new AbortController()
  let inbound: Inbound | null = null
  /** Why there is no connection yet. */
  let why: string | null = null

  async function connect(): Promise<CheckedChannels | SlackTrouble> {
    const found = await checkToken(client)
    if ('why' in found) return found
    const ready = await attempt(() =>
      app.init().catch((error: unknown) => {
        throw failureOf(error, 'be reached')
      }),
    )
    if (!ready.ok) return troubleOf(ready.failure, refusedBotToken)
    self = found
    return checkChannels(client, channels, logger)
  }

  return {
    connect: async () => {
      const came = await connect()
      why = 'why' in came ? came.why : null
      return came
    },
    chat,
    directory: openDirectory(client, clock),
    connection: () => ({ ...transport.connection(), ...(why === null ? {} : { why }) }),
    events: transport.events,
    listen: async (ports) => {
      inbound = listenTo(app, ports, { ...known(), respond, clock, logger, leaving: leaving.signal })
      const started = await attempt(async () => app.start())
      return started.ok ? null : troubleOf(started.failure, refusedAppToken)
    },
    stop: async () => {
      leaving.abort()
      await transport.stop()
      if (inbound !== null) await within(clock, finishMs, inbound.idle())
    },
  }
}

type Transport = Pick<Slack, 'connection' | 'events' | 'stop'> & {
  readonly receiver: ReturnType<typeof openHttpReceiver> | ReturnType<typeof openSockets>['receiver']
}

function openTransport(options: SlackOptions, sdkLogger: SdkLogger): Transport {
  const { appToken, signingSecret, clock, logger, apiUrl } = options
  if (appToken !== null) {
    const secondAfterMs = options.secondSocketAfterMs ?? secondSocketAfterMs
    const patience = { secondAfterMs, pongMs: options.pongMs ?? pongMs }
    const sockets = openSockets({ appToken, apiUrl, sdkLogger, logger, clock, ...patience })
    return { ...sockets, events: null }
  }
  if (signingSecret === null) {
    throw new Error('Slack needs SLACK_APP_TOKEN or SLACK_SIGNING_SECRET: exactly one of the two')
  }
  const receiver = openHttpReceiver({ signingSecret, clock, logger })
  return {
    receiver,
    events: receiver.handle,
    connection: () => ({ ...receiver.state(), sockets: 0 }),
    stop: async () => {
      await receiver.stop()
    },
  }
}

export function refusedAppToken(code: string): string {
  return `Slack refused SLACK_APP_TOKEN (${code}): it must be an app-level token with connections:write.`
}

/** Writes the SDK's log lines to our log, without expected refusals: the outbox reports those better. */
export function toSdkLogger(logger: Logger): SdkLogger {
  const line = (parts: unknown[]) => ({ said: parts.map(String).join(' ').slice(0, 500) })
  return {
    debug: () => {},
    info: (...parts) => logger.debug('slack:sdk', line(parts)),
    warn: (...parts) => logger.debug('slack:sdk', line(parts)),
    error: (...parts) => logger.warn('slack:sdk', line(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  }
}

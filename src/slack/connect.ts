/** The connection to Slack through Bolt: Socket Mode, the chat, and the checks before the first word. */
import { App, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt'
import type { OutsideFailure } from '../domain/failure.ts'
import type { Chat, Clock, Journal } from '../flow/ports.ts'
import { callMs, openChat } from './chat.ts'
import { failureOf } from './errors.ts'

/** Slack cannot be used as it was set up; the message is one sentence for the operator, without a secret. */
export class SlackSetupError extends Error {
  override readonly name = 'SlackSetupError'
}

type Revealing = { reveal(): string }

export type SlackOptions = {
  readonly botToken: Revealing
  readonly appToken: Revealing
  /** The Web API's root, with a slash at the end. */
  readonly apiUrl: string
  /** Every channel that cards go to. */
  readonly channels: readonly string[]
  readonly journal: Journal
  readonly clock: Clock
}

export type Slack = {
  readonly chat: Chat
  /** Is the socket open, and since when is it so or not (epoch milliseconds)? */
  connection(): { readonly ready: boolean; readonly sinceMs: number }
  /** Closes the socket properly, so that Slack sends nothing more to it. */
  stop(): Promise<void>
}

// The SDK closes a socket whose pong is later than this; its default of 5 s is known to be too short. It also reconnects
// after this long, so it is not longer either.
const pongMs = 10_000
const serverPingMs = 60_000
const helloMs = 20_000
const closeMs = 5_000
const checksMax = 3
const checkPauseMs = 60_000

/** Checks token and channels, opens the socket, and resolves once Slack said hello; else throws `SlackSetupError`. */
export async function connectSlack(options: SlackOptions): Promise<Slack> {
  const { journal, clock, apiUrl } = options
  const logger = sdkLogger(journal)
  // Every client gets an options object of its own: the SDK writes into them, and a strict retry policy meant for posts
  // would end the socket's reconnecting for good.
  const receiver = new SocketModeReceiver({
    appToken: options.appToken.reveal(),
    logger,
    clientPingTimeout: pongMs,
    serverPingTimeout: serverPingMs,
    installerOptions: { clientOptions: { slackApiUrl: apiUrl, timeout: callMs } },
  })
  const app = new App({
    token: options.botToken.reveal(),
    receiver,
    logger,
    deferInitialization: true,
    convoStore: false,
    // No retries: the SDK would send a post again after a time-out, and a slow success would stand there twice.
    clientOptions: {
      slackApiUrl: apiUrl,
      timeout: callMs,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    },
  })
  const self = await checkToken(app)
  for (const channel of new Set(options.channels)) await checkChannel(app, channel, clock)
  const connection = watchSocket(receiver, journal, clock.nowMs)
  await app.init().catch((error: unknown) => {
    throw new SlackSetupError(`${failureOf(error, 'be reached').message}.`)
  })
  await open(app, receiver)
  return {
    chat: openChat(app.client, self),
    connection,
    stop: async () => {
      // `app.stop()` resolves before the closing handshake.
      await within(closeMs, receiver.client.disconnect())
    },
  }
}

async function checkToken(app: App): Promise<{ botId: string }> {
  try {
    const { bot_id: botId } = await app.client.auth.test()
    if (botId === undefined) throw new SlackSetupError('SLACK_BOT_TOKEN is not the token of a bot.')
    return { botId }
  } catch (error) {
    if (error instanceof SlackSetupError) throw error
    const failure = failureOf(error, 'check the bot token')
    if (failure.kind !== 'forbidden')
      throw new SlackSetupError(`Slack cannot be reached at SLACK_API_URL: ${failure.code}.`)
    throw new SlackSetupError(
      `Slack refused SLACK_BOT_TOKEN (${failure.code}): copy the bot token from "OAuth & Permissions" of the app.`,
    )
  }
}

async function checkChannel(app: App, channel: string, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const found = await app.client.conversations
      .info({ channel })
      .catch((error: unknown) => failureOf(error, 'look up a channel'))
    if (found instanceof Error) {
      // Many channels are looked up one after the other, and Slack may ask for a pause in between.
      if (found.kind !== 'rate_limited' || tries >= checksMax) throw channelError(channel, found)
      await clock.wait(Math.min(found.retryAfterMs ?? checkPauseMs, checkPauseMs))
      continue
    }
    if (found.channel?.is_archived) {
      throw new SlackSetupError(`The channel ${channel} is archived: choose another one.`)
    }
    if (found.channel?.is_member === false) {
      throw new SlackSetupError(`monbot is not in the channel ${channel}: say "/invite @monbot" there.`)
    }
    return
  }
}

function channelError(channel: string, failure: OutsideFailure): SlackSetupError {
  if (failure.code === 'channel_not_found') {
    return new SlackSetupError(
      `Slack knows no channel ${channel}, or it is private and monbot is not in it: check the id, or invite @monbot.`,
    )
  }
  const hint =
    failure.code === 'missing_scope' ? ' (install the app anew with the scopes of manifest.yml)' : ''
  return new SlackSetupError(`Slack could not look up the channel ${channel}: ${failure.code}${hint}.`)
}

// `start()` has no time limit of its own: a hello that never comes would leave it pending for ever.
async function open(app: App, receiver: SocketModeReceiver): Promise<void> {
  try {
    const started = await within(helloMs, app.start())
    if (started === 'late') throw new SlackSetupError(`Slack opened no socket within ${helloMs / 1000} s.`)
  } catch (error) {
    await within(closeMs, receiver.client.disconnect())
    if (error instanceof SlackSetupError) throw error
    const failure = failureOf(error, 'open a socket')
    throw new SlackSetupError(
      failure.kind === 'forbidden'
        ? `Slack refused SLACK_APP_TOKEN (${failure.code}): it must be an app-level token with connections:write.`
        : `${failure.message}.`,
    )
  }
}

function watchSocket(
  receiver: SocketModeReceiver,
  journal: Journal,
  nowMs: () => number,
): Slack['connection'] {
  let state = { ready: false, sinceMs: nowMs() }
  const become = (ready: boolean) => {
    if (state.ready === ready) return
    state = { ready, sinceMs: nowMs() }
    journal.info(ready ? 'socket:connected' : 'socket:lost')
  }
  receiver.client.on('connected', () => become(true))
  for (const event of ['close', 'reconnecting', 'disconnecting', 'disconnected']) {
    receiver.client.on(event, () => become(false))
  }
  return () => state
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'late'> {
  const enough = new AbortController()
  const late = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), ms)
    enough.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    enough.abort()
  }
}

/** The SDK's own lines. What it is sure to repeat of ours (an expected refusal) is not news: `deliver` says it better. */
function sdkLogger(journal: Journal): Logger {
  const line = (parts: unknown[]) => ({ said: parts.map(String).join(' ').slice(0, 500) })
  return {
    debug: () => {},
    info: (...parts) => journal.debug('slack:sdk', line(parts)),
    warn: (...parts) => journal.debug('slack:sdk', line(parts)),
    error: (...parts) => journal.warn('slack:sdk', line(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  }
}

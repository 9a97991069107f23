/** Watches whether Slack answers this process and takes its tokens, whatever else the process does with it. */
import { WebClient } from '@slack/web-api'
import { attempt } from '../flow/attempt.ts'
import type { Logger, SlackTrouble, SteadyClock } from '../flow/ports/ports.ts'
import { checkToken, troubleOf } from './check-setup.ts'
import { refusedAppToken, toSdkLogger } from './connect.ts'
import { failureOf } from './errors.ts'
import { clientOptions } from './fetch.ts'

type Revealing = { reveal(): string }

export type Reach = {
  /** What prevents that Slack is used; null if nothing does. Before the first answer that is not known, and so a trouble. */
  trouble(): SlackTrouble | null
  stop(): void
}

type ReachOptions = {
  readonly botToken: Revealing
  /** Null in HTTP mode. */
  readonly appToken: Revealing | null
  readonly apiUrl: string
  readonly clock: SteadyClock
  readonly logger: Logger
}

/** Often enough that a minute without Slack for everybody is not taken for one of this process alone. */
const everyMs = 20_000
const unasked: SlackTrouble = { isRefused: false, why: 'Slack was not asked yet.', retryAfterMs: null }

/** Asks whose the bot token is, at once and then three times a minute; and until it is answered, once, whether a socket could be opened. */
export function startReach({ botToken, appToken, apiUrl, clock, logger }: ReachOptions): Reach {
  const options = { ...clientOptions(apiUrl), logger: toSdkLogger(logger) }
  const client = new WebClient(botToken.reveal(), options)
  const sockets = appToken === null ? null : new WebClient(appToken.reveal(), options)
  const stopping = new AbortController()
  let trouble: SlackTrouble | null = unasked
  let isAppTokenGood = sockets === null

  async function ask(): Promise<SlackTrouble | null> {
    const found = await checkToken(client)
    if ('why' in found) return found
    if (isAppTokenGood || sockets === null) return null
    const opened = await attempt(() =>
      sockets.apps.connections.open().catch((error: unknown) => {
        throw failureOf(error, 'open a socket')
      }),
    )
    const refused = opened.ok ? null : troubleOf(opened.failure, refusedAppToken)
    isAppTokenGood = refused === null
    // Slack lets an app ask for few sockets a minute: only a refusal says something about the token.
    return refused?.isRefused ? refused : null
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      trouble = await ask()
      await clock.wait(Math.max(everyMs, trouble?.retryAfterMs ?? 0), stopping.signal)
    }
  }

  void watch()
  return { trouble: () => trouble, stop: () => stopping.abort() }
}

/** Clients of Slack's Web API that end each call in their own time and never repeat one: whoever calls decides what comes next. */
import type { WebClientOptions } from '@slack/web-api'
import { WebClient } from '@slack/web-api'
import { second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'

/** How Slack is reached. `fetch` goes through the proxy if there is one. */
export type Reach = {
  /** With a slash at its end. */
  readonly apiUrl: string
  readonly fetch: typeof fetch
  readonly log: Log
  /** 10 s unless a test asks for less. */
  readonly callMs?: number
}

const callMs = 10 * second

export function openClient(token: Secret, reach: Reach): WebClient {
  return new WebClient(token.reveal(), clientOptions(reach))
}

/** A fresh object for each client: the SDK writes into what it is given, and shares it (docs/slack.md#socket-mode). */
export function clientOptions(reach: Reach): WebClientOptions {
  return {
    slackApiUrl: reach.apiUrl,
    fetch: fetchWithin(reach),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: sdkLogger(reach.log),
  }
}

/** For the answer to a call, to a `response_url`, and for the bytes of an upload: the SDK limits the first of them alone. */
export function fetchWithin({ fetch, callMs: withinMs = callMs }: Reach): Reach['fetch'] {
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(withinMs) })
}

/** The SDK's lines at a low level: it reports every refusal, which the caller knows better. */
export function sdkLogger(log: Log): NonNullable<WebClientOptions['logger']> {
  const line = (...parts: unknown[]) =>
    log.debug('slack:sdk', { said: parts.map(String).join(' ').slice(0, 300) })
  return {
    // Whole requests and answers.
    debug: () => {},
    info: line,
    warn: line,
    error: line,
    setLevel: () => {},
    getLevel: () => 'info' as ReturnType<NonNullable<WebClientOptions['logger']>['getLevel']>,
    setName: () => {},
  }
}

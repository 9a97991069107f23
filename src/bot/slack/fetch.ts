/** How the SDK calls Slack: its options, and its `fetch`, from the undici that its sockets use: Node's own is a second copy, loaded with the first call. */
import type { FetchFunction, WebClientOptions } from '@slack/web-api'
import { Agent, fetch, type RequestInit } from 'undici'

// Like Node's own; this undici would choose HTTP/2 if it is offered.
const dispatcher = new Agent({ allowH2: false })

/** For text only: pictures go another way (`chat.ts`), and this undici does not accept Node's `FormData`. */
export const fetchOnce: FetchFunction = (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)

/** The SDK's limit on each call, and ours on the bytes of an upload. */
export const callMs = 10_000

/** No retries: the SDK would send a post again after a time-out, and a slow success would be posted twice. */
export function clientOptions(slackApiUrl: string): WebClientOptions {
  return {
    slackApiUrl,
    fetch: fetchOnce,
    timeout: callMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  }
}

/**
 * The options that all SDK clients share. Their `fetch` is that of the undici which the sockets use anyway; Node's own is a
 * second copy, loaded at the first call.
 */
import type { FetchFunction, WebClientOptions } from '@slack/web-api'
import { type Dispatcher, fetch, type RequestInit } from 'undici'
import { openAgent } from '../../shared/outward.ts'

let dispatcher: Dispatcher | null = null

/**
 * The `fetch` for calls with text. Pictures are uploaded elsewhere (`chat.ts`), because this undici does not accept Node's
 * `FormData`.
 */
export const fetchOnce: FetchFunction = (url, init) => {
  // At the first call, when it is known whether there is a proxy. Like Node's own; this undici would choose HTTP/2 if it is offered.
  dispatcher ??= openAgent({ allowH2: false })
  return fetch(url, { ...init, dispatcher } as RequestInit)
}

/** Time limit of each call, and of the bytes of an upload. */
export const callMs = 10_000

/**
 * Options for an SDK client: no retries, because it would repeat a post after a time-out, and a slow success would appear twice.
 */
export function clientOptions(slackApiUrl: string): WebClientOptions {
  return {
    slackApiUrl,
    fetch: fetchOnce,
    timeout: callMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  }
}

/** Sends a request to the bot as Slack does: body, signed headers, and the bot's answer. */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import type { RequestFault } from '../faults/faults.ts'
import type { Fields } from '../state/fields.ts'
import type { DeliveryOptions, PayloadKind } from './bot-line.ts'

export type SignedRequest = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

export type Content = { readonly body: string; readonly contentType: string }

/** Without a charset: receivers compare the whole type (docs/slack.md#http-mode). */
const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

/** A command's fields as a form, an interaction as JSON in a form's `payload`, an event as JSON (docs/slack.md#requests). */
export function contentOf(kind: PayloadKind, payload: Fields): Content {
  switch (kind) {
    case 'slash_commands':
      return { body: formOf(payload), contentType: form }
    case 'interactive':
      return { body: formOf({ payload: JSON.stringify(payload) }), contentType: form }
    case 'events_api':
      return jsonContent(payload)
  }
}

export function jsonContent(payload: Fields): Content {
  return { body: JSON.stringify(payload), contentType: json }
}

export function formContent(fields: Fields): Content {
  return { body: formOf(fields), contentType: form }
}

/** `v0=` and the HMAC-SHA256 of `v0:TIMESTAMP:BODY`; `fault` spoils it. */
export function signed(
  { body, contentType }: Content,
  by: { readonly secret: string; readonly nowMs: number; readonly fault: RequestFault | undefined },
  attempt?: DeliveryOptions['attempt'],
): SignedRequest {
  const { fault } = by
  const shiftSeconds = fault?.kind === 'shifted_timestamp' ? fault.seconds : 0
  const timestamp = String(Math.floor(by.nowMs / 1_000) + shiftSeconds)
  const secret = fault?.kind === 'forged_signature' ? `not ${by.secret}` : by.secret
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
  return {
    body,
    headers: {
      ...unsigned({ body, contentType }).headers,
      ...(fault?.kind === 'no_signature'
        ? {}
        : { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp }),
      ...(attempt === undefined || attempt.number === 0
        ? {}
        : { 'x-slack-retry-num': String(attempt.number), 'x-slack-retry-reason': attempt.reason }),
    },
  }
}

export function unsigned({ body, contentType }: Content): SignedRequest {
  return {
    body,
    headers: { 'content-type': contentType, accept: '*/*', 'user-agent': 'Slackbot 1.0 (local workspace)' },
  }
}

function formOf(fields: Fields): string {
  const pairs = Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)])
  return new URLSearchParams(pairs).toString()
}

export type PostOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      /** The bot asked for no second try. */
      readonly noRetry: boolean
    }
  /** `reason` is a word of `x-slack-retry-reason`. */
  | { readonly kind: 'unreached'; readonly reason: string }
  /** The signal ended it. */
  | { readonly kind: 'ended' }

/** A view of 250 KB in an answer fits, with room to spare. */
const answerBytesMax = 1_000_000

export function openPoster() {
  // No connection is kept: a bot that was restarted must not be sent to over a connection to the one before.
  const dispatcher = new Agent({ pipelining: 0, maxResponseSize: answerBytesMax })

  return {
    async post(url: string, { body, headers }: SignedRequest, signal: AbortSignal): Promise<PostOutcome> {
      try {
        const answer = await request(url, { method: 'POST', body, headers, dispatcher, signal })
        const noRetry = answer.headers['x-slack-no-retry'] === '1'
        return { kind: 'answered', status: answer.statusCode, noRetry, body: await answer.body.text() }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return signal.aborted ? { kind: 'ended' } : { kind: 'unreached', reason: reasonOf(error) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|EPROTO/.test(code)) return 'ssl_error'
  return /^(?:E[A-Z]+|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT))$/.test(code) ? 'connection_failed' : 'unknown_error'
}

/**
 * Receives Slack's requests over HTTP. Each is checked (size, signature, time, replay) before its content is read, then passed to
 * Bolt. The acknowledgement is the HTTP answer (docs/slack.md#http-mode).
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import { z } from 'zod'
import { readBody } from '../../../shared/read-body.ts'
import type { Clock, Logger } from '../../flow/ports/ports.ts'

type HttpReceiver = Receiver & {
  /** Answers one `POST /slack/events`; never throws. */
  handle(request: globalThis.Request): Promise<Response>
  /** Are requests accepted, and since when (epoch milliseconds)? */
  state(): { readonly ready: boolean; readonly sinceMs: number }
}

type HttpOptions = {
  readonly signingSecret: { reveal(): string }
  readonly clock: Clock
  readonly logger: Logger
}

const bodyBytesMax = 1_000_000
/** Slack's certificate check is a few words; nothing longer is read before its signature is checked. */
const unsignedBytesMax = 1_000
const ackMs = 3_000

const fieldsShape = z.record(z.string(), z.unknown())
type Fields = z.output<typeof fieldsShape>

// Slack need not repeat a request that can never be read; after an error on our side, or of a clock, it should.
const noRetry = { 'x-slack-no-retry': '1' }

export function openHttpReceiver({ signingSecret, clock, logger }: HttpOptions): HttpReceiver {
  const taken = openTaken()
  const refusals = openRefusals(clock, logger)
  let app: App | null = null
  let state = { ready: false, sinceMs: clock.nowMs() }

  async function handle(request: globalThis.Request): Promise<Response> {
    const body = await readBody(request, bodyBytesMax)
    if (body === 'too_large') return refuse(413, 'too_large', noRetry)
    if (body === 'cut') return refuse(400, 'cut')
    const nowMs = clock.nowMs()
    const signature = request.headers.get('x-slack-signature')
    const timestamp = request.headers.get('x-slack-request-timestamp')
    const secret = signingSecret.reveal()
    if (signature === null || !isSigned(body, { signature, timestamp }, { secret, nowMs })) {
      return isCheck(body, request.headers) ? empty(200) : refuse(401, 'not_signed')
    }
    const fields = parseBody(body, request.headers)
    if (fields === null) return refuse(400, 'unreadable', noRetry)
    if (fields.ssl_check === '1') return empty(200)
    // Slack only checks that the address is ours, so it is answered even before the start.
    if (fields.type === 'url_verification') return Response.json({ challenge: fields.challenge })
    if (!state.ready || app === null) return empty(503)
    if (taken.add(signature, nowMs) === 'repeat') return empty(200)
    const response = await passOn(app, fields, request.headers)
    if (!response.ok) taken.forget(signature)
    return response
  }

  function refuse(status: number, why: string, headers: Record<string, string> = {}): Response {
    refusals.note(why, status)
    return empty(status, headers)
  }

  async function passOn(to: App, body: Fields, headers: Headers): Promise<Response> {
    const { promise: answered, resolve } = Promise.withResolvers<Response>()
    const event: ReceiverEvent = {
      body,
      ack: async (response?: unknown) => resolve(responseOf(response)),
      ...retryOf(headers),
    }
    to.processEvent(event).catch((error: unknown) => {
      logger.error('request:failed', { error: String(error) })
      resolve(empty(500))
    })
    const enough = new AbortController()
    const late = clock.wait(ackMs, enough.signal).then(() => {
      if (!enough.signal.aborted) logger.warn('request:unacknowledged', { type: String(body.type) })
      return empty(503)
    })
    const response = await Promise.race([answered, late])
    enough.abort()
    return response
  }

  return {
    init: (to) => {
      app = to
    },
    start: async () => {
      state = { ready: true, sinceMs: clock.nowMs() }
    },
    stop: async () => {
      refusals.end()
      state = { ready: false, sinceMs: clock.nowMs() }
    },
    handle,
    state: () => state,
  }
}

/** Anybody can send requests that are refused, so each reason is logged at once, then once a minute with their number. */
const refusedEveryMs = 60_000

function openRefusals(clock: Clock, logger: Logger) {
  const told = new Map<string, { atMs: number; status: number; unlogged: number }>()

  function tell(why: string, one: { atMs: number; status: number; unlogged: number }): void {
    logger.warn('request:refused', { why, status: one.status, count: one.unlogged })
    Object.assign(one, { atMs: clock.nowMs(), unlogged: 0 })
  }

  return {
    note(why: string, status: number): void {
      const one = told.get(why) ?? { atMs: Number.NEGATIVE_INFINITY, status, unlogged: 0 }
      told.set(why, one)
      one.unlogged += 1
      // If the clock was set back, it is logged again rather than never.
      if (Math.abs(clock.nowMs() - one.atMs) >= refusedEveryMs) tell(why, one)
    },
    /** Those that were not told yet. */
    end(): void {
      for (const [why, one] of told) if (one.unlogged > 0) tell(why, one)
    },
  }
}

function empty(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}

// An empty body closes a form; anything else tells Slack what to do with it.
function responseOf(response: unknown): Response {
  if (response === undefined || response === '') return empty(200)
  return typeof response === 'string' ? new Response(response) : Response.json(response)
}

function retryOf(headers: Headers): { retryNum?: number; retryReason?: string } {
  const count = Number(headers.get('x-slack-retry-num') ?? Number.NaN)
  const reason = headers.get('x-slack-retry-reason')
  return {
    ...(Number.isInteger(count) ? { retryNum: count } : {}),
    ...(reason === null ? {} : { retryReason: reason.slice(0, 100) }),
  }
}

/** Slack's certificate check, which is not always signed and does nothing here. */
function isCheck(body: Uint8Array, headers: Headers): boolean {
  return body.byteLength <= unsignedBytesMax && parseBody(body, headers)?.ssl_check === '1'
}

/** JSON, a form, or a form whose `payload` is JSON; null for anything else. */
function parseBody(body: Uint8Array, headers: Headers): Fields | null {
  const text = new TextDecoder().decode(body)
  const contentType = headers.get('content-type') ?? ''
  switch (contentType.split(';')[0]?.trim().toLowerCase()) {
    case 'application/json':
      return parseFields(text)
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams(text)
      const payload = form.get('payload')
      return payload === null ? Object.fromEntries(form) : parseFields(payload)
    }
    default:
      return null
  }
}

function parseFields(text: string): Fields | null {
  try {
    return fieldsShape.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

const skewMaxMs = 300_000

const timestampShape = /^\d{1,12}$/
const signatureShape = /^v0=[0-9a-f]{64}$/

/** Slack's signature of a body with a timestamp in whole seconds. */
export function signatureOf(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

/**
 * Is a request really from Slack, and new? (https://docs.slack.dev/authentication/verifying-requests-from-slack)
 * Takes both headers unchanged; a timestamp too old or too far ahead is as invalid as a wrong signature.
 */
function isSigned(
  body: Uint8Array,
  given: { readonly signature: string | null; readonly timestamp: string | null },
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): boolean {
  const { signature, timestamp } = given
  if (signature === null || timestamp === null) return false
  if (!signatureShape.test(signature) || !timestampShape.test(timestamp)) return false
  if (Math.abs(nowMs - Number(timestamp) * 1000) > skewMaxMs) return false
  return timingSafeEqual(Buffer.from(signatureOf(secret, timestamp, body)), Buffer.from(signature))
}

/** The signatures that were seen: each request is accepted once. */
type Taken = {
  add(signature: string, nowMs: number): 'new' | 'repeat'
  /** Removes one, because a request that failed may be sent again. */
  forget(signature: string): void
}

/** How long a timestamp can be valid: from that far in the future to that far in the past. */
const rememberedMs = 2 * skewMaxMs
/** More than Slack sends in that time: 30,000 an hour. */
const rememberedMax = 20_000

function openTaken(): Taken {
  const seen = new Map<string, number>()
  return {
    add: (signature, nowMs) => {
      for (const [oldest, atMs] of seen) {
        if (seen.size < rememberedMax && nowMs - atMs <= rememberedMs) break
        seen.delete(oldest)
      }
      if (seen.has(signature)) return 'repeat'
      seen.set(signature, nowMs)
      return 'new'
    },
    forget: (signature) => {
      seen.delete(signature)
    },
  }
}

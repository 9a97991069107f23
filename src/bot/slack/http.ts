/**
 * HTTP mode: Slack's requests at `/slack/events`, checked for size, signature and time before their content is read, then passed to
 * Bolt. Its own receiver takes times from the future and compares content types as a whole (docs/slack.md#http-mode).
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App } from '@slack/bolt'
import { readBody } from '../../shared/read-body.ts'
import { type Clock, minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'
import type { Line } from './sockets.ts'

export type HttpLine = Line & {
  /** Answers one `POST /slack/events`; never throws. */
  handle(request: globalThis.Request): Promise<Response>
}

const bodyBytesMax = 1_000_000
const checkBytesMax = 1000
const skewMaxMs = 5 * minute
const ackWithinMs = 3 * second
/** Anybody may send what is refused. */
const refusalsEveryMs = minute

/** Slack need not send again what can never be read. */
const noRetry = { 'x-slack-no-retry': '1' }

export function openHttp(signingSecret: Secret, clock: Clock, log: Log): HttpLine {
  let app: App | null = null
  let ready = { isReady: false, sinceMs: clock.nowMs() }
  let refusals = 0
  let toldMs = Number.NEGATIVE_INFINITY

  function refuse(status: number, why: string, headers: Record<string, string> = {}): Response {
    refusals += 1
    if (clock.steadyMs() - toldMs >= refusalsEveryMs) {
      log.warn('request:refused', { why, status, count: refusals })
      toldMs = clock.steadyMs()
      refusals = 0
    }
    return empty(status, headers)
  }

  async function handle(request: globalThis.Request): Promise<Response> {
    const body = await readBody(request, bodyBytesMax)
    if (body === 'too_large') return refuse(413, 'too large', noRetry)
    if (body === 'cut') return refuse(400, 'cut off')
    const read = () => fieldsOf(new TextDecoder().decode(body), request.headers.get('content-type') ?? '')
    const signature = request.headers.get('x-slack-signature') ?? ''
    const timestamp = request.headers.get('x-slack-request-timestamp') ?? ''
    const isNow =
      /^\d{1,12}$/.test(timestamp) && Math.abs(clock.nowMs() - Number(timestamp) * 1000) <= skewMaxMs
    if (!isNow || !isEqual(signature, signatureOf(signingSecret, timestamp, body)))
      // Slack's look at the certificate need not be signed; it is a few words and asks for nothing.
      return body.byteLength <= checkBytesMax && read()?.ssl_check === '1'
        ? empty(200)
        : refuse(401, 'not signed by Slack now')
    const fields = read()
    if (fields === null) return refuse(400, 'unreadable', noRetry)
    if (fields.ssl_check === '1') return empty(200)
    if (fields.type === 'url_verification') return Response.json({ challenge: fields.challenge })
    if (app === null || !ready.isReady) return empty(503)
    return passOn(app, fields)
  }

  /** Waits for the acknowledgement, which is the answer. */
  async function passOn(to: App, body: Record<string, unknown>): Promise<Response> {
    const answered = Promise.withResolvers<Response>()
    const ack = async (response?: unknown) => answered.resolve(answerOf(response))
    to.processEvent({ body, ack }).catch((error: unknown) => {
      log.error('request:failed', { error: String(error) })
      answered.resolve(empty(500))
    })
    const enough = new AbortController()
    const late = clock.wait(ackWithinMs, enough.signal).then(() => empty(503))
    return Promise.race([answered.promise, late]).finally(() => enough.abort())
  }

  const turn = (isReady: boolean) => {
    ready = { isReady, sinceMs: clock.nowMs() }
  }
  return {
    handle,
    connection: () => ({ ...ready, sockets: 0, strangers: 0, why: null }),
    receiver: {
      init: (to) => {
        app = to
      },
      start: async () => turn(true),
      stop: async () => turn(false),
    },
  }
}

/** Slack's signature of a body and a time in whole seconds. */
export function signatureOf(secret: Secret, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret.reveal()).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function empty(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}

/** An empty body closes a form; anything else tells Slack what to do with it. */
function answerOf(response: unknown): Response {
  if (response === undefined || response === '') return empty(200)
  return typeof response === 'string' ? new Response(response) : Response.json(response)
}

/** JSON, a form, or a form whose `payload` is JSON; null for anything else. */
function fieldsOf(text: string, contentType: string): Record<string, unknown> | null {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return objectIn(text)
  if (type !== 'application/x-www-form-urlencoded') return null
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : objectIn(payload)
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

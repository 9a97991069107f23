/**
 * Pagers over real HTTP, as strict as the real ones: PagerDuty by its Events API v2, with its answers and limits
 * (https://developer.pagerduty.com/docs/events-api-v2/overview/), and a receiver of Standard Webhooks that checks signatures with
 * the library and ignores what it had before.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** `lost`: it is taken, and the connection breaks before the answer. */
export type PagerFault =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      /** The connection breaks before the answer's end, or that never comes. */
      readonly end?: 'cut' | 'never'
    }
  | 'lost'
  | 'reset'
  | 'hang'

type Handled = { readonly status: number; readonly body: unknown }

export const routingKey = 'c4n4ry0123456789c4n4ry0123456789'
export const pagerSecret = `whsec_${Buffer.from('canary-pager-secret-0123456789ab').toString('base64')}`

/** A server whose next answers a test may order; `take` answers the rest. */
async function openServer(
  closeLater: (close: () => Promise<void>) => void,
  take: (request: IncomingMessage, body: string) => Handled,
) {
  const faults: PagerFault[] = []
  const held: { delayMs: number } = { delayMs: 0 }
  let asked = 0
  const server = createServer(async (request, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString()
    asked += 1
    const fault = faults.shift()
    if (fault === 'reset') return void request.socket.destroy()
    if (fault === 'hang') return
    if (fault === 'lost') {
      take(request, body)
      return void request.socket.destroy()
    }
    if (fault !== undefined) {
      response.writeHead(fault.status, fault.headers)
      if (fault.end === undefined) return void response.end(fault.body)
      const begun = () => fault.end === 'cut' && request.socket.destroy()
      return void response.write(fault.body ?? ' ', begun)
    }
    const handled = take(request, body)
    if (held.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, held.delayMs))
    response.writeHead(handled.status, { 'content-type': 'application/json' })
    response.end(handled.body === null ? undefined : JSON.stringify(handled.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A server without a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** The next answers, in this order; after them it works. */
    orders: (...next: PagerFault[]) => faults.push(...next),
    /** Takes back what was ordered and not used. */
    works: () => faults.splice(0),
    /** How many requests came. */
    asked: () => asked,
    /** Each answer waits so long, after what was asked is done. */
    delays: (ms: number) => {
      held.delayMs = ms
    },
  }
}

type Incident = {
  readonly key: string
  status: 'triggered' | 'acknowledged' | 'resolved'
  triggers: number
  readonly summary: string
}

const bytesMax = 512 * 1024

export async function openPagerDutyLike(closeLater: (close: () => Promise<void>) => void) {
  const incidents: Incident[] = []
  const events: Record<string, unknown>[] = []
  const invalid = (...errors: string[]): Handled => ({
    status: 400,
    body: { status: 'invalid event', message: 'Event object is invalid', errors },
  })

  function take(request: IncomingMessage, text: string): Handled {
    if (request.method !== 'POST' || request.url !== '/v2/enqueue') return { status: 404, body: null }
    if (Buffer.byteLength(text) > bytesMax) return { status: 413, body: null }
    const event = parsed(text)
    if (event === null) {
      const body = {
        status: 'invalid event',
        message: 'Event object is invalid',
        errors: ['JSON parse error'],
      }
      return { status: 400, body }
    }
    const errors = errorsOf(event)
    if (errors.length > 0) return invalid(...errors)
    events.push(event)
    const key = String(event.dedup_key)
    const open = incidents.find((one) => one.key === key && one.status !== 'resolved')
    if (event.event_action === 'trigger') {
      const { summary } = event.payload as { summary: string }
      // A trigger of an open one is added to it, and calls nobody anew.
      if (open === undefined) incidents.push({ key, status: 'triggered', triggers: 1, summary })
      else open.triggers += 1
    } else if (open !== undefined)
      open.status = event.event_action === 'resolve' ? 'resolved' : 'acknowledged'
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: key } }
  }
  const server = await openServer(closeLater, take)
  return {
    ...server,
    settings: { PAGERDUTY_ROUTING_KEY: routingKey, PAGERDUTY_URL: server.url },
    incidents: () => incidents.map((one) => ({ ...one })),
    /** What it took, in order. */
    actions: () => events.map(({ event_action: action }) => String(action)),
    events: () => [...events],
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function errorsOf(event: Record<string, unknown>): string[] {
  const { routing_key: key, event_action: action, dedup_key: dedup, payload, links } = event
  const { summary, source, severity, timestamp } = Object(payload)
  const isText = (value: unknown, max: number) =>
    typeof value === 'string' && value !== '' && value.length <= max
  const isTrigger = action === 'trigger'
  const checks: [boolean, string][] = [
    [
      typeof key === 'string' && key.length === 32,
      "Length of 'routing_key' is incorrect (should be 32 characters)",
    ],
    [key === routingKey || String(key).length !== 32, 'Invalid routing key'],
    [['trigger', 'acknowledge', 'resolve'].includes(String(action)), "'event_action' is invalid"],
    [dedup === undefined ? isTrigger : isText(dedup, 255), "'dedup_key' is missing or too long"],
    [!isTrigger || isText(summary, 1024), "'payload.summary' is missing or blank or too long"],
    [!isTrigger || isText(source, 1024), "'payload.source' is missing or blank"],
    [
      !isTrigger || ['critical', 'error', 'warning', 'info'].includes(severity),
      "'payload.severity' is invalid",
    ],
    [timestamp === undefined || !Number.isNaN(Date.parse(timestamp)), "'payload.timestamp' is invalid"],
    [
      links === undefined || (Array.isArray(links) && links.every(({ href }) => URL.canParse(href))),
      "'links' is invalid",
    ],
  ]
  return checks.flatMap(([isGood, error]) => (isGood ? [] : [error]))
}

export type WebhookMessage = {
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown>
}

export async function openWebhookLike(closeLater: (close: () => Promise<void>) => void) {
  const path = '/hook/hunter2-canary'
  const messages = new Map<string, WebhookMessage>()
  let repeats = 0
  let by: string | null = null

  function take(request: IncomingMessage, text: string): Handled {
    if (request.method !== 'POST' || request.url !== path) return { status: 404, body: null }
    const id = String(request.headers['webhook-id'])
    try {
      new Webhook(pagerSecret).verify(text, request.headers as Record<string, string>)
    } catch {
      return { status: 401, body: null }
    }
    if (messages.has(id)) repeats += 1
    else messages.set(id, JSON.parse(text))
    return by === null ? { status: 204, body: null } : { status: 200, body: { acknowledged_by: by } }
  }
  const server = await openServer(closeLater, take)
  const own = new Webhook(pagerSecret)
  return {
    ...server,
    settings: { PAGER_URL: server.url + path, PAGER_SECRET: pagerSecret },
    /** Each once, in the order in which they first came. */
    messages: () => [...messages.values()],
    types: () => [...messages.values()].map(({ type }) => type),
    repeats: () => repeats,
    /** From now on its answers say that this person has it. */
    answersBy: (name: string | null) => {
      by = name
    },
    /** Sends a message to the bot, signed, as of `atMs`. */
    send: async (
      to: string,
      { id, body, atMs = Date.now(), secret }: { id: string; body: string; atMs?: number; secret?: string },
    ) => {
      const signer = secret === undefined ? own : new Webhook(secret)
      const at = new Date(atMs)
      return fetch(`${to}/pager`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(atMs / 1000)),
          'webhook-signature': signer.sign(id, at, body),
        },
      })
    },
  }
}

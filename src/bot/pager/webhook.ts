/**
 * A pager that takes and sends signed JSON, by Standard Webhooks (https://www.standardwebhooks.com): calls go to its address, and
 * `POST /pager` takes its word that somebody has one (docs/pager.md).
 */
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { call, fieldsOf } from '../call.ts'
import { type Clock, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { type Log, warnSeldom } from '../log.ts'
import type { PageEvent, PageOutcome } from './pager.ts'

const nameCharsMax = 200
/** Of the 4xx these say nothing of the event: who may send, how fast, and how many. */
const otherRefusals = [401, 403, 408, 429]

export function tellWebhook(
  { url, secret }: { readonly url: Secret; readonly secret: Secret },
  dispatcher: Dispatcher,
  clock: Clock,
) {
  return async (event: PageEvent): Promise<PageOutcome> => {
    const body = JSON.stringify(bodyOf(event))
    const headers = { 'content-type': 'application/json', ...signed(secret, event.id, body, clock.nowMs()) }
    const answer = await call(dispatcher, url.reveal(), { method: 'POST', headers, body })
    const { status, afterMs } = answer
    if (status >= 200 && status < 300) {
      const by = fieldsOf(answer.body.toString())?.acknowledged_by
      const name = typeof by === 'string' ? by.trim().slice(0, nameCharsMax) : ''
      return { kind: 'ok', acknowledgedBy: name === '' ? null : name }
    }
    const why = `the pager returned HTTP ${status}`
    // An end that it does not take is one that it made itself.
    const isEnd = event.type !== 'triggered' && status >= 400 && status < 500
    if (isEnd && !otherRefusals.includes(status)) return { kind: 'ok', acknowledgedBy: null }
    return status === 400 ? { kind: 'refused', why } : { kind: 'unclear', why, afterMs }
  }
}

/** The id is the same at each try, so whoever takes it can leave out repeats. */
export function signed(secret: Secret, id: string, body: string, nowMs: number): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / second)),
    'webhook-signature': new Webhook(secret.reveal()).sign(id, new Date(nowMs), body),
  }
}

function bodyOf(event: PageEvent) {
  const { dedupKey: key, headline, severity, server, labels, alerts, openedMs, link, by, to } = event
  const opened = new Date(openedMs).toISOString()
  return {
    type: `alert.${event.type}`,
    timestamp: new Date(event.atMs).toISOString(),
    data: { key, headline, severity, server, labels, alerts, opened, link, by, to },
  }
}

/**
 * `id` is the same for a repeat. `nothing`: nobody waits for it any more; `unknown`: no call has this key; `away`: it could not be
 * written down, and is to be sent again.
 */
export type HeardPage = { readonly id: string; readonly key: string; readonly by: string }
export type PageHearing = 'acknowledged' | 'nothing' | 'repeat' | 'unknown' | 'away'

const message = z.object({
  type: z.literal('alert.acknowledged'),
  data: z.object({ key: z.string().min(1).max(1_000), by: z.string().trim().min(1).max(1_000) }),
})

/** Answers one `POST /pager`, whose size was limited. Signature and time are checked before it is read. */
export function openPagerDoor(
  secret: Secret,
  hear: (heard: HeardPage) => Promise<PageHearing>,
  clock: Clock,
  log: Log,
): (request: Request) => Promise<Response> {
  const refuse = refuserOf(log, clock, 'page:not_heard')
  return async (request) => {
    const text = await request.text()
    const headers = Object.fromEntries(request.headers)
    let said: unknown = null
    try {
      said = new Webhook(secret.reveal()).verify(text, headers)
    } catch (error) {
      if (error instanceof WebhookVerificationError) return refuse(401, error.message)
    }
    const { data } = message.safeParse(said)
    if (data === undefined)
      return refuse(400, 'expected {"type": "alert.acknowledged", "data": {"key": "…", "by": "…"}}')
    const outcome = await hear({ id: headers['webhook-id'] ?? '', ...data.data })
    if (outcome === 'unknown') return refuse(404, 'no call has this key')
    return answerOf(outcome, refuse)
  }
}

type Refuse = (status: number, error: string) => Response

/** What is not heard is told in the log, seldom: anybody may knock. */
export function refuserOf(log: Log, clock: Clock, event: string): Refuse {
  const warn = warnSeldom(log, clock, event)
  return (status, error) => {
    warn({ why: error, status })
    return Response.json({ error }, { status })
  }
}

export function answerOf(outcome: PageHearing, refuse: Refuse): Response {
  return outcome === 'away'
    ? refuse(503, "it can't be written down now: try again")
    : Response.json({ outcome })
}

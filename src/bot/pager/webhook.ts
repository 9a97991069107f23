/** A pager that takes signed JSON, by Standard Webhooks (https://www.standardwebhooks.com): what `docs/pager.md` shows. */
import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Dispatcher } from 'undici'
import { type Clock, minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { PageEvent, Pager } from './port.ts'
import { fieldsOf, post } from './post.ts'

const nameCharsMax = 200
const skewMaxMs = 5 * minute
/** Several, while a secret is being changed. */
const signaturesMax = 10
/** Of the 4xx these say nothing of the event: who may send, how fast, and how many. */
const otherRefusals = [401, 403, 408, 429]

export function openWebhook(
  { url, secret }: { readonly url: Secret; readonly secret: Secret },
  dispatcher: Dispatcher,
  clock: Clock,
): Pager {
  return {
    kind: 'webhook',
    async send(_, event) {
      const body = JSON.stringify(bodyOf(event))
      const headers = signed(secret, event.id, body, clock.nowMs())
      const answer = await post('the pager', url.reveal(), dispatcher, { headers, body })
      if ('kind' in answer) return answer
      const { status, afterMs, text } = answer
      if (status >= 200 && status < 300) {
        const by = fieldsOf(text)?.acknowledged_by
        const isNamed = typeof by === 'string' && by.trim() !== ''
        return { kind: 'ok', acknowledgedBy: isNamed ? by.trim().slice(0, nameCharsMax) : null }
      }
      const why = `the pager returned HTTP ${status}`
      // An end that it does not take is one that it made itself.
      const isEnd = event.type !== 'triggered' && status >= 400 && status < 500
      const isRefused = status === 400 || (isEnd && !otherRefusals.includes(status))
      return isRefused ? { kind: 'refused', why } : { kind: 'later', why, afterMs }
    },
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

/** The message's id, or why it is not believed. The library's own check would take the time from the machine. */
export function checkSigned(
  secret: Secret,
  headers: Headers,
  body: string,
  nowMs: number,
): { readonly id: string } | { readonly why: string } {
  const id = headers.get('webhook-id') ?? ''
  const seconds = headers.get('webhook-timestamp') ?? ''
  const given = (headers.get('webhook-signature') ?? '').split(' ').slice(0, signaturesMax)
  const unsigned = { why: 'no valid webhook-signature' }
  if (!/^[\x21-\x7e]{1,200}$/.test(id) || !/^\d{1,12}$/.test(seconds)) return unsigned
  const atMs = Number(seconds) * second
  const wanted = Buffer.from(new Webhook(secret.reveal()).sign(id, new Date(atMs), body))
  const isSame = (bytes: Buffer) => bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
  if (!given.some((one) => isSame(Buffer.from(one)))) return unsigned
  const isNow = Math.abs(nowMs - atMs) <= skewMaxMs
  return isNow ? { id } : { why: 'webhook-timestamp is more than 5 minutes off' }
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

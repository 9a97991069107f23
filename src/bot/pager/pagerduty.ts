/**
 * The pager PagerDuty, by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2/overview/): 202 means accepted, 400
 * that another try is useless; after 429 and 5xx it is to be tried again.
 */
import { createHash } from 'node:crypto'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { PageCall } from '../domain/page/call.ts'
import type { PageEventType } from '../domain/page/page.ts'
import type { Pager } from '../flow/ports/pager.ts'
import { fieldsOf, post } from './post.ts'

const summaryCharsMax = 1_024
const keyCharsMax = 255
/** Of 512 KB in all; an alert has a few hundred characters of them. */
const labelsBytesMax = 100_000
const whyCharsMax = 200

const actions = {
  triggered: 'trigger',
  acknowledged: 'acknowledge',
  resolved: 'resolve',
} as const satisfies Record<PageEventType, string>

/** `url` has no slash at the end. */
export function openPagerDuty(settings: {
  readonly url: string
  readonly routingKey: { reveal(): string }
}): Pager {
  return {
    async tell(call) {
      const key = settings.routingKey.reveal()
      const body = JSON.stringify({ routing_key: key, ...eventFor(call) })
      const { status, text } = await post('PagerDuty', `${settings.url}/v2/enqueue`, { headers: {}, body })
      if (status !== 202 && status !== 200) throw refusal(status, text, key)
      return { acknowledgedBy: null }
    },
  }
}

function refusal(status: number, text: string, key: string): OutsideFailure {
  const { message, errors } = fieldsOf(text) ?? {}
  const words = [message, ...(Array.isArray(errors) ? errors : [])].filter((word) => typeof word === 'string')
  const why = words.join(': ').replaceAll(key, '[key]').replace(/\s+/g, ' ').slice(0, whyCharsMax)
  const said = why === '' ? '' : `: ${why}`
  return status === 400
    ? new OutsideFailure('rejected', `PagerDuty refused it${said}`, { status })
    : new OutsideFailure('unreachable', `PagerDuty answered HTTP ${status}${said}`, { status })
}

/** The body without its key. */
function eventFor(call: PageCall) {
  const same = { event_action: actions[call.type], dedup_key: shortKey(call.key) }
  if (call.type !== 'triggered') return same
  const { headline, severity, server, alerts, openedMs, link, labels } = call
  return {
    ...same,
    payload: {
      summary: headline.slice(0, summaryCharsMax).toWellFormed(),
      source: server ?? 'monbot',
      severity,
      timestamp: new Date(openedMs).toISOString(),
      custom_details: {
        alerts,
        ...(JSON.stringify(labels).length <= labelsBytesMax ? { labels } : {}),
      },
    },
    client: 'monbot',
    ...(link === null ? {} : { client_url: link, links: [{ href: link, text: 'Card in Slack' }] }),
  }
}

/** A longer key is one that stands for it. */
function shortKey(key: string): string {
  return key.length <= keyCharsMax ? key : `monbot:${createHash('sha256').update(key).digest('hex')}`
}

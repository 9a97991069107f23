/**
 * PagerDuty, by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2/overview/): 202 is taken, 400 will never be taken,
 * anything else is to be tried again.
 */
import { hash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { call, fieldsOf } from '../call.ts'
import type { Secret } from '../config/settings.ts'
import type { PageEvent, PageOutcome } from './pager.ts'

const summaryCharsMax = 1_024
const keyCharsMax = 255
const whyCharsMax = 200
const actions = { triggered: 'trigger', acknowledged: 'acknowledge', resolved: 'resolve' } as const

/** `url`: such as `https://events.pagerduty.com`. */
export function tellPagerDuty(
  { url, routingKey }: { readonly url: string; readonly routingKey: Secret },
  dispatcher: Dispatcher,
) {
  return async (event: PageEvent): Promise<PageOutcome> => {
    const key = routingKey.reveal()
    const answer = await call(dispatcher, `${url.replace(/\/+$/, '')}/v2/enqueue`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ routing_key: key, ...bodyOf(event) }),
    })
    const { status, afterMs } = answer
    if (status === 202 || status === 200) return { kind: 'ok', acknowledgedBy: null }
    const why = whyOf(answer.body.toString(), key)
    if (status === 400) return { kind: 'refused', why: `PagerDuty refused it${why}` }
    return { kind: 'later', why: `PagerDuty returned HTTP ${status}${why}`, afterMs }
  }
}

/** Its own words, without the key that they may quote. */
function whyOf(text: string, key: string): string {
  const { message, errors } = fieldsOf(text) ?? {}
  const words = [message, ...(Array.isArray(errors) ? errors : [])].filter((one) => typeof one === 'string')
  const why = words.join(': ').replaceAll(key, '[key]').replace(/\s+/g, ' ').slice(0, whyCharsMax)
  return why === '' ? '' : `: ${why}`
}

function bodyOf({ type, dedupKey, headline, server, severity, openedMs, alerts, labels, link }: PageEvent) {
  // A key that is too long is one that stands for it.
  const key = dedupKey.length <= keyCharsMax ? dedupKey : `monbot:${hash('sha256', dedupKey)}`
  const same = { event_action: actions[type], dedup_key: key }
  if (type !== 'triggered') return same
  const links = link === null ? {} : { client_url: link, links: [{ href: link, text: 'Card in Slack' }] }
  return {
    ...same,
    ...links,
    client: 'monbot',
    payload: {
      summary: headline.slice(0, summaryCharsMax).toWellFormed(),
      source: server ?? 'monbot',
      severity,
      timestamp: new Date(openedMs).toISOString(),
      custom_details: { alerts, labels },
    },
  }
}

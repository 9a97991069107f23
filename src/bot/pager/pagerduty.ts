/**
 * PagerDuty, by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2/overview/): 202 is taken, 400 will never be taken,
 * anything else is to be tried again. What people do to an incident there comes to `POST /pagerduty`, by its V3 webhooks
 * (https://developer.pagerduty.com/docs/webhooks-overview): whoever acknowledges, is assigned or resolves there is on it here.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { call, fieldsOf } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'
import type { PageEvent, PageOutcome } from './pager.ts'
import { answerOf, type HeardPage, type PageHearing, refuserOf } from './webhook.ts'

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
    return { kind: 'unclear', why: `PagerDuty returned HTTP ${status}${why}`, afterMs }
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

/** A user of PagerDuty, or what else acts there: an integration, a rule. */
const actor = z.object({ id: z.string(), type: z.string(), summary: z.string().trim().min(1) })
export type PagerDutyUser = z.output<typeof actor>
const message = z.object({
  event: z.object({
    id: z.string().min(1).max(200),
    event_type: z.string(),
    agent: actor.nullish().catch(null),
    data: z.object({
      incident_key: z.string().nullish(),
      assignees: z.array(actor).nullish().catch(null),
    }),
  }),
})

type Parts = {
  readonly secret: Secret
  hear(heard: HeardPage): Promise<PageHearing>
  /** A Slack member id, or a name. */
  who(user: PagerDutyUser): Promise<string>
  readonly clock: Clock
  readonly log: Log
}

/** Answers one webhook, whose size was limited. PagerDuty sends again what is not answered with 2xx. */
export function openPagerDutyDoor({ secret, hear, who, clock, log }: Parts) {
  const refuse = refuserOf(log, clock, 'pagerduty:not_heard')
  return async (request: Request): Promise<Response> => {
    const text = await request.text()
    if (!isSigned(request.headers.get('x-pagerduty-signature') ?? '', text, secret))
      return refuse(401, 'x-pagerduty-signature does not fit PAGERDUTY_WEBHOOK_SECRET')
    const { data } = message.safeParse(fieldsOf(text))
    if (data === undefined) return refuse(400, 'expected an event of a V3 webhook')
    const { id, event_type: type, agent, data: incident } = data.event
    const user = type === 'incident.reassigned' ? incident.assignees?.[0] : agent
    const isMeant = /^incident\.(?:acknowledged|reassigned|resolved)$/.test(type)
    if (!isMeant || user?.type !== 'user_reference' || !incident.incident_key)
      return Response.json({ outcome: 'nothing' })
    return answerOf(await hear({ id, key: incident.incident_key, by: await who(user) }), refuse)
  }
}

/** `v1=…,v1=…`: while a secret is changed there are two. */
function isSigned(signatures: string, body: string, secret: Secret): boolean {
  const wanted = Buffer.from(createHmac('sha256', secret.reveal()).update(body).digest('hex'))
  return signatures.split(',').some((one) => {
    const given = Buffer.from(one.trim().replace(/^v1=/, ''))
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}

/**
 * What people do to an incident in PagerDuty comes to `POST /pagerduty`, by its V3 webhooks
 * (https://developer.pagerduty.com/docs/webhooks-overview): whoever acknowledges, is assigned or resolves there is on it here.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { fieldsOf } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'
import { answerOf, type HeardPage, type PageHearing, refuserOf } from './webhook.ts'

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

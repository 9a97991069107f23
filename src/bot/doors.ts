/** Where pagers say who is on a call: `POST /pager` for one of Standard Webhooks, `POST /pagerduty` for PagerDuty's webhooks. */
import type { Dispatcher } from 'undici'
import type { Clock } from './clock.ts'
import type { Config } from './config/settings.ts'
import { isMember } from './decide/standing.ts'
import type { Log } from './log.ts'
import { emailOf } from './oncall/pagerduty.ts'
import { openPagerDutyDoor, type PagerDutyUser } from './pager/pagerduty.ts'
import { type HeardPage, openPagerDoor, type PageHearing } from './pager/webhook.ts'
import type { Directory } from './slack/directory.ts'

type Parts = {
  readonly config: Config
  hear(heard: HeardPage): Promise<PageHearing>
  readonly directory: Pick<Directory, 'person' | 'personByEmail' | 'findPeople'>
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly log: Log
}
type Door = (request: Request) => Promise<Response>
const noDoor: Door = async () => new Response(null, { status: 404 })

export function openDoors(parts: Parts): { readonly pager: Door; readonly pagerduty: Door } {
  const { config, hear, directory, clock, log } = parts
  const { pager, pagerdutyWebhookSecret: secret } = config
  const who = (user: PagerDutyUser) => personOf(user, parts)
  const hearKnown = async (heard: HeardPage) => {
    const isUnknown = isMember(heard.by) && (await directory.person(heard.by)).readMs === 0
    return hear(isUnknown ? { ...heard, by: `unknown ${heard.by}` } : heard)
  }
  return {
    pager: pager?.kind === 'webhook' ? openPagerDoor(pager.secret, hearKnown, clock, log) : noDoor,
    pagerduty: secret === null ? noDoor : openPagerDutyDoor({ secret, hear, who, clock, log }),
  }
}

/** By e-mail where PagerDuty's API may be asked for it, else by the name, if one person in Slack has it. */
async function personOf({ id, summary }: PagerDutyUser, parts: Parts): Promise<string> {
  const { directory, dispatcher, config } = parts
  const { url, token } = config.pagerdutyApi
  const email = token === null ? null : await emailOf({ url, token }, id, dispatcher).catch(() => null)
  const found = email === null ? null : await directory.personByEmail(email)
  if (found !== null) return found
  const [person, ...others] = await directory.findPeople(summary)
  return person !== undefined && others.length === 0 ? person.id : summary
}

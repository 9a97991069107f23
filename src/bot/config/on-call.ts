/** The settings of who is on call: where it is read, by the policy file or the environment, and who they are in Slack. */
import { z } from 'zod'
import { asksForOnCall } from '../domain/oncall/mention.ts'
import type { Problem } from './config-error.ts'
import { Secret } from './secret.ts'
import { mapping, text } from './shapes.ts'

export type OnCallRules = {
  /** Null: not a calendar, or one whose address the environment gives. */
  readonly ical: Secret | null
  /** Id of a schedule. */
  readonly pagerduty: string | null
  /** User ids by e-mail or name, in lower case. */
  readonly people: ReadonlyMap<string, string>
  /** The handoff is posted with the line at each change of shift. */
  readonly handoff: boolean
}

const peopleMax = 500
const addressCharsMax = 2_000

/** In the clear only to this machine: the address of a calendar is often a secret. */
export const calendarAddress = text('the https:// address of a calendar', (value) => {
  const url = URL.parse(value)
  if (url === null || value.length > addressCharsMax || url.username !== '' || url.password !== '')
    return false
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
})

const member = text('a user id (U…)', (value) => /^[UW][A-Z0-9]{1,20}$/.test(value))
const peopleExpected = `a mapping of at most ${peopleMax} e-mails or names to user ids, such as { "ana@example.com": U0123 }`

const given = mapping({
  ical: calendarAddress.transform((value) => new Secret(value)).optional(),
  pagerduty: text('the id of a schedule of PagerDuty, such as PABC123', (value) =>
    /^[A-Z0-9]{1,20}$/.test(value),
  ).optional(),
  people: z
    .record(z.string(), member, { error: peopleExpected })
    .refine((people) => Object.keys(people).length <= peopleMax, { error: peopleExpected })
    .default({}),
  handoff: z.boolean({ error: 'true or false' }).default(false),
}).refine(({ ical, pagerduty }) => ical === undefined || pagerduty === undefined, {
  error: 'nothing beside ical (there is one calendar)',
  path: ['pagerduty'],
})

export const onCall = given.transform(({ ical, pagerduty, people, handoff }): OnCallRules => {
  const lower = Object.entries(people).map(([name, userId]) => [name.trim().toLowerCase(), userId] as const)
  return { ical: ical ?? null, pagerduty: pagerduty ?? null, people: new Map(lower), handoff }
})

/** Where it is read; `apiUrl` is without a slash at the end. */
export type OnCallSourceSettings =
  | { readonly kind: 'ical'; readonly url: Secret }
  | {
      readonly kind: 'pagerduty'
      readonly apiUrl: string
      readonly token: Secret
      readonly scheduleId: string
    }

type Mentions = readonly { readonly mention: string | null }[]

/** Exactly one source where one is wanted, and what it needs. `given`: as it was set, not checked yet. */
export function onCallProblems(
  given: { readonly ONCALL_ICAL_URL?: string; readonly PAGERDUTY_API_TOKEN?: string },
  {
    onCall: rules,
    routes,
    reminders,
  }: {
    readonly onCall: OnCallRules | null
    readonly routes: Mentions
    readonly reminders: { readonly steps: Mentions }
  },
): Problem[] {
  const { ONCALL_ICAL_URL: url, PAGERDUTY_API_TOKEN: token } = given
  const problem = (setting: string, expected: string, came: string) => [{ setting, expected, came }]
  const ofFile = 'MONBOT_CONFIG oncall'
  if (rules === null && url === undefined) {
    const asks = [...routes, ...reminders.steps].some(({ mention }) => asksForOnCall(mention))
    const expected =
      'oncall in the policy file, or ONCALL_ICAL_URL, because `mention: oncall` needs a calendar'
    return asks ? problem(ofFile, expected, 'nothing') : []
  }
  const { ical = null, pagerduty = null } = rules ?? {}
  const count = [ical, pagerduty, url].filter((one) => one != null).length
  const expected = 'one of ical, pagerduty and ONCALL_ICAL_URL'
  if (count !== 1) return problem(ofFile, expected, count === 0 ? 'nothing' : `${count} of them`)
  return pagerduty !== null && token === undefined
    ? problem(
        'PAGERDUTY_API_TOKEN',
        'a key of PagerDuty’s REST API, because oncall names a schedule',
        'nothing',
      )
    : []
}

/** Null: there is none. Call it once there are no `onCallProblems`. */
export function onCallSourceOf(
  rules: OnCallRules | null,
  set: {
    readonly ONCALL_ICAL_URL?: Secret | undefined
    readonly PAGERDUTY_API_TOKEN?: Secret | undefined
    readonly PAGERDUTY_API_URL: string
  },
): OnCallSourceSettings | null {
  const url = rules?.ical ?? set.ONCALL_ICAL_URL
  if (url != null) return { kind: 'ical', url }
  const [scheduleId, token] = [rules?.pagerduty, set.PAGERDUTY_API_TOKEN]
  if (scheduleId == null || token === undefined) return null
  return { kind: 'pagerduty', apiUrl: set.PAGERDUTY_API_URL, token, scheduleId }
}

/** What must never be shown of it. */
export function secretsOfOnCall(source: OnCallSourceSettings | null): Secret[] {
  if (source === null) return []
  return [source.kind === 'ical' ? source.url : source.token]
}

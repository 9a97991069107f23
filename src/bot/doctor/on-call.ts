/** Checks the on-call calendar: reads it, and finds in Slack whom it names. */
import { WebClient } from '@slack/web-api'
import type { Config } from '../config/config.ts'
import { type OnCall, type OnCallPerson, onCallAt } from '../domain/oncall/shift.ts'
import { attempt } from '../flow/attempt.ts'
import { readOnCall } from '../flow/oncall/on-call.ts'
import type { Clock } from '../flow/ports/ports.ts'
import { openOnCallSource } from '../oncall/source.ts'
import { openDirectory } from '../slack/directory.ts'
import { clientOptions } from '../slack/fetch.ts'
import { printable } from '../slack/mrkdwn.ts'
import { counted, inText, listed } from '../slack/render/text/phrases.ts'
import { type Finding, ok, warning } from './finding.ts'
import { silent } from './silent.ts'

const check = 'On call'
const nameCharsMax = 100
const namesShown = 10

type Settings = Pick<Config, 'onCallSource' | 'onCall' | 'timezone' | 'slackBotToken' | 'slackApiUrl'>

export async function* onCallFindings(
  { onCallSource, onCall, timezone: zone, slackBotToken, slackApiUrl }: Settings,
  clock: Clock,
): AsyncGenerator<Finding> {
  if (onCallSource === null) return
  const people = onCall?.people ?? new Map<string, string>()
  const source = openOnCallSource(onCallSource, { known: [...people.keys()], zone })
  const client = new WebClient(slackBotToken.reveal(), { ...clientOptions(slackApiUrl), logger: silent })
  const directory = openDirectory(client, clock)
  const came = await attempt(() => readOnCall({ source, directory }, { people, duties: [] }, clock.nowMs()))
  if (!came.ok) {
    const todo = `${wayTo(onCallSource.kind)} Until it can be read nobody is called by mention: oncall.`
    return yield warning(check, `not known: ${printable(came.failure.message, 300)}`, todo)
  }
  yield* findingsOf(came.value.known, clock.nowMs())
}

function wayTo(kind: NonNullable<Config['onCallSource']>['kind']): string {
  return kind === 'pagerduty'
    ? 'Check pagerduty in the policy, PAGERDUTY_API_TOKEN, and the way out.'
    : 'Check the address of the calendar (oncall.ical, or ONCALL_ICAL_URL), and the way out.'
}

function* findingsOf(known: OnCall, nowMs: number): Generator<Finding> {
  const { duties, skipped, skippedWhy, lookUpFailed } = known
  const isKnown = onCallAt(known, nowMs).kind !== 'unknown'
  if (isKnown && duties.some(({ endMs }) => endMs > nowMs)) yield ok(check, nowWords(known, nowMs))
  else if (isKnown) {
    const todo = 'If somebody should be, check that it is the right calendar, and shared as a whole.'
    yield warning(check, `nobody, now or in the next month, says ${known.from}`, todo)
  }
  if (skipped > 0) {
    const why = skippedWhy == null ? '' : `: ${printable(skippedWhy, 300)}`
    const said = `${isKnown ? '' : 'not known: '}${counted(skipped, 'event')} of ${known.from} cannot be read${why}`
    const todo = 'Look for events in a zone without a known name, without a begin or an end, or with rules of'
    yield warning(check, said, `${todo} their own.`)
  }
  const coming = duties.filter(({ endMs }) => endMs > nowMs)
  const lost = [...new Set(coming.flatMap(({ person }) => (person.userId === null ? person.key : [])))]
  if (lost.length > 0) {
    const names = listed(lost.map(short), namesShown)
    const todo = 'Give their user ids in people of oncall in the policy: nobody is called in their shifts.'
    yield warning(check, `not found in Slack: ${names}`, todo)
  }
  if (lookUpFailed !== null) {
    const said = `people could not be looked up by e-mail: ${printable(lookUpFailed, 300)}`
    yield warning(check, said, 'Give the app users:read.email (see Slack scopes), or list them in people.')
  }
}

/** `Ana Costa (U0ANA00001) until 2026-11-25 08:00 UTC, then Ben Okafor`; of duties of which one is not over. */
function nowWords(known: OnCall, nowMs: number): string {
  const at = onCallAt(known, nowMs)
  if (at.kind === 'unknown') return 'not known'
  const next = at.next === null ? 'nobody' : who(at.next.person)
  if (at.kind === 'nobody')
    return at.next === null ? next : `nobody until ${inText(at.next.startMs)}, then ${next}`
  const { duty } = at
  if (duty.endMs >= known.knownUntilMs) return who(duty.person)
  const isNext = at.next !== null && at.next.startMs <= duty.endMs
  const absent = known.skipped > 0 ? 'not known' : 'nobody'
  return `${who(duty.person)} until ${inText(duty.endMs)}, then ${isNext ? next : absent}`
}

function who({ name, userId }: OnCallPerson): string {
  return userId === null ? short(name) : `${short(name)} (${userId})`
}

function short(name: string): string {
  return printable(name, nameCharsMax)
}

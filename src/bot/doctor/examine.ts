/** Runs all checks of a set-up, each after those that it builds on. Nobody sees anything of it, but for a test page that was asked for. */
import { settingsDocument } from '../../shared/program.ts'
import { readLimited } from '../../shared/setting-files.ts'
import { call, NoAnswer, type WayOut, wayOutOf } from '../call.ts'
import type { Clock } from '../clock.ts'
import { type Environment, loadSettings } from '../config/load.ts'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import { silentLog } from '../log.ts'
import { onCallSourceOf, readOnCall } from '../oncall/read.ts'
import { openSlack } from '../slack/calls.ts'
import { openClient } from '../slack/client.ts'
import type { SlackPort } from '../slack/port.ts'
import { count, listed } from '../view/words.ts'
import {
  databaseFinding,
  examineMonitoring,
  type Finding,
  failed,
  ok,
  skipped,
  warning,
  wordsOf,
} from './found.ts'
import { blocksFindings, testPages } from './samples.ts'
import { examineSlack } from './slack.ts'

export type Wanted = {
  /** Calls somebody for a test, and takes it back at once. */
  readonly page: boolean
  /** Asks Slack about each kind of message. */
  readonly blocks: boolean
}

export async function* examine(env: Environment, wanted: Wanted, clock: Clock): AsyncGenerator<Finding> {
  const loaded = loadSettings(env)
  if (!loaded.ok) {
    for (const problem of loaded.problems)
      yield failed('Settings', problem, `${settingsDocument()} has them all.`)
    return
  }
  const { config, policy, warnings } = loaded
  const way = wayOutOf(config, readLimited)
  const source = config.policyPath === null ? 'no policy file' : count(policy.routes.length, 'route')
  yield ok('Settings', `read; ${source}, ${count(policy.reminders.length, 'reminder')}`)
  for (const one of warnings) yield warning('Settings', one, `${settingsDocument()} has them all.`)
  if (config.heartbeatUrl === null)
    yield skipped('Heartbeat', 'HEARTBEAT_URL is not set: nobody hears if monbot dies')
  const { apiUrl, botToken } = config.slack
  const reach = { apiUrl, fetch: way.fetch, log: silentLog }
  const client = openClient(botToken, reach)
  yield* whole('Monitoring API', examineMonitoring(config, policy, way, clock))
  yield* whole('Slack', examineSlack(client, config, policy))
  if (wanted.blocks) yield* whole('Slack blocks', blocksFindings(client, policy, clock.nowMs()))
  yield await databaseFinding(config.database)
  const { pager } = config
  if (pager !== null)
    yield await reachFinding('Pager', pager.kind === 'pagerduty' ? pager.url : pager.url.reveal(), way)
  if (policy.investigate !== null) yield await reachFinding('Investigator', policy.investigate.url, way)
  yield* whole(
    'On call',
    onCallFindings(config, policy, way, openSlack(botToken, reach, clock), clock.nowMs()),
  )
  if (wanted.page) yield* whole('Pager', testPages(config, way.dispatcher, clock))
}

/** An unexpected error ends one check and no other. */
async function* whole(check: string, findings: AsyncIterable<Finding>): AsyncGenerator<Finding> {
  try {
    yield* findings
  } catch (error) {
    yield failed(check, `the check itself broke (${wordsOf(error)})`, 'Please report this line.')
  }
}

/** Any answer of its host will do: its own address would call somebody. */
async function reachFinding(check: string, address: string, { dispatcher }: WayOut): Promise<Finding> {
  const { origin, host } = new URL(address)
  try {
    await call(dispatcher, origin, { method: 'HEAD' })
    return ok(check, `${host} is reached${check === 'Pager' ? '; whether it takes a call shows --page' : ''}`)
  } catch (error) {
    const why = error instanceof NoAnswer ? error.message : wordsOf(error)
    return failed(check, `${host} ${why}`, 'Check the address, and the way out to it.')
  }
}

async function* onCallFindings(
  config: Config,
  policy: Policy,
  { dispatcher }: WayOut,
  { personByEmail }: SlackPort,
  nowMs: number,
): AsyncGenerator<Finding> {
  const source = onCallSourceOf(config, policy, dispatcher)
  if (source === null) return
  const check = 'On call'
  const people = policy.onCall?.people ?? {}
  const { why, unread, shifts } = await readOnCall({ source, people, personByEmail, before: null, nowMs })
  if (why !== null) {
    const said = unread === 0 ? `not known: ${why}` : `${count(unread, 'event')} can't be read: ${why}`
    yield warning(check, said, 'Until it can be read, `mention: oncall` may call nobody.')
  }
  const coming = shifts.filter(({ untilMs }) => untilMs > nowMs)
  const [now] = coming.filter(({ fromMs }) => fromMs <= nowMs)
  if (now !== undefined) yield ok(check, `${now.name} until ${new Date(now.untilMs).toISOString()}`)
  else if (why === null)
    yield warning(check, 'nobody now', 'If somebody should be, check that it is the right calendar.')
  const lost = [...new Set(coming.flatMap(({ person, name }) => (person.startsWith('name:') ? [name] : [])))]
  if (lost.length > 0)
    yield warning(
      check,
      `not found in Slack: ${listed(lost, 10)}`,
      'Give their member ids in `people` of `oncall` in the policy file: nobody is called in their shifts.',
    )
}

/** Checks the monitoring API: whether it is reachable, accepts the key, has the same time, and what it lists. */
import { request } from 'undici'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { isUnknownServer } from '../domain/alert/alert.ts'
import { unknownTimeMs } from '../domain/alert/believable.ts'
import type { OutsideFailure } from '../domain/base/failure.ts'
import { attempt } from '../flow/attempt.ts'
import type { Clock, Monitor, Page } from '../flow/ports/ports.ts'
import { addressOf } from '../monitor/address.ts'
import { connectMonitor } from '../monitor/client.ts'
import { counted } from '../slack/render/text/phrases.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'

const pageSize = 50
const answerMs = 10_000
/** A poll takes three such answers and more. */
const slowMs = 2_000
/** Beyond this it is worth mentioning, because cards show times of the API beside ours. */
const skewShownMs = 30_000
/** Beyond this, times of the API are not believed (`domain/alert/believable.ts`). */
const skewMaxMs = 5 * 60_000

export async function* examineMonitoring(
  {
    monitorUrl,
    monitorApiKey,
    routes,
    isAccountMuteUnset = false,
  }: Pick<Config, 'isAccountMuteUnset' | 'monitorUrl' | 'monitorApiKey' | 'routes'>,
  clock: Clock,
): AsyncGenerator<Finding> {
  const monitor = connectMonitor({ baseUrl: monitorUrl, apiKey: monitorApiKey, clock, random: Math.random })
  try {
    const startedMs = clock.nowMs()
    const open = await attempt(() => monitor.alerts({ lifecycle: 'start', offset: 0 }))
    if (!open.ok) {
      yield unread('API', open.failure)
      yield skipped('API clock', 'not compared')
      yield skipped('API lists', 'not read')
      return
    }
    const { size } = open.value
    const tookMs = clock.nowMs() - startedMs
    const count = size >= pageSize ? `${pageSize} or more open alerts` : counted(size, 'open alert')
    const said = `answers within ${tookMs} ms, accepts the key; ${count}`
    yield tookMs > slowMs
      ? warning('API', said, 'Each poll takes several such answers: look why it is slow.')
      : ok('API', said)
    const past = await attempt(() => monitor.alerts({ lifecycle: 'all', offset: 0 }))
    if (!past.ok) yield unread('API history', past.failure)
    yield* unreadable('open alerts', open.value)
    if (past.ok) yield* unreadable('alerts', past.value)
    const canMute = open.value.records.some(({ details }) => details?.canMute === true)
    if (canMute && isAccountMuteUnset)
      yield warning(
        'Policy permissions',
        'nobody may mute the whole account: an Alertmanager notifies others too',
        'Name who may in the policy file, or `nobody`: permissions: mute_account',
      )
    yield await clockOf(monitorUrl, clock)
    yield* lists(monitor, routes)
    yield* source(monitorUrl, monitorApiKey)
  } finally {
    await monitor.close()
  }
}

/** Reports records without a time or a server: their alerts are announced, but nobody would know where and since when. */
function* unreadable(what: string, { size, skipped: lost, records }: Page): Generator<Finding> {
  const half = records.filter(({ timeMs, hostname }) => timeMs === unknownTimeMs || isUnknownServer(hostname))
  const todo = 'Compare a record with the fields that monbot needs: an id, a time, a server, a lifecycle.'
  if (lost > 0) yield failed('API alerts', `${lost} of ${size} ${what} cannot be read`, todo)
  if (half.length > 0)
    yield failed('API alerts', `${half.length} of ${size} ${what} have no time or no server`, todo)
}

function unread(check: string, { kind, message }: OutsideFailure): Finding {
  const todo = /\((?:\w*CERT\w*|\w*SSL\w*|UNABLE_TO_VERIFY\w*)\)/.test(message)
    ? 'Name the file of the authority that signed its certificate in CA_FILE.'
    : remedies[kind]
  return failed(check, message, todo)
}

const reachable = 'Check MONITOR_URL, that the service runs, and that this machine may reach it.'
const address = 'Check MONITOR_URL: the address without /api/v2 and without the key.'
const remedies: Readonly<Record<OutsideFailure['kind'], string>> = {
  forbidden: 'Check MONITOR_API_KEY, and that the key was not removed.',
  missing: address,
  rejected: address,
  rate_limited:
    'It asks its callers to wait: run the doctor again later; with one key for all, make one for monbot alone.',
  unreachable: reachable,
  broken: reachable,
}

async function clockOf(url: string, clock: Clock): Promise<Finding> {
  const dateMs = await request(`${url}/`, { reset: true, signal: AbortSignal.timeout(answerMs) })
    .then(async ({ headers, body }) => {
      await body.dump()
      return Date.parse(String(headers.date))
    })
    .catch(() => Number.NaN)
  if (Number.isNaN(dateMs)) return skipped('API clock', 'its answers name no time')
  const skewMs = dateMs - clock.nowMs()
  const words = `${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`
  if (Math.abs(skewMs) > skewMaxMs) {
    return failed('API clock', words, 'Set the clocks of both (NTP): monbot does not believe such times.')
  }
  if (Math.abs(skewMs) > skewShownMs) {
    return warning('API clock', words, 'Set the clocks of both (NTP): ages on cards are off by as much.')
  }
  return ok('API clock', 'together with this machine')
}

/** What stands behind the monitoring service that comes with monbot (docs/api.md#operations). */
const targets = z.object({
  source: z.object({
    kind: z.literal('prometheus'),
    problem: z.string().nullish(),
    doubts: z.array(z.string()).catch([]),
  }),
})
const doubtCharsMax = 300

/** Nothing about another API, which lists no targets. */
async function* source(url: string, key: Config['monitorApiKey']): AsyncGenerator<Finding> {
  const { origin, pathTo } = addressOf(url, key.reveal())
  const options = { reset: true, signal: AbortSignal.timeout(answerMs) }
  const answer = await request(origin + pathTo(['targets.json']), options)
    .then(({ body }) => body.json())
    .catch(() => null)
  const found = targets.safeParse(answer).data?.source
  if (found === undefined) return
  const check = 'API source'
  const { problem, doubts } = found
  if (problem)
    yield failed(check, problem.slice(0, doubtCharsMax), 'Mend what the service asks, or its settings.')
  for (const doubt of doubts) {
    const todo = 'Until then what is listed is taken, and nothing that is missing closes an alert.'
    yield warning(check, doubt.slice(0, doubtCharsMax), todo)
  }
  if (!problem && doubts.length === 0) yield ok(check, 'a Prometheus that answers in whole')
}

async function* lists(monitor: Monitor, routes: Config['routes']): AsyncGenerator<Finding> {
  const check = 'API lists'
  const triggers = await attempt(() => monitor.triggers())
  const roles = await attempt(() => monitor.roles())
  const of = (count: number, lost: number, what: string) =>
    `${count} ${what}${lost === 0 ? '' : `, and ${lost} that cannot be read`}`
  const said = [
    triggers.ok
      ? of(triggers.value.triggers.length, triggers.value.skipped, 'triggers')
      : `triggers: ${triggers.failure.message}`,
    roles.ok ? of(roles.value.roles.size, roles.value.skipped, 'roles') : `roles: ${roles.failure.message}`,
  ].join(', ')
  const isWhole = triggers.ok && triggers.value.skipped === 0 && roles.ok && roles.value.skipped === 0
  yield isWhole
    ? ok(check, said)
    : warning(check, said, 'Without triggers cards lack limits; without roles, routes by role fail.')
  if (triggers.ok && triggers.value.triggers.length === 0)
    yield warning(check, 'no trigger', 'Nothing can raise an alert until the monitoring has one.')
  const asked = [...new Set(routes.flatMap(({ match }) => match.role ?? []))]
  const unknown = roles.ok ? asked.filter((role) => !roles.value.roles.has(role)) : []
  if (unknown.length > 0)
    yield warning(
      'Policy routes',
      `by roles that the API does not list: ${unknown.join(', ')}`,
      'No alert takes such a route until a server has the role: compare its spelling.',
    )
}

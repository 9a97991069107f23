/** The monitoring API: reached, the key accepted, the clocks together, and what it lists. */
import { request } from 'undici'
import type { Config } from '../config/config.ts'
import type { OutsideFailure } from '../domain/base/failure.ts'
import { attempt } from '../flow/attempt.ts'
import type { Clock, Monitor } from '../flow/ports/ports.ts'
import { connectMonitor } from '../monitor/client.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'

const pageSize = 50
const answerMs = 10_000
/** Cards show times of the API beside ours. */
const skewShownMs = 30_000
/** Beyond this, times of the API are not believed (`domain/alert/believable.ts`). */
const skewMaxMs = 5 * 60_000

export async function* examineMonitoring(
  { monitorUrl, monitorApiKey }: Pick<Config, 'monitorUrl' | 'monitorApiKey'>,
  clock: Clock,
): AsyncGenerator<Finding> {
  const monitor = connectMonitor({ baseUrl: monitorUrl, apiKey: monitorApiKey, clock, random: Math.random })
  try {
    const startedMs = clock.nowMs()
    const open = await attempt(() => monitor.alerts({ lifecycle: 'start', offset: 0 }))
    if (!open.ok) {
      yield unread(open.failure)
      yield skipped('API clock', 'not compared')
      yield skipped('API lists', 'not read')
      return
    }
    const { size, skipped: unreadable } = open.value
    const count = size >= pageSize ? `${pageSize} or more` : `${size}`
    yield ok('API', `answers within ${clock.nowMs() - startedMs} ms, accepts the key; ${count} open alerts`)
    if (unreadable > 0) {
      yield failed(
        'API alerts',
        `${unreadable} of ${size} open alerts cannot be read`,
        'Compare a record with the fields that monbot needs: an id, a time, a lifecycle.',
      )
    }
    yield await clockOf(monitorUrl, clock)
    yield await lists(monitor)
  } finally {
    await monitor.close()
  }
}

function unread({ kind, message }: OutsideFailure): Finding {
  switch (kind) {
    case 'forbidden':
      return failed('API', message, 'Check MONITOR_API_KEY, and that the key was not removed.')
    case 'missing':
    case 'rejected':
      return failed('API', message, 'Check MONITOR_URL: the address without /api/v2 and without the key.')
    default:
      return failed(
        'API',
        message,
        'Check MONITOR_URL, that the service runs, and that this machine may reach it.',
      )
  }
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

async function lists(monitor: Monitor): Promise<Finding> {
  const triggers = await attempt(() => monitor.triggers())
  const roles = await attempt(() => monitor.roles())
  const parts = [
    triggers.ok ? `${triggers.value.triggers.length} triggers` : `triggers: ${triggers.failure.message}`,
    roles.ok ? `${roles.value.roles.size} roles` : `roles: ${roles.failure.message}`,
  ]
  const said = parts.join(', ')
  if (triggers.ok && roles.ok) return ok('API lists', said)
  return warning('API lists', said, 'Without triggers cards lack limits; without roles, routes by role fail.')
}

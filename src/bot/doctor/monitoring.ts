/** Checks the monitoring API: its key, its lists, and whether it closes alerts in the way that the policy says. */
import { openMonitor } from '../api/client.ts'
import { type ApiAlert, ApiFailure } from '../api/port.ts'
import type { WayOut } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import { count } from '../view/words.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const check = 'Monitoring API'

export async function* examineMonitoring(
  config: Config,
  policy: Policy,
  { dispatcher }: WayOut,
  clock: Clock,
): AsyncGenerator<Finding> {
  const monitor = openMonitor({ ...config.monitor, dispatcher, clock })
  try {
    const open = await monitor.sweep([])
    const head = await monitor.head([])
    const unreadable = open.unreadable + head.unreadable
    const roles = Object.keys(await monitor.roles()).length
    const triggers = (await monitor.triggers()).length
    const rest = `${count(roles, 'role')}, ${count(triggers, 'trigger')}`
    yield ok(check, `the key is taken; ${count(open.alerts.length, 'alert')} open, ${rest}`)
    if (unreadable > 0) {
      const said = `${count(unreadable, 'record')} without a readable id or lifecycle`
      yield warning(check, said, 'They are counted and not announced: look at what the API lists.')
    }
    if (open.doubt !== null)
      yield warning(
        check,
        `its list is in doubt: ${open.doubt}`,
        'Until it fits, no alert closes by absence.',
      )
    yield* lifecycleFinding(open.alerts, head.alerts, policy.lifecycle)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    yield failed(check, error.message, todoOf(error))
  }
}

function todoOf({ kind }: ApiFailure): string {
  if (kind === 'key') return 'Make a key in the settings of the monitoring, and put it into MONITOR_API_KEY.'
  if (kind === 'missing')
    return 'MONITOR_URL is the address of the service alone, without /api/v2 and the key.'
  return 'Check MONITOR_URL, and the way out to it (HTTPS_PROXY, CA_FILE, a firewall).'
}

/** With a second record for each end, beginnings of what is over stay listed as open beside it. */
export function* lifecycleFinding(
  open: readonly ApiAlert[],
  all: readonly ApiAlert[],
  lifecycle: Policy['lifecycle'],
): Generator<Finding> {
  const keys = new Set(open.map(({ key }) => key))
  const over = all.filter((one) => one.lifecycle === 'start' && !keys.has(one.key))
  const isEndOf = (end: ApiAlert, start: ApiAlert) =>
    ['host', 'plugin', 'metric'].every((field) => end[field as 'host'] === start[field as 'host']) &&
    end.number !== start.number &&
    start.startedMs <= end.startedMs
  const pairs = all.filter((end) => end.lifecycle === 'end' && over.some((start) => isEndOf(end, start)))
  if (lifecycle === 'pair' || pairs.length === 0) return
  const said = `${count(pairs.length, 'end')} came as a record of its own`
  yield warning(check, said, 'Set `lifecycle: pair` in the policy file, or those alerts close late.')
}

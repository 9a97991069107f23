/** Checks the pager: by connecting only, because anything more would call somebody; or by a call for a test. */
import type { Config } from '../config/config.ts'
import type { PageCall } from '../domain/page/call.ts'
import type { PageEventType } from '../domain/page/page.ts'
import { attempt } from '../flow/attempt.ts'
import type { SteadyClock } from '../flow/ports/ports.ts'
import { openPagerDuty } from '../pager/pagerduty.ts'
import { openWebhook } from '../pager/webhook.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import { reachFinding } from './reach.ts'

const check = 'Pager'

export async function pagerFinding(
  pager: NonNullable<Config['pager']>,
  reminders: Config['reminders'],
): Promise<Finding> {
  if (!reminders.steps.some(({ page }) => page === true)) {
    const todo = 'Add page: true to a reminder of the policy file, such as { after: 10m, page: true }.'
    return warning(check, 'it is set, and no reminder pages: nobody is called', todo)
  }
  const [name, address] =
    pager.kind === 'pagerduty' ? ['PagerDuty', pager.url] : ["the pager's host", pager.url.reveal()]
  return reachFinding(check, address, {
    name,
    reached: `${name} can be reached; nobody was called, so whether it takes the key is not known (--page tries it)`,
    todo: `Check ${settingOf(pager)} and the way out to it.`,
  })
}

function settingOf({ kind }: NonNullable<Config['pager']>): string {
  return kind === 'pagerduty' ? 'PAGERDUTY_URL' : 'PAGER_URL'
}

/** Calls somebody, and says at once that it is over. */
export async function testPage({ pager }: Pick<Config, 'pager'>, clock: SteadyClock): Promise<Finding> {
  if (pager === null)
    return failed(check, 'none is set: nobody was called', 'Set PAGERDUTY_ROUTING_KEY, or PAGER_URL.')
  const port = pager.kind === 'pagerduty' ? openPagerDuty(pager) : openWebhook({ ...pager, clock })
  const atMs = clock.nowMs()
  const call = (type: PageEventType): PageCall => ({
    type,
    eventId: `monbot-doctor-${atMs}-${type}`,
    by: null,
    atMs,
    key: `monbot:doctor:${atMs}`,
    headline: 'A test of monbot: nothing is wrong',
    severity: 'info',
    server: null,
    labels: {},
    alerts: 0,
    openedMs: atMs,
    link: null,
  })
  for (const type of ['triggered', 'resolved'] as const) {
    const came = await attempt(() => port.tell(call(type)))
    if (!came.ok) {
      const todo = 'Check the key or the address of the pager, and the way out to it.'
      return failed(check, `the test was not taken (${type}): ${came.failure.message}`, todo)
    }
  }
  return ok(check, 'it took a call for a test, and that it is over')
}

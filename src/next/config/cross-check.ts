/** What the policy needs of the settings: found at the start, not at three in the morning. */
import type { Config } from './config-types.ts'
import type { Policy } from './policy-types.ts'

export function crossCheck(config: Config, policy: Policy): string[] {
  const { routes, reminders, onCall } = policy
  const problems: string[] = []
  const routesAll = routes.at(-1) !== undefined && Object.keys(routes.at(-1)?.match ?? {}).length === 0
  if (config.slack.channel === null && !routesAll)
    problems.push(
      'SLACK_CHANNEL: expected the id of a channel, such as C0123456789, for alerts that no route matches; came nothing',
    )
  if (config.pager === null && reminders.some(({ page }) => page))
    problems.push(
      'reminders: expected a pager for page: true (PAGERDUTY_ROUTING_KEY, or PAGER_URL and PAGER_SECRET); came none',
    )
  const hasCalendar = config.onCallIcalUrl !== null || onCall?.ical != null || onCall?.pagerduty != null
  const mentions = [...routes, ...reminders].some(({ mention }) => mention?.split(' ').includes('oncall'))
  if (mentions && !hasCalendar)
    problems.push(
      'mention: expected a calendar for oncall (ONCALL_ICAL_URL, or oncall in the policy file); came none',
    )
  if (onCall?.pagerduty != null && config.pagerdutyApi.token === null)
    problems.push('PAGERDUTY_API_TOKEN: expected a read-only key for oncall: { pagerduty }; came nothing')
  return problems
}

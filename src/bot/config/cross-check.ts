/** What the policy needs of the settings: found at the start, not at three in the morning. */
import type { Config } from './config-types.ts'
import type { Policy } from './policy-types.ts'

export function crossCheck(config: Config, { routes, reminders, onCall }: Policy): string[] {
  const problems: string[] = []
  const last = routes.at(-1)
  const isAllRouted = last !== undefined && Object.keys(last.match).length === 0
  if (config.slack.channel === null && !isAllRouted)
    problems.push(
      "SLACK_CHANNEL: expected a channel id such as C0123456789 (not needed where the policy file's last route matches everything); came nothing",
    )
  if (config.pager === null && reminders.some(({ page }) => page))
    problems.push(
      'PAGERDUTY_ROUTING_KEY: expected a pager (or PAGER_URL with PAGER_SECRET), because a reminder of the policy file has page: true; came nothing',
    )
  const sources = [onCall?.ical, onCall?.pagerduty, config.onCallIcalUrl].filter((one) => one != null)
  const isAsked = [...routes, ...reminders].some(({ mention }) => mention?.split(' ').includes('oncall'))
  if (sources.length === 0 && (isAsked || onCall !== null))
    problems.push(
      `oncall: expected one of ical, pagerduty and ONCALL_ICAL_URL${isAsked ? ', because `mention: oncall` needs a calendar' : ''}; came nothing`,
    )
  if (sources.length > 1)
    problems.push(
      `oncall: expected one of ical, pagerduty and ONCALL_ICAL_URL; came ${sources.length} of them`,
    )
  if (onCall?.pagerduty != null && config.pagerdutyApi.token === null)
    problems.push(
      'PAGERDUTY_API_TOKEN: expected a key of PagerDuty’s REST API, because oncall names a schedule; came nothing',
    )
  return problems
}

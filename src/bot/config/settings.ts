/**
 * The table of settings from the environment. `readConfig` reads them, and the table in docs/settings.md is checked against it.
 */

export type Setting = {
  readonly name: string
  /** Used if the environment does not set it; null if there is no default. */
  readonly default: string | null
  /** What a missing value means if there is no default; else empty. */
  readonly absent:
    | ''
    | 'required'
    | 'none'
    | 'the host name'
    | 'required unless the file routes everything'
    | 'required unless SLACK_SIGNING_SECRET is given'
  readonly meaning: string
  readonly secret: boolean
}

export const settings = [
  open('MONITOR_URL', 'required', 'address of the monitoring service, without `/api/v2` and without the key'),
  hidden(
    'MONITOR_API_KEY',
    'required',
    'its API key; make one for the bot alone, so that it can be withdrawn alone',
  ),
  hidden('SLACK_BOT_TOKEN', 'required', 'bot token, `xoxb-…`'),
  hidden(
    'SLACK_APP_TOKEN',
    'required unless SLACK_SIGNING_SECRET is given',
    'app-level token with `connections:write`, `xapp-…`: Socket Mode',
  ),
  hidden(
    'SLACK_SIGNING_SECRET',
    'none',
    'signing secret of the app: HTTP mode on `/slack/events`; exactly one of the two is given',
  ),
  usually('SLACK_API_URL', 'https://slack.com/api/', 'another Web API root'),
  open(
    'SLACK_CHANNEL',
    'required unless the file routes everything',
    'id of the channel for alerts that no route matches',
  ),
  {
    ...usually(
      'DATABASE_URL',
      'sqlite:data/monbot.db',
      '`sqlite:PATH`, for one process; or `postgres://USER:PASSWORD@HOST/DATABASE` (14 or newer), on which several bots may run, of which one leads. Its parameters: `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`; without it no TLS) and `sslrootcert` (a file of certificates)',
    ),
    secret: true,
  },
  usually('DATABASE_CONNECTIONS', '6', 'connections to Postgres at most, and one more for the lease'),
  open(
    'REPLICA_NAME',
    'the host name',
    'what this process is called beside others on the same Postgres, in `/mon status`',
  ),
  usually(
    'POLL_CRON',
    '*/15 * * * * *',
    'when to ask for alerts: a node-cron expression, seconds first, with at most an hour between two polls (`*/15 * * * *` is every 15 minutes; more than 5 is warned of at the start)',
  ),
  usually('HOST', '127.0.0.1', 'address that the health server binds; `0.0.0.0` in a container'),
  usually(
    'PORT',
    '3000',
    'port of `/healthz`, `/readyz`, `/metrics` and, in HTTP mode, `/slack/events`; 0 takes any free one',
  ),
  open(
    'BASE_PATH',
    'none',
    'a path below which `/healthz` and all the others answer too, such as `/monbot` for `/monbot/slack/events`: for a proxy in front that passes it on',
  ),
  open('MONBOT_CONFIG', 'none', 'path of the YAML file with routes, permissions and limits'),
  hidden(
    'HEARTBEAT_URL',
    'none',
    'address of a service that raises an alarm when requests stop: requested after successful polls, at most once a minute; with `/fail` when the API cannot be read',
  ),
  hidden(
    'HTTPS_PROXY',
    'none',
    'the proxy through which https:// and Slack are reached, `http://USER:PASSWORD@HOST:PORT`, percent-encoded (`ü` as `%C3%BC`); also as `https_proxy`',
  ),
  hidden(
    'HTTP_PROXY',
    'none',
    'the proxy for http://, and for https:// without HTTPS_PROXY; also as `http_proxy`',
  ),
  open(
    'NO_PROXY',
    'none',
    'what is reached without the proxy, between commas: hosts, each with all below it, perhaps with a port; `*` is everything. No networks. This machine and Postgres always are; also as `no_proxy`',
  ),
  open(
    'CA_FILE',
    'none',
    'a file of certificates (PEM) to trust beside the public ones: of the API, the proxy, the heartbeat. Not of Postgres, which has `sslrootcert`',
  ),
  hidden(
    'PAGERDUTY_ROUTING_KEY',
    'none',
    'integration key of an Events API v2 integration of PagerDuty: reminders with `page: true` call people through it ([the pager](pager.md))',
  ),
  usually(
    'PAGERDUTY_URL',
    'https://events.pagerduty.com',
    'another region of PagerDuty, such as `https://events.eu.pagerduty.com`',
  ),
  hidden(
    'PAGER_URL',
    'none',
    'address of another pager, which takes messages by Standard Webhooks; beside `PAGER_SECRET`, and instead of PagerDuty',
  ),
  hidden('PAGER_SECRET', 'none', 'the secret of both for these messages, `whsec_…`'),
  hidden(
    'ONCALL_ICAL_URL',
    'none',
    'address of the on-call calendar (iCal), in place of `ical` in the policy file, because it is often a secret',
  ),
  hidden(
    'PAGERDUTY_API_TOKEN',
    'none',
    'read-only key of PagerDuty’s REST API, for `oncall: { pagerduty: … }` in the policy file',
  ),
  usually(
    'PAGERDUTY_API_URL',
    'https://api.pagerduty.com',
    'another root of it; `https://api.eu.pagerduty.com` in the EU',
  ),
  usually('LOG_LEVEL', 'info', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`'),
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

function usually<const Name extends string>(name: Name, value: string, meaning: string) {
  return { name, default: value, absent: '', meaning, secret: false } as const
}

function open<const Name extends string>(name: Name, absent: Setting['absent'], meaning: string) {
  return { name, default: null, absent, meaning, secret: false } as const
}

function hidden<const Name extends string>(name: Name, absent: Setting['absent'], meaning: string) {
  return { name, default: null, absent, meaning, secret: true } as const
}

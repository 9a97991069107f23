/** Every setting of the environment: its name, default, meaning and shape. It also makes the table of docs/settings.md. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { isPollCron } from './cron.ts'
import { databaseUrl, isDecodable } from './database.ts'
import { Secret } from './secret.ts'
import { calendarAddress, channelId, oneOf, text } from './shapes.ts'

/** A row of the table. Without a default, `absent` says what a missing value means. */
export type About = {
  readonly meaning: string
  readonly default: string | null
  readonly absent: string
  readonly isSecret: boolean
}

const printable = /^[\x21-\x7e]+$/
const hostShape = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/
const webhookSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

const plainAddress = text('an http:// or https:// URL without user name, query and #', (value) =>
  isWeb(value, /[?#\s]/),
)
const rootAddress = plainAddress.transform((value) => value.replace(/\/+$/, ''))
const secretAddress = text('an http:// or https:// URL without user name and #', (value) =>
  isWeb(value, /[#\s]/),
)
const proxyAddress = text(
  'http://USER:PASSWORD@HOST:PORT, percent-encoded (# as %23, ü as %C3%BC)',
  (value) => {
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/') return false
    return url.search === '' && url.hash === '' && isDecodable(url.username) && isDecodable(url.password)
  },
)
const key = (expected: string, prefix = '') =>
  text(expected, (value) => {
    return value.length >= 8 && value.length <= 1000 && printable.test(value) && value.startsWith(prefix)
  })
const count = (expected: string, min: number, max: number) =>
  text(
    expected,
    (value) => /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max,
  ).transform(Number)

const about = (given: Partial<About>) => ({ default: null, absent: '', isSecret: false, ...given })
const usually = <T extends z.ZodType>(shape: T, value: string, meaning: string, isSecret = false): T =>
  shape.meta(about({ default: value, meaning, isSecret }))
const needed = <T extends z.ZodType>(shape: T, meaning: string): T =>
  shape.meta(about({ absent: 'required', meaning }))
const maybe = <T extends z.ZodType>(shape: T, meaning: string, absent = 'none') =>
  shape.optional().meta(about({ absent, meaning }))
const secret = (shape: z.ZodType<string, string>) => shape.transform((value) => new Secret(value))
const hidden = (shape: z.ZodType<string, string>, meaning: string, absent = 'none') =>
  secret(shape)
    .optional()
    .meta(about({ absent, meaning, isSecret: true }))
const hiddenNeeded = (shape: z.ZodType<string, string>, meaning: string) =>
  secret(shape).meta(about({ absent: 'required', meaning, isSecret: true }))

export const settings = z.object({
  MONITOR_URL: needed(
    text(
      'the http:// or https:// URL of the monitoring service, without /api/v2, user name, query and #',
      (value) => isWeb(value, /[?#\s]/) && !/\/api\/v2(?:\/|$)/.test(value),
    ).transform((value) => value.replace(/\/+$/, '')),
    'address of the monitoring service, without `/api/v2` and without the key',
  ),
  MONITOR_API_KEY: hiddenNeeded(
    key('a key of at least 8 characters without spaces'),
    'its API key; make one for the bot alone, so that it can be withdrawn alone',
  ),
  SLACK_BOT_TOKEN: hiddenNeeded(key('a bot token, xoxb-…', 'xoxb-'), 'bot token, `xoxb-…`'),
  SLACK_APP_TOKEN: hidden(
    key('an app-level token for Socket Mode, xapp-…', 'xapp-'),
    'app-level token with `connections:write`, `xapp-…`: Socket Mode',
    'required unless SLACK_SIGNING_SECRET is given',
  ),
  SLACK_SIGNING_SECRET: hidden(
    key('the signing secret of the Slack app, at least 8 characters without spaces'),
    'signing secret of the app: HTTP mode on `/slack/events`; exactly one of the two is given',
  ),
  SLACK_API_URL: usually(
    plainAddress.transform((value) => (value.endsWith('/') ? value : `${value}/`)),
    'https://slack.com/api/',
    'another Web API root',
  ),
  SLACK_CHANNEL: maybe(
    channelId,
    'id of the channel for alerts that no route matches',
    'required unless the file routes everything',
  ),
  DATABASE_URL: usually(
    databaseUrl,
    'sqlite:data/monbot.db',
    '`sqlite:PATH`, for one process; or `postgres://USER:PASSWORD@HOST/DATABASE` (14 or newer), on which several bots may run, of which one leads. Its parameters: `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`; without it no TLS) and `sslrootcert` (a file of certificates)',
    true,
  ),
  DATABASE_CONNECTIONS: usually(
    count('a number of connections, 2 to 100', 2, 100),
    '6',
    'connections to Postgres at most, and one more for the lease',
  ),
  REPLICA_NAME: maybe(
    text('a name of at most 64 letters, digits, dots, - and _', (value) =>
      /^[A-Za-z0-9._-]{1,64}$/.test(value),
    ),
    'what this process is called beside others on the same Postgres, in `/mon status`',
    'the host name',
  ),
  POLL_CRON: usually(
    text(
      'a node-cron expression with at most an hour between two polls, seconds first, such as */15 * * * * *',
      isPollCron,
    ),
    '*/15 * * * * *',
    'when to ask for alerts: a node-cron expression, seconds first, with at most an hour between two polls (`*/15 * * * *` is every 15 minutes; more than 5 is warned of at the start)',
  ),
  HOST: usually(
    text('an IP address or a host name', (value) => isIP(value) !== 0 || hostShape.test(value)),
    '127.0.0.1',
    'address that the health server binds; `0.0.0.0` in a container',
  ),
  PORT: usually(
    count('a port number, 0 to 65535', 0, 65_535),
    '3000',
    'port of `/healthz`, `/readyz`, `/metrics` and, in HTTP mode, `/slack/events`; 0 takes any free one',
  ),
  BASE_PATH: maybe(
    text('a path that begins with /, such as /monbot', (value) =>
      /^(?:\/[A-Za-z0-9._~-]{1,60}){1,6}\/?$/.test(value),
    ).transform((value) => value.replace(/\/$/, '')),
    'a path below which `/healthz` and all the others answer too, such as `/monbot` for `/monbot/slack/events`: for a proxy in front that passes it on',
  ),
  MONBOT_CONFIG: maybe(z.string(), 'path of the YAML file with routes, permissions and limits'),
  HEARTBEAT_URL: hidden(
    secretAddress,
    'address of a service that raises an alarm when requests stop: requested after successful polls, at most once a minute; with `/fail` when the API cannot be read',
  ),
  HTTPS_PROXY: hidden(
    proxyAddress,
    'the proxy through which https:// and Slack are reached, `http://USER:PASSWORD@HOST:PORT`, percent-encoded (`ü` as `%C3%BC`); also as `https_proxy`',
  ),
  HTTP_PROXY: hidden(
    proxyAddress,
    'the proxy for http://, and for https:// without HTTPS_PROXY; also as `http_proxy`',
  ),
  NO_PROXY: maybe(
    text('hosts between commas, or *', (value) => /^[\x20-\x7e]{1,4000}$/.test(value)).transform((value) =>
      value.split(/[\s,]+/).filter((one) => one !== ''),
    ),
    'what is reached without the proxy, between commas: hosts, each with all below it, perhaps with a port; `*` is everything. No networks. This machine and Postgres always are; also as `no_proxy`',
  ),
  CA_FILE: maybe(
    z.string(),
    'a file of certificates (PEM) to trust beside the public ones: of the API, the proxy, the heartbeat. Not of Postgres, which has `sslrootcert`',
  ),
  PAGERDUTY_ROUTING_KEY: hidden(
    text('the integration key of an Events API v2 integration, 32 letters and digits', (value) =>
      /^[A-Za-z0-9]{32}$/.test(value),
    ),
    'integration key of an Events API v2 integration of PagerDuty: reminders with `page: true` call people through it ([the pager](pager.md))',
  ),
  PAGERDUTY_URL: usually(
    rootAddress,
    'https://events.pagerduty.com',
    'another region of PagerDuty, such as `https://events.eu.pagerduty.com`',
  ),
  PAGER_URL: hidden(
    secretAddress,
    'address of another pager, which takes messages by Standard Webhooks; beside `PAGER_SECRET`, and instead of PagerDuty',
  ),
  PAGER_SECRET: hidden(
    text('a secret of Standard Webhooks: whsec_ and 24 to 64 bytes in Base64', (value) => {
      const { length } = Buffer.from(webhookSecret.exec(value)?.[1] ?? '', 'base64')
      return length >= 24 && length <= 64
    }),
    'the secret of both for these messages, `whsec_…`',
  ),
  ONCALL_ICAL_URL: hidden(
    calendarAddress,
    'address of the on-call calendar (iCal), in place of `ical` in the policy file, because it is often a secret',
  ),
  PAGERDUTY_API_TOKEN: hidden(
    key('a key of at least 8 characters without spaces'),
    'read-only key of PagerDuty’s REST API, for `oncall: { pagerduty: … }` in the policy file',
  ),
  PAGERDUTY_API_URL: usually(
    rootAddress,
    'https://api.pagerduty.com',
    'another root of it; `https://api.eu.pagerduty.com` in the EU',
  ),
  LOG_LEVEL: usually(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  ),
})

/** The rows of the table of docs/settings.md, in its order. */
export const settingRows: readonly ({ readonly name: string } & About)[] = Object.entries(settings.shape).map(
  ([name, shape]) => ({ name, ...(shape.meta() as About) }),
)

function isWeb(value: string, forbidden: RegExp): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && !forbidden.test(value)
}

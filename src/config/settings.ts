/** The settings of the environment, one row each: `readConfig` reads them, and the table of docs/settings.md is checked against them. */

export type Setting = {
  readonly name: string
  /** Used if the environment does not set it; null if there is no default. */
  readonly default: string | null
  /** What a missing value means if there is no default; else empty. */
  readonly absent:
    | ''
    | 'required'
    | 'none'
    | 'required unless the file routes everything'
    | 'required unless SLACK_SIGNING_SECRET is given'
  readonly meaning: string
  readonly secret: boolean
}

const open = { secret: false } as const
const hidden = { secret: true } as const

export const settings = [
  {
    name: 'MONITOR_URL',
    default: null,
    absent: 'required',
    meaning: 'address of the monitoring service, without `/api/v2` and without the key',
    ...open,
  },
  {
    name: 'MONITOR_API_KEY',
    default: null,
    absent: 'required',
    meaning: 'its API key; a key made for the bot alone can be withdrawn alone',
    ...hidden,
  },
  {
    name: 'SLACK_BOT_TOKEN',
    default: null,
    absent: 'required',
    meaning: 'bot token, `xoxb-…`',
    ...hidden,
  },
  {
    name: 'SLACK_APP_TOKEN',
    default: null,
    absent: 'required unless SLACK_SIGNING_SECRET is given',
    meaning: 'app-level token with `connections:write`, `xapp-…`: Socket Mode',
    ...hidden,
  },
  {
    name: 'SLACK_SIGNING_SECRET',
    default: null,
    absent: 'none',
    meaning: 'signing secret of the app: HTTP mode on `/slack/events`; exactly one of the two is given',
    ...hidden,
  },
  {
    name: 'SLACK_API_URL',
    default: 'https://slack.com/api/',
    absent: '',
    meaning: 'another Web API root',
    ...open,
  },
  {
    name: 'SLACK_CHANNEL',
    default: null,
    absent: 'required unless the file routes everything',
    meaning: 'id of the channel for alerts that no route matches',
    ...open,
  },
  {
    name: 'DATABASE_URL',
    default: 'sqlite:data/monbot.db',
    absent: '',
    meaning: '`sqlite:PATH`; `postgres://` is not there yet: refused until it is',
    ...open,
  },
  {
    name: 'POLL_CRON',
    default: '*/15 * * * * *',
    absent: '',
    meaning:
      'when to ask for alerts: a node-cron expression, seconds first, with at most an hour between two polls (`*/15 * * * *` is every 15 minutes; more than 5 is warned of at the start)',
    ...open,
  },
  {
    name: 'HOST',
    default: '127.0.0.1',
    absent: '',
    meaning: 'address that the health server binds; `0.0.0.0` in a container',
    ...open,
  },
  {
    name: 'PORT',
    default: '3000',
    absent: '',
    meaning:
      'port of `/healthz`, `/readyz`, `/metrics` and, in HTTP mode, `/slack/events`; 0 takes any free one',
    ...open,
  },
  {
    name: 'MONBOT_CONFIG',
    default: null,
    absent: 'none',
    meaning: 'path of the YAML file with routes, permissions and limits',
    ...open,
  },
  {
    name: 'HEARTBEAT_URL',
    default: null,
    absent: 'none',
    meaning:
      'address of a watcher that raises the alarm when it hears nothing: asked after good polls, at most once a minute; with `/fail` when the API cannot be read',
    ...hidden,
  },
  {
    name: 'LOG_LEVEL',
    default: 'info',
    absent: '',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    ...open,
  },
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

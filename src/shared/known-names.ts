/** Variables of the environment that look like a setting of monbot and are none: a misspelt setting would silently not be set. */

import { nearest } from './nearest.ts'

const ours = /^(?:MONBOT|MONITOR|SLACK)_/
/** Kubernetes and Docker set these for each service of such a name. */
const ofServices = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT(?:_\d+_(?:TCP|UDP)(?:_|$)|$)/

/** Of all three programs, which often share one environment. A test compares them with what each of them reads. */
export const sharedNames: readonly string[] = [
  'MONBOT_CONFIG',
  'MONITOR_API_KEY',
  'MONITOR_API_KEY_FILE',
  'MONITOR_CONFIG',
  'MONITOR_CONTROL_PORT',
  'MONITOR_CONTROL_URL',
  'MONITOR_FILE',
  'MONITOR_FLEET',
  'MONITOR_FORM',
  'MONITOR_ORDER',
  'MONITOR_PUBLIC_URL',
  'MONITOR_SAMPLE',
  'MONITOR_SEED',
  'MONITOR_URL',
  'SLACK_API_URL',
  'SLACK_APP_TOKEN',
  'SLACK_APP_TOKEN_FILE',
  'SLACK_BOT_TOKEN',
  'SLACK_BOT_TOKEN_FILE',
  'SLACK_CHANNEL',
  'SLACK_REQUEST_URL',
  'SLACK_SIGNING_SECRET',
  'SLACK_SIGNING_SECRET_FILE',
]
/** The Slack CLI sets variables of its own. */
const ofSlackCli = /^SLACK_(?:CLI|APP_ID|TEAM_ID|ENV|CONFIG_DIR|DISABLE_TELEMETRY|TEST|SKIP_UPDATE)/

/** Each such name, and the known one that is probably meant; null if none resembles it. */
export function unknownNames(
  env: Readonly<Record<string, string | undefined>>,
  own: readonly string[],
): readonly { readonly name: string; readonly meant: string | null }[] {
  const known = [...new Set([...own, ...sharedNames])]
  return Object.keys(env).flatMap((name) => {
    if (!ours.test(name) || known.includes(name) || ofServices.test(name) || ofSlackCli.test(name)) return []
    const free = known.filter((one) => !env[one]?.trim())
    const [meant = null] = nearest(name, free, 1).filter(
      (one) => Math.abs(one.length - name.length) <= slipCharsMax,
    )
    return [{ name, meant }]
  })
}

/** More letters apart than this is another word, not a slip. */
const slipCharsMax = 4

/** For a log or a terminal. */
export function unknownSentence({
  name,
  meant,
}: {
  readonly name: string
  readonly meant: string | null
}): string {
  return `${name} is no setting, and nothing reads it${meant === null ? '' : `: did you mean ${meant}?`}`
}

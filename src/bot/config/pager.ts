/** The pager's settings: PagerDuty, or an address that takes signed messages. */
import type { ReminderStep } from '../domain/card/reminders.ts'
import type { Problem } from './config-error.ts'
import type { Secret } from './secret.ts'

/** `url` of PagerDuty is without a slash at the end; whoever knows the address of the other kind could send to it. */
export type PagerSettings =
  | { readonly kind: 'pagerduty'; readonly url: string; readonly routingKey: Secret }
  | { readonly kind: 'webhook'; readonly url: Secret; readonly secret: Secret }

type Set = {
  readonly PAGERDUTY_ROUTING_KEY?: Secret | undefined
  readonly PAGERDUTY_URL: string
  readonly PAGER_URL?: Secret | undefined
  readonly PAGER_SECRET?: Secret | undefined
}

/** Those of which one pager has either or the others. */
export const pagerSettings = ['PAGERDUTY_ROUTING_KEY', 'PAGER_URL', 'PAGER_SECRET'] as const

/** Null: there is none. Call it once there are no `pagerProblems`. */
export function pagerOf(set: Set): PagerSettings | null {
  const { PAGERDUTY_ROUTING_KEY: routingKey, PAGERDUTY_URL, PAGER_URL: url, PAGER_SECRET: secret } = set
  if (routingKey !== undefined) return { kind: 'pagerduty', url: PAGERDUTY_URL, routingKey }
  return url === undefined || secret === undefined ? null : { kind: 'webhook', url, secret }
}

/** What must never be shown of it. */
export function secretsOfPager(pager: PagerSettings | null): Secret[] {
  if (pager === null) return []
  return pager.kind === 'pagerduty' ? [pager.routingKey] : [pager.url, pager.secret]
}

/** Whole settings of one pager, or none; and one where a reminder pages. `given`: as they were set, not checked yet. */
export function pagerProblems(
  given: Readonly<Partial<Record<(typeof pagerSettings)[number], string>>>,
  steps: readonly ReminderStep[],
): Problem[] {
  const { PAGERDUTY_ROUTING_KEY: routingKey, PAGER_URL: url, PAGER_SECRET: secret } = given
  const came = (value: string) => `a value of ${value.length} characters`
  if (routingKey !== undefined) {
    const beside = url !== undefined ? 'PAGER_URL' : 'PAGER_SECRET'
    const value = url ?? secret
    if (value === undefined) return []
    const expected = 'nothing beside PAGERDUTY_ROUTING_KEY (there is one pager)'
    return [{ setting: beside, expected, came: came(value) }]
  }
  if (url !== undefined && secret === undefined)
    return [{ setting: 'PAGER_SECRET', expected: `${secretExpected}, beside PAGER_URL`, came: 'nothing' }]
  if (url === undefined && secret !== undefined)
    return [
      { setting: 'PAGER_URL', expected: 'the address of the pager, beside PAGER_SECRET', came: 'nothing' },
    ]
  if (url !== undefined || !steps.some(({ page }) => page === true)) return []
  const expected =
    'a pager (or PAGER_URL with PAGER_SECRET), because a reminder of the policy file has page: true'
  return [{ setting: 'PAGERDUTY_ROUTING_KEY', expected, came: 'nothing' }]
}

export const secretExpected = 'a secret of Standard Webhooks: whsec_ and 24 to 64 bytes in Base64'

const secretShape = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/
const secretBytes = { min: 24, max: 64 }

export function isPagerSecret(value: string): boolean {
  const [, base64 = ''] = secretShape.exec(value) ?? []
  const { length } = Buffer.from(base64, 'base64')
  return length >= secretBytes.min && length <= secretBytes.max
}

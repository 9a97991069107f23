/** Parses what the service says of its mutes (docs/api.md#mutes). */
import { OutsideFailure } from '../domain/base/failure.ts'
import type { MutePreview } from '../flow/ports/ports.ts'
import { isHash } from './wire.ts'

const matchersMax = 100
const matcherCharsMax = 1_000
const alertsMax = 500

/** What a mute would be and hide; without a readable result nobody knows, which is a failure. */
export function parsePreview(body: unknown): MutePreview {
  const result = isHash(body) ? body.result : null
  if (!isHash(result) || !Array.isArray(result.matchers) || typeof result.hides !== 'number') {
    throw new OutsideFailure('unreachable', 'the monitoring API did not say what the mute would hide')
  }
  const matchers = result.matchers.filter((one): one is string => typeof one === 'string')
  const alerts = Array.isArray(result.alerts) ? result.alerts : []
  return {
    matchers: matchers.slice(0, matchersMax).map((one) => one.slice(0, matcherCharsMax)),
    alerts: alerts.flatMap(idOf).slice(0, alertsMax),
    hides: result.hides,
  }
}

function idOf(value: unknown): string[] {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))
    ? [String(value)]
    : []
}

/** What opened in a time, for tests of what is made of it. */
import type { Happened, RuleCount } from '../../src/bot/domain/request/rule-counts.ts'

export function aRule(over: Partial<RuleCount> = {}): RuleCount {
  return {
    rule: 'Disk: used',
    opened: 12,
    before: 7,
    servers: 4,
    alone: 3,
    closed: 11,
    openMs: 80 * 60_000,
    isAtLeast: false,
    medianMs: 3 * 60_000,
    acknowledged: 9,
    hidden: 0,
    useful: 0,
    noise: 0,
    ...over,
  }
}

/** Of the hours before `toMs`. */
export function aHappened(
  toMs: number,
  rules: readonly RuleCount[] = [],
  over: Partial<Happened> = {},
): Happened {
  return {
    fromMs: toMs - 12 * 3_600_000,
    toMs,
    opened: rules.reduce((sum, { opened }) => sum + opened, 0),
    before: 7,
    rules,
    count: rules.length,
    ...over,
  }
}

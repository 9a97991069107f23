/** Counts alerts by the rule that raised them: which rules open often, how long, and whether anybody cares. */
import { openRuleNames, type RuleFacts } from '../alert/rule.ts'

/** An alert that opened in the time that is counted. `ackedMs`: when it was first acknowledged. */
export type CountedAlert = RuleFacts & {
  readonly hostname: string
  readonly state: string
  readonly startedMs: number
  readonly closedMs: number | null
  /** It closed at some time after this; null: at `closedMs`. */
  readonly closedAfterMs: number | null
  readonly ackedMs: number | null
  /** It opened under a mute. */
  readonly isHidden: boolean
}

export type RuleCount = {
  readonly rule: string
  readonly opened: number
  /** In the time before, which is as long; null: not known. */
  readonly before: number | null
  readonly servers: number
  /** Closed without anybody having acknowledged them. */
  readonly alone: number
  readonly closed: number
  /** How long they were open in all, as far as it is known; those that are open, until the end of the time. */
  readonly openMs: number
  /** The length of some is not known, so that `openMs` is at least that. */
  readonly isAtLeast: boolean
  /** Of those that closed at a known time; null if none did. */
  readonly medianMs: number | null
  readonly acknowledged: number
  readonly hidden: number
  /** Verdicts on alerts of this rule in the 30 days before the end of the time. */
  readonly useful: number
  readonly noise: number
}

/** What opened in a time, by rule; those with the most alerts first. */
export type Happened = {
  readonly fromMs: number
  readonly toMs: number
  readonly opened: number
  /** In the time before, which is as long; null: not known. */
  readonly before: number | null
  /** At most `rulesMax`. */
  readonly rules: readonly RuleCount[]
  /** How many rules in all. */
  readonly count: number
}

export const rulesMax = 50
/** Verdicts are counted so far back, as there are few of them. */
export const verdictsCountMs = 30 * 24 * 3_600_000

export type VerdictCount = { readonly rule: string; readonly useful: number; readonly noise: number }

type Sum = {
  opened: number
  closed: number
  alone: number
  openMs: number
  unknown: number
  acknowledged: number
  hidden: number
  readonly servers: Set<string>
  readonly lengthsMs: number[]
}

/** `before`: how often each rule opened in the time before; null: not known. */
export function countRules(
  alerts: readonly CountedAlert[],
  {
    fromMs,
    toMs,
    before,
    verdicts,
  }: {
    readonly fromMs: number
    readonly toMs: number
    readonly before: ReadonlyMap<string, number> | null
    readonly verdicts: readonly VerdictCount[]
  },
): Happened {
  const sums = new Map<string, Sum>()
  const nameOf = openRuleNames()
  for (const alert of alerts) {
    const rule = nameOf(alert)
    const sum = sums.get(rule) ?? emptySum()
    sums.set(rule, sum)
    add(sum, alert, toMs)
  }
  const given = new Map(verdicts.map((one) => [one.rule, one]))
  const rules = [...sums].map(([rule, sum]): RuleCount => {
    const { servers, lengthsMs, unknown, ...counts } = sum
    return {
      rule,
      ...counts,
      before: before === null ? null : (before.get(rule) ?? 0),
      servers: servers.size,
      isAtLeast: unknown > 0,
      medianMs: medianOf(lengthsMs),
      useful: given.get(rule)?.useful ?? 0,
      noise: given.get(rule)?.noise ?? 0,
    }
  })
  rules.sort((a, b) => b.opened - a.opened || (a.rule < b.rule ? -1 : 1))
  return {
    fromMs,
    toMs,
    opened: alerts.length,
    before: before === null ? null : [...before.values()].reduce((sum, one) => sum + one, 0),
    rules: rules.slice(0, rulesMax),
    count: rules.length,
  }
}

/** How often each rule opened. */
export function countByRule(alerts: readonly RuleFacts[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const nameOf = openRuleNames()
  for (const alert of alerts) {
    const rule = nameOf(alert)
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  return counts
}

function emptySum(): Sum {
  return {
    opened: 0,
    closed: 0,
    alone: 0,
    openMs: 0,
    unknown: 0,
    acknowledged: 0,
    hidden: 0,
    servers: new Set(),
    lengthsMs: [],
  }
}

function add(sum: Sum, alert: CountedAlert, toMs: number): void {
  const { hostname, state, startedMs, closedMs, closedAfterMs, ackedMs, isHidden } = alert
  sum.opened += 1
  sum.servers.add(hostname)
  if (ackedMs !== null) sum.acknowledged += 1
  if (isHidden) sum.hidden += 1
  if (state === 'open') sum.openMs += Math.max(0, toMs - startedMs)
  else if (state !== 'closed') sum.unknown += state === 'oneoff' ? 0 : 1
  else {
    sum.closed += 1
    if (ackedMs === null) sum.alone += 1
    if (closedMs === null || closedAfterMs !== null) sum.unknown += 1
    else {
      const ms = Math.max(0, closedMs - startedMs)
      sum.openMs += ms
      sum.lengthsMs.push(ms)
    }
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort()
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? null : Math.round((lower + upper) / 2)
}

/** Opened so often in the time, a rule is noisy if nearly all of its alerts go away by themselves. */
const oftenMin = 5
const aloneShare = 0.8

/** Why a rule is noise; null if nothing says so. What people called useful is none, however often it opens. */
export function noiseOf({ opened, closed, alone, useful, noise }: RuleCount): 'called' | 'alone' | null {
  if (noise > useful) return 'called'
  if (useful > noise) return null
  return opened >= oftenMin && closed >= oftenMin && alone >= aloneShare * closed ? 'alone' : null
}

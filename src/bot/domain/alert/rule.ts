/** Names the rule that raised an alert, the same on every server: what opens too often is one rule, not forty alerts. */
import type { Alert } from './alert.ts'
import { subjectWords } from './subject-words.ts'

/** What tells the rule. `alertname`: that label, where the service gives labels; null where it gives none. */
export type RuleFacts = {
  readonly plugin: string
  readonly metric: string | null
  readonly alertname: string | null
}

/**
 * The rule in the words that people know it by; not escaped. Some services number triggers for each server, and servers may have
 * limits of their own, so that without a name what is measured is the rule.
 */
export function ruleOf({ plugin, metric, alertname }: RuleFacts): string {
  const name = alertname?.trim() ?? ''
  return (name === '' ? subjectWords({ plugin, metric }) : name).slice(0, ruleCharsMax) || unnamed
}

const ruleCharsMax = 200
const unnamed = '(no name)'

/** What somebody thinks of an alert once it is over. */
export type Verdict = 'useful' | 'noise'

/** Who called an alert, or the alerts of a card, useful or noise; each person once, earliest first. */
export type Verdicts = { readonly useful: readonly string[]; readonly noise: readonly string[] }

/** One person's verdict on an alert; a later one takes its place. */
export type GivenVerdict = {
  readonly alertId: string
  readonly userId: string
  readonly rule: string
  readonly verdict: Verdict
  readonly atMs: number
}

/** A verdict with the person who gave it, and when. */
type Vote = Pick<GivenVerdict, 'userId' | 'verdict' | 'atMs'>

/** Each person counts once, with the latest. */
export function verdictsOf(votes: readonly Vote[]): Verdicts {
  const latest = new Map<string, Vote>()
  for (const vote of votes.toSorted((a, b) => a.atMs - b.atMs)) latest.set(vote.userId, vote)
  const who = (verdict: Verdict) =>
    [...latest.values()].flatMap((vote) => (vote.verdict === verdict ? vote.userId : []))
  return { useful: who('useful'), noise: who('noise') }
}

export function ruleFactsOf({
  plugin,
  metric,
  details,
}: Pick<Alert, 'plugin' | 'metric' | 'details'>): RuleFacts {
  return { plugin, metric, alertname: details?.labels.alertname ?? null }
}

/** Works each name out once, as there may be a hundred thousand alerts of a dozen rules. */
export function openRuleNames(): (facts: RuleFacts) => string {
  const names = new Map<string, string>()
  return ({ plugin, metric, alertname }) => {
    const key = JSON.stringify([plugin, metric, alertname])
    const rule = names.get(key) ?? ruleOf({ plugin, metric, alertname })
    names.set(key, rule)
    return rule
  }
}

/** Of a list of alerts the first of each rule: a verdict on the list is one on each of its rules. */
export function firstOfRules(alerts: readonly Alert[]): readonly Alert[] {
  const nameOf = openRuleNames()
  const firsts = new Map<string, Alert>()
  for (const alert of alerts) {
    const rule = nameOf(ruleFactsOf(alert))
    if (!firsts.has(rule)) firsts.set(rule, alert)
  }
  return [...firsts.values()]
}

/** The current rules, each parsed once: expressions are parsed again only if one has changed. */
import type { Trigger } from '../alerts/triggers.ts'
import type { EngineRule } from './engine.ts'
import { type AlertRule, rulesOf } from './rules.ts'

export type RuleCache = {
  take(rules: readonly EngineRule[]): void
  of(rule: Pick<EngineRule, 'name' | 'query' | 'duration' | 'labels'>): AlertRule | null
  all(): readonly AlertRule[]
  triggers(): readonly Trigger[]
}

export function openRuleCache(): RuleCache {
  let text = ''
  let all: readonly AlertRule[] = []
  let byText: ReadonlyMap<string, AlertRule> = new Map()
  let triggers: readonly Trigger[] = []

  return {
    take(rules) {
      const texts = rules.map(textOf)
      const next = texts.join('\n')
      if (next === text) return
      text = next
      all = rulesOf(rules)
      byText = new Map(all.flatMap((rule, at) => (texts[at] === undefined ? [] : [[texts[at], rule]])))
      triggers = all.map(({ trigger }) => trigger)
    },
    of: (rule) => byText.get(textOf(rule)) ?? null,
    all: () => all,
    triggers: () => triggers,
  }
}

function textOf({ name, query, duration, labels }: Parameters<RuleCache['of']>[0]): string {
  return JSON.stringify([name, query, duration, Object.entries(labels).sort()])
}

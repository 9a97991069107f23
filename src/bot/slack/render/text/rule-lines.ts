/** Puts what happened into lines, one a rule, and says which rules are noise and what can be done about them. */
import { formatDuration, formatRoughly } from '../../../domain/base/duration.ts'
import { type Happened, noiseOf, type RuleCount } from '../../../domain/request/rule-counts.ts'
import { fitted, type Room } from './message-parts.ts'
import { counted, inBlocks, name } from './phrases.ts'

const noisyShown = 3
export const rulesRoom = {
  charsMax: 2_000,
  linesMax: 8,
  more: (left) => `and ${counted(left, 'more rule')}: the file has all alerts`,
} as const satisfies Room

/** `*23 alerts opened* (+5) by 6 rules since …`, then the rules, those with the most alerts first. */
export function happenedLines(happened: Happened, room: Room = rulesRoom): string[] {
  const { opened, before, fromMs, count } = happened
  const since = `since ${inBlocks(fromMs)}`
  if (opened === 0) return [`*No alerts opened* ${since}${changeWords(0, before)}`]
  return [
    `*${counted(opened, 'alert')} opened*${changeWords(opened, before)} ${since}, by ${counted(count, 'rule')}`,
    ...ruleLines(happened, room),
  ]
}

export function ruleLines({ rules, count }: Happened, room: Room = rulesRoom): string[] {
  return fitted(rules, ruleLine, { ...room, more: (left) => room.more(left + count - rules.length) })
}

/** `• *Disk: used* 12 (+5) on 4 servers · median 3 min, 1 h 20 min in all · 2 acknowledged · 5 came muted · 👎 2`. */
function ruleLine(rule: RuleCount): string {
  const { opened, before, servers, medianMs, openMs, isAtLeast, acknowledged, hidden, useful, noise } = rule
  const inAll = openMs === 0 ? [] : [`${isAtLeast ? 'at least ' : ''}${formatRoughly(openMs)} in all`]
  const times = [...(medianMs === null ? [] : [`median ${formatDuration(medianMs)}`]), ...inAll].join(', ')
  const parts = [
    `• *${name(rule.rule)}* ${opened}${changeWords(opened, before)} on ${counted(servers, 'server')}`,
    ...(times === '' ? [] : [times]),
    acknowledged === 0 ? 'none acknowledged' : `${acknowledged} acknowledged`,
    ...(hidden === 0 ? [] : [`${hidden} came muted`]),
    ...(useful + noise === 0 ? [] : [`👍 ${useful} 👎 ${noise}`]),
  ]
  return parts.join(' · ')
}

/** `(+5)`: against the time before; nothing where that is not known. */
function changeWords(now: number, before: number | null): string {
  if (before === null) return ''
  const change = now - before
  return change === 0 ? ' (±0)' : ` (${change > 0 ? '+' : '−'}${Math.abs(change)})`
}

/** Which rules are noise, and why; nothing if none is known to be. */
export function noisyLines({ rules }: Happened): string[] {
  const noisy = rules.filter((rule) => noiseOf(rule) !== null)
  if (noisy.length === 0) return []
  const rest = noisy.length - noisyShown
  return [
    '🗑️ *Noisy*',
    ...noisy.slice(0, noisyShown).map((rule) => `• *${name(rule.rule)}*: ${whyWords(rule)}`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    'To have less of it: a longer duration or another limit in the monitoring, `severity` or `ignore` in the policy file, or a mute.',
  ]
}

function whyWords(rule: RuleCount): string {
  const { noise, useful, alone, closed } = rule
  return noiseOf(rule) === 'called'
    ? `called noise by ${noise} of ${noise + useful} in 30 days`
    : `${alone === closed ? `all ${closed}` : `${alone} of ${closed}`} closed by themselves, and nobody acknowledged them`
}

/** What the changes are against, or why there are none. */
export function beforeWords({ before, fromMs, toMs }: Happened): string {
  const time = formatDuration(toMs - fromMs)
  return before === null
    ? `Without a comparison: what there was in the ${time} before is not known.`
    : `In brackets: against the ${time} before.`
}

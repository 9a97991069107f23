/** What an alert of Prometheus says: title, value, limit, links, and why nobody is notified of it. Pure. */
import { numberOf } from '../ledger.ts'
import { heartbeat, outOfReach } from '../metrics.ts'
import type { Found, MutedBy, Trigger } from '../source.ts'
import { troubleOf } from './identity.ts'
import type { AmSilence, EngineAlert, Managed, Rule } from './look.ts'
import type { Labels } from './naming.ts'
import { type Expression, readExpression } from './promql.ts'

export type Fired = {
  readonly key: string
  readonly labels: Labels
  readonly startedMs: number
  readonly copies: readonly Managed[]
  readonly own: EngineAlert | null
  readonly rule: Rule | null
}

const mutesMax = 5

/** `isDown`: nothing of its server can be scraped. */
export function foundOf(fired: Fired, host: string, isDown: boolean): Found {
  const { key, labels, startedMs, copies, own, rule } = fired
  const annotations = copies[0]?.annotations ?? own?.annotations ?? {}
  const expression = rule === null ? null : readExpression(rule.query)
  const name = labels.alertname ?? ''
  const isSilence = expression?.isSilence === true
  const description = annotations.description || annotations.message || ''
  const said = annotations.summary || description
  const silent = isDown ? `${host} sends no data` : `${name} on ${host}`
  const condition = rule === null ? name : isSilence ? silent : conditionOf(rule)
  const value = own === null || isSilence || !Number.isFinite(own.value) ? null : own.value
  return {
    key,
    startedMs,
    host,
    title: oneLine(said || condition || 'an alert without a name', 500),
    // An Alertmanager takes alerts without a name from others.
    plugin: name || 'Unnamed',
    metric: isSilence && isDown ? heartbeat.metric : name || null,
    value,
    ...measureOf(expression, annotations),
    ...(labels.severity ? { severity: labels.severity } : {}),
    ...(rule === null ? {} : { triggerId: triggerIdOf(rule) }),
    labels,
    ...(description !== '' && description !== said ? { description } : {}),
    links: linksOf(annotations, copies[0]?.generatorURL ?? ''),
    trouble: troubleOf(key),
  }
}

/** Annotations say the unit where the names do not. Nothing is said of a silence: 0 is no value there. */
function measureOf(expression: Expression | null, { unit, units = unit }: Labels): Partial<Found> {
  if (expression?.isSilence) return {}
  const own = units || expression?.units
  const limit = expression?.limit
  return { ...(own && { units: own }), ...(limit && { limit: limit.value, side: limit.side }) }
}

/** A copy is muted only if all are: one that notifies is enough for somebody to hear of it. Those that end last come first. */
export function mutedBy(
  copies: readonly Managed[],
  silence: (id: string) => MutedBy,
  wordsOf: (fingerprint: string) => string | null,
): MutedBy[] {
  if (copies.length === 0 || copies.some(({ status }) => status.state !== 'suppressed')) return []
  const ids = new Set(copies.flatMap(({ status }) => status.silencedBy))
  const inhibiting = new Set(copies.flatMap(({ status }) => status.inhibitedBy.map(wordsOf)))
  const endOf = ({ untilMs, isOurs }: MutedBy) => untilMs ?? (isOurs ? Number.MAX_VALUE : 0)
  const silences = [...ids].map(silence).sort((a, b) => endOf(b) - endOf(a))
  const inhibitions = [...inhibiting].map((by): MutedBy => ({ ...unknownMute, kind: 'inhibition', by }))
  const all = [...silences, ...inhibitions]
  // Whatever it was suppressed by could not be read.
  return all.length === 0 ? [unknownMute] : all.slice(0, mutesMax)
}

export const unknownMute: MutedBy = {
  kind: 'silence',
  id: null,
  by: null,
  untilMs: null,
  why: null,
  isOurs: false,
}

export function silenceWords(silence: AmSilence, isOurs: boolean): MutedBy {
  const { id, createdBy, comment, endsAt } = silence
  // Without the mark by which this service knows its own.
  const said = comment.replace(/ \(monbot [\w-]+ [\w-]+\)$/, '')
  const [by, why] = [oneLine(createdBy, 100) || null, oneLine(said, 300) || null]
  return { kind: 'silence', id, by, untilMs: endsAt, why, isOurs }
}

/** The runbook and the dashboard first, then every other annotation that is one address, then the engine's own graph. */
function linksOf(annotations: Labels, graph: string): { text: string; url: string }[] {
  const usual = ['runbook_url', 'dashboard_url']
  const others = Object.keys(annotations).filter((name) => !usual.includes(name))
  const named = [...usual, ...others.sort()].map((name) => [name, annotations[name]?.trim() ?? ''] as const)
  const found = new Map<string, string>()
  for (const [name, url] of [...named, ['graph', graph] as const]) {
    const parsed = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) && url.length <= 2000 ? URL.parse(url) : null
    if (parsed === null || parsed.username !== '' || found.has(url)) continue
    const words = name.replace(/[\s_-]+/g, ' ').replace(/ (?:url|uri|link)$/i, '')
    found.set(url, (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 75))
  }
  return [...found].slice(0, 5).map(([url, text]) => ({ text, url }))
}

export function triggerIdOf({ name, query, duration, labels }: Rule): number {
  return numberOf([name, query, duration, Object.entries(labels).sort()])
}

export function triggerOf(rule: Rule): Trigger {
  const { side, value } = readExpression(rule.query)?.limit ?? { side: null, value: 0 }
  return {
    id: triggerIdOf(rule),
    condition: conditionOf(rule),
    metric: rule.name,
    maxValue: side === 'high' ? value : outOfReach,
    lowValue: side === 'low' ? value : null,
    durationMs: rule.duration * 1000,
  }
}

function conditionOf({ name, query, duration }: Rule): string {
  // Grafana shows its model of the query.
  if (/^\s*[[{]/.test(query) && readExpression(query) === null) return name
  const minutes = duration % 60 === 0 ? `${duration / 60} min` : `${duration} s`
  return oneLine(query.replace(/#[^\n"]*$/gm, ''), 280) + (duration === 0 ? '' : ` for ${minutes}`)
}

export function oneLine(text: string, charsMax: number): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return (line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line).toWellFormed()
}

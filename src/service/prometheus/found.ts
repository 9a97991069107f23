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

export type Place = {
  readonly host: string
  /** Nothing of this server can be scraped. */
  readonly isSilent: boolean
  readonly mutedBy: readonly MutedBy[]
}

const mutesMax = 5

export function foundOf({ key, labels, startedMs, copies, own, rule }: Fired, place: Place): Found {
  const annotations = copies[0]?.annotations ?? own?.annotations ?? {}
  const expression = rule === null ? null : readExpression(rule.query)
  const name = labels.alertname ?? ''
  const isSilence = expression?.isSilence === true
  const said = annotations.summary || annotations.description || annotations.message || ''
  const silent = place.isSilent ? `${place.host} sends no data` : `${name} on ${place.host}`
  const condition = rule === null ? name : isSilence ? silent : conditionOf(rule)
  const value = own === null || isSilence || !Number.isFinite(own.value) ? null : own.value
  const description = annotations.description || annotations.message || ''
  return {
    key,
    startedMs,
    host: place.host,
    title: oneLine(said || condition, 500),
    plugin: name,
    metric: isSilence && place.isSilent ? heartbeat.metric : name || null,
    value,
    ...measureOf(expression, annotations),
    ...(labels.severity ? { severity: labels.severity } : {}),
    ...(rule === null ? {} : { triggerId: triggerIdOf(rule) }),
    labels,
    ...(description !== '' && description !== said ? { description } : {}),
    links: linksOf(annotations, copies[0]?.generatorURL ?? ''),
    trouble: troubleOf(key),
    mutedBy: place.mutedBy,
  }
}

/** Annotations say the unit where the names do not. Nothing is said of a silence: 0 is no value there. */
function measureOf(expression: Expression | null, { unit, units = unit }: Labels): Partial<Found> {
  if (expression?.isSilence) return {}
  const own = units || expression?.units
  const { limit = null, side = null } = expression ?? {}
  return { ...(own ? { units: own } : {}), ...(limit === null || side === null ? {} : { limit, side }) }
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
  const [by, why] = [oneLine(createdBy, 100) || null, oneLine(withoutToken(comment), 300) || null]
  return { kind: 'silence', id, by, untilMs: endsAt, why, isOurs }
}

/** What a person wrote, without the mark by which this service knows its own. */
export function withoutToken(comment: string): string {
  return comment.replace(/ \(monbot [\w-]+ [\w-]+\)$/, '')
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

const ids = new WeakMap<Rule, number>()

export function triggerIdOf(rule: Rule): number {
  const { name, query, duration, labels } = rule
  const id = ids.get(rule) ?? numberOf([name, query, duration, Object.entries(labels).sort()])
  ids.set(rule, id)
  return id
}

export function triggerOf(rule: Rule): Trigger {
  const { limit = null, side = null } = readExpression(rule.query) ?? {}
  return {
    id: triggerIdOf(rule),
    condition: conditionOf(rule),
    metric: rule.name,
    maxValue: side === 'high' ? (limit ?? 0) : outOfReach,
    lowValue: side === 'low' ? limit : null,
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

/** Finds the metric of a server that somebody means: by its key, by words, by its plugin, or by both. */

import { nearest } from '../../../shared/nearest.ts'
import { metricWords, subjectWords } from '../alert/subject-words.ts'

/** A metric that is known from an alert of the server; `plugin` is empty for one that is known only from a trigger. */
export type KnownMetric = { readonly plugin: string; readonly metric: string }

/** `unknown`: the API may still have it under this name. */
type MetricMeant =
  | { readonly kind: 'one'; readonly metric: KnownMetric }
  | { readonly kind: 'several'; readonly metrics: readonly KnownMetric[] }
  | { readonly kind: 'unknown' }

/** The known metrics, each once, those of alerts first. */
export function knownMetrics(
  alerts: readonly { readonly plugin: string; readonly metric: string | null }[],
  triggerMetrics: readonly string[],
): readonly KnownMetric[] {
  const told = alerts.flatMap(({ plugin, metric }) => (metric ? [{ plugin, metric }] : []))
  const only = triggerMetrics
    .filter((metric) => metric !== '' && !told.some((one) => one.metric === metric))
    .map((metric) => ({ plugin: '', metric }))
  return [
    ...new Map([...told, ...only].map((one) => [JSON.stringify([one.plugin, one.metric]), one])).values(),
  ]
}

export function metricMeant(typed: string, known: readonly KnownMetric[]): MetricMeant {
  const exactly = known.filter((one) => namesOf(one).some((name) => isSameName(name, typed)))
  const fitting = exactly.length > 0 ? exactly : known.filter(({ plugin }) => isSameName(plugin, typed))
  const [first, ...more] = fitting
  if (first === undefined) return { kind: 'unknown' }
  return more.length === 0 ? { kind: 'one', metric: first } : { kind: 'several', metrics: fitting }
}

/** Metrics with similar names, as the person names them: by their keys, or in words. */
export function similarMetrics(typed: string, known: readonly KnownMetric[]): readonly string[] {
  const isKey = typed.includes('_')
  return nearest(typed, new Set(known.flatMap((one) => (isKey ? [one.metric] : namesInWords(one)))))
}

/** Unambiguous names: in words, or by the key if two would have the same words. */
export function wordsOf(metrics: readonly KnownMetric[]): readonly string[] {
  const words = metrics.map(subjectWords)
  return metrics.map(({ plugin, metric }, at) => {
    const own = words[at] ?? metric
    const isShared = words.filter((other) => isSameName(other, own)).length > 1
    return isShared ? `${plugin} ${metric}`.trim() : own
  })
}

function namesOf(one: KnownMetric): readonly string[] {
  return [one.metric, `${one.plugin} ${one.metric}`, ...namesInWords(one)]
}

function namesInWords({ plugin, metric }: KnownMetric): readonly string[] {
  return [subjectWords({ plugin, metric }), metricWords(metric), `${plugin} ${metricWords(metric)}`.trim()]
}

/** Equal for people: case and the signs between words aside. */
function isSameName(a: string, b: string): boolean {
  return comparable(a) === comparable(b)
}

function comparable(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_.:·-]+/g, ' ')
    .trim()
}

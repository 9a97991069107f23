/** Exports of OTLP by hand, and what the API makes of them. */
import { key, startMs, type Town } from './open-service.ts'

export const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

type Point = { labels?: Record<string, string>; value: number; atMs?: number }

const attributes = (labels: Record<string, string>) =>
  Object.entries(labels).map(([name, value]) => ({ key: name, value: { stringValue: value } }))

export const dataPoints = (points: readonly Point[]) =>
  points.map(({ labels = {}, value, atMs = startMs }) => ({
    attributes: attributes(labels),
    timeUnixNano: `${atMs}000000`,
    asDouble: value,
  }))

export const gauge = (name: string, ...points: Point[]) => ({
  name,
  gauge: { dataPoints: dataPoints(points) },
})
export const counter = (name: string, ...points: Point[]) => ({
  name,
  sum: { dataPoints: dataPoints(points), aggregationTemporality: 2, isMonotonic: true },
})

export function exportOf(labels: Record<string, string>, ...metrics: object[]) {
  return { resourceMetrics: [{ resource: { attributes: attributes(labels) }, scopeMetrics: [{ metrics }] }] }
}

export const push = (town: Town, body: object) =>
  town.ask('/v1/metrics', { method: 'POST', headers: bearer, body: JSON.stringify(body) })

/** The lowest, mean or highest value of the newest point. */
export async function lastOf(
  town: Town,
  query: string,
  which: 0 | 1 | 2 = 2,
): Promise<number | null | undefined> {
  const { status, body } = await town.api(`/metrics.json?${query}`)
  if (status !== 200) return undefined
  const { metrics } = body as { metrics: { points: (number | null)[][] }[] }
  return metrics[0]?.points.at(-1)?.[which]
}

/** What a process says of itself. */
export const host = { 'host.name': 'web-1', 'deployment.environment.name': 'staging' }

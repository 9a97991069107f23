/** What the text of an exporter becomes in the API, for tests. */
import { openExpositionParser } from '../../../src/service/scrape/exposition.ts'
import { type NodeMetrics, openNodeMetrics } from '../../../src/service/scrape/node-metrics.ts'

export const intervalMs = 15_000
export const gapMaxMs = 5 * intervalMs

/** Keeps custom metrics that begin with `shop_`. */
export function open(): NodeMetrics {
  return openNodeMetrics((name) => name.startsWith('shop_'), gapMaxMs)
}

/** `type source metric` → value. */
export function read(metrics: NodeMetrics, text: string, atMs: number): Record<string, number> {
  const parser = openExpositionParser('text', metrics.wanted)
  parser.push(text)
  const { samples } = metrics.map(parser.end(), atMs)
  return Object.fromEntries(
    samples.map(({ key, value }) => [`${key.type} ${key.source} ${key.metric}`.replace('  ', ' '), value]),
  )
}

/** Of the second of two answers, `intervalMs` apart. */
export function readTwo(first: string, second: string): Record<string, number> {
  const metrics = open()
  read(metrics, first, 0)
  return read(metrics, second, intervalMs)
}

/** Two CPUs after so many seconds; what is neither idle nor user is system. */
export const cpu = (
  seconds: number,
  idle0: number,
  idle1: number,
  user0 = 0,
): string => `# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} ${idle0}
node_cpu_seconds_total{cpu="1",mode="idle"} ${idle1}
node_cpu_seconds_total{cpu="0",mode="user"} ${user0}
node_cpu_seconds_total{cpu="1",mode="user"} 0
node_cpu_seconds_total{cpu="0",mode="system"} ${(seconds - idle0 - user0).toFixed(2)}
node_cpu_seconds_total{cpu="1",mode="system"} ${(seconds - idle1).toFixed(2)}
`

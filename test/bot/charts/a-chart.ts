/** A chart of two hours, for tests that change one thing of it. */
import type { SeriesChart } from '../../../src/bot/domain/chart/chart.ts'

export const toMs = Date.UTC(2026, 10, 21, 4, 0)
export const minuteMs = 60_000

export function aChart(over: Partial<SeriesChart> = {}): SeriesChart {
  const timesMs = Array.from({ length: 120 }, (_, at) => toMs - (120 - at) * minuteMs)
  return {
    title: 'Load Average on web-1',
    units: '',
    fromMs: toMs - 120 * minuteMs,
    toMs,
    timesMs,
    points: timesMs.map((_, at) => [1, 2 + at / 60, 4] as const),
    line: 'average',
    limits: [],
    spans: [],
    marks: [],
    zone: 'Europe/Lisbon',
    ...over,
  }
}

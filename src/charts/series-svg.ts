/** One metric over time: the band from lowest to highest, the average in it, the threshold, alerts, mutes and markers. */
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { ChartSpan, SeriesChart } from '../domain/chart/chart.ts'
import { amount, heights, timeTicks, zoneName } from './axes.ts'
import { drawable } from './drawable.ts'
import { colors, type Plot, rect, rule, sheet, text, widthOf } from './svg-parts.ts'

export const seriesSize = { width: 720, height: 300 } as const

const margin = { top: 52, right: 84, bottom: 34, left: 16 } as const
const labelSize = 11
const markLabelCharsMax = 28
/** More lines than this are unreadable. */
const marksMax = 12

type Known = { readonly x: number; readonly point: readonly [number, number, number] | null }

export function seriesSvg(given: SeriesChart): string {
  const chart = drawable(given)
  const plot: Plot = {
    left: margin.left,
    right: seriesSize.width - margin.right,
    top: margin.top,
    bottom: seriesSize.height - margin.bottom,
  }
  const values = chart.points.flatMap((point) => (point === null ? [] : point))
  const limits = chart.threshold === null ? [] : [chart.threshold]
  const x = scaleLinear([chart.fromMs, chart.toMs], [plot.left, plot.right]).clamp(true)
  const y = scaleLinear(heights([...values, ...limits]), [plot.bottom, plot.top]).nice(4)
  const write = (value: number): string => amount(value, chart.units, chart.precision)
  const points: Known[] = chart.timesMs.map((atMs, at) => ({ x: x(atMs), point: chart.points[at] ?? null }))
  return sheet(seriesSize.width, seriesSize.height, [
    ...chart.spans.map((span) => spanRect(span, x, plot)),
    ...y
      .ticks(4)
      .map((tick) =>
        [
          rule([plot.left, y(tick)], [plot.right, y(tick)], colors.grid),
          text(plot.right + 8, y(tick) + 4, write(tick), { size: labelSize, color: colors.faint }),
        ].join(''),
      ),
    ...bandAndLine(points, y),
    ...thresholdLine(chart.threshold, y, plot, write),
    ...marks(chart, x, plot),
    ...timeAxis(chart, x, plot),
    ...heading(chart, plot, write),
    ...legend(chart, plot),
  ])
}

function bandAndLine(points: readonly Known[], y: (value: number) => number): string[] {
  const isDrawn = ({ point }: Known): boolean => point !== null
  const band = area<Known>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y0((one) => y(one.point?.[0] ?? 0))
    .y1((one) => y(one.point?.[2] ?? 0))([...points])
  const mean = line<Known>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y((one) => y(one.point?.[1] ?? 0))([...points])
  // A point between two gaps has no line to it and would be invisible.
  const alone = points.filter((one, at) => isDrawn(one) && !points[at - 1]?.point && !points[at + 1]?.point)
  return [
    band === null ? '' : `<path d="${band}" fill="${colors.band}" stroke="${colors.band}"/>`,
    mean === null ? '' : `<path d="${mean}" fill="none" stroke="${colors.line}" stroke-width="2"/>`,
    ...alone.map(
      ({ x, point }) => `<circle cx="${x}" cy="${y(point?.[1] ?? 0)}" r="2" fill="${colors.line}"/>`,
    ),
  ]
}

function spanRect({ fromMs, toMs, kind }: ChartSpan, x: (ms: number) => number, plot: Plot): string {
  const width = Math.max(2, x(toMs) - x(fromMs))
  const height = plot.bottom - plot.top
  if (kind === 'open') return rect(x(fromMs), plot.top, width, height, colors.open)
  // Both may hold at once: a mute is a strip below the alert's shade.
  return rect(x(fromMs), plot.bottom - height / 8, width, height / 8, colors.mute)
}

function thresholdLine(
  threshold: number | null,
  y: (value: number) => number,
  plot: Plot,
  write: (value: number) => string,
): string[] {
  if (threshold === null) return []
  const at = y(threshold)
  return [
    rule([plot.left, at], [plot.right, at], colors.threshold, 'stroke-width="1.5" stroke-dasharray="6 4"'),
    text(plot.left + 4, at - 5, `threshold ${write(threshold)}`, {
      size: labelSize,
      color: colors.threshold,
    }),
  ]
}

/** A label that would overlap the previous one is left out; its line stays. */
function marks({ marks: given }: SeriesChart, x: (ms: number) => number, plot: Plot): string[] {
  let freeFrom = plot.left
  return given
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-marksMax)
    .map(({ atMs, label }) => {
      const at = x(atMs)
      const width = widthOf([...label].slice(0, markLabelCharsMax).join(''), labelSize)
      const isRoom = at + 4 >= freeFrom && at + 4 + width <= plot.right
      if (isRoom) freeFrom = at + 4 + width + 8
      return [
        rule([at, plot.top], [at, plot.bottom], colors.mark, 'stroke-width="1.5" stroke-dasharray="2 3"'),
        isRoom
          ? text(at + 4, plot.top + 11, label, {
              size: labelSize,
              color: colors.mark,
              charsMax: markLabelCharsMax,
            })
          : '',
      ].join('')
    })
}

function timeAxis({ fromMs, toMs, zone }: SeriesChart, x: (ms: number) => number, plot: Plot): string[] {
  const style = { size: labelSize, color: colors.faint } as const
  return [
    rule([plot.left, plot.bottom], [plot.right, plot.bottom], colors.faint),
    ...timeTicks(fromMs, toMs, zone).map(({ atMs, label }) => {
      const half = widthOf(label, labelSize) / 2
      const middle = Math.min(Math.max(x(atMs), plot.left + half), plot.right - half)
      return text(middle, plot.bottom + 18, label, { ...style, anchor: 'middle' })
    }),
    text(plot.right + 8, plot.bottom + 18, zoneName(toMs, zone), style),
  ]
}

function heading({ title, points }: SeriesChart, plot: Plot, write: (value: number) => string): string[] {
  const last = points.findLast((point) => point !== null)
  const style = { size: 15, color: colors.text, bold: true } as const
  return [
    text(plot.left, 22, title, { ...style, charsMax: 62 }),
    last ? text(seriesSize.width - 16, 22, `last ${write(last[1])}`, { ...style, anchor: 'end' }) : '',
  ]
}

/** Lists only what is drawn. */
function legend({ spans, units }: SeriesChart, plot: Plot): string[] {
  const entries: { color: string; label: string }[] = [
    { color: colors.line, label: 'average' },
    { color: colors.band, label: `lowest to highest${units === '' ? '' : `, ${units}`}` },
  ]
  for (const kind of ['open', 'mute'] as const) {
    const label = spans.find((span) => span.kind === kind)?.label
    if (label !== undefined) entries.push({ color: colors[kind], label })
  }
  let at = plot.left
  return entries.map(({ color, label }) => {
    const drawn =
      rect(at, 33, 10, 10, color) +
      text(at + 15, 42, label, { size: labelSize, color: colors.faint, charsMax: 40 })
    at += 15 + widthOf([...label].slice(0, 40).join(''), labelSize) + 14
    return drawn
  })
}

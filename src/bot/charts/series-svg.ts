/** Draws one metric over time: the band from lowest to highest, the line in it, limits, alerts, mutes and markers. */
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { formatAmount, formatLimit } from '../domain/base/amount.ts'
import { dayMs } from '../domain/base/duration.ts'
import type { ChartSpan, SeriesChart } from '../domain/chart/chart.ts'
import { dateAndZone, heights, isBeyond, type Ticks, ticksOf, timeIn, timeTicks } from './axes.ts'
import { drawable } from './drawable.ts'
import {
  colors,
  labelSize,
  type Plot,
  pictureWidth,
  rect,
  rule,
  sheet,
  text,
  titleSize,
  widthOf,
} from './svg-parts.ts'

export const seriesSize = { width: pictureWidth, height: 300 } as const

const margin = { top: 58, right: 12, bottom: 76, left: 12 } as const
const markLabelCharsMax = 24
const titleCharsMax = 40
const titleEndChars = 16
/** More lines than this are unreadable. */
const marksMax = 12
/** Labels have a weekday and a time up to this many days, beyond that a date. */
const weekdaysMax = 4

const lineWidth = 2
const tickLength = 5

const lineIndex = { lowest: 0, average: 1, highest: 2 } as const

type Known = { readonly x: number; readonly point: readonly [number, number, number] | null }

export function seriesSvg(given: SeriesChart): string {
  const chart = drawable(given)
  const values = chart.points.flatMap((point) => (point === null ? [] : point))
  const range = heights(
    values,
    chart.limits.map(({ value }) => value),
    chart.units,
  )
  const isMarked = chart.marks.length > 0
  const top = margin.top + (isMarked ? labelSize + 4 : 0)
  const bottom = seriesSize.height - margin.bottom
  const y = scaleLinear(range, [bottom, top]).nice(4)
  const ticks = y.ticks(4)
  const axis = ticksOf([...values, ...y.domain()], chart.units)
  const step = ticks.length > 1 ? Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) : 0
  const labels = ticks.map((tick) => axis.write(tick, step))
  const widest = labels.reduce((wide, label) => Math.max(wide, widthOf(label, labelSize)), 0)
  const plot: Plot = {
    left: margin.left,
    right: Math.max(seriesSize.width / 2, seriesSize.width - margin.right - widest - 6),
    top,
    bottom,
  }
  const x = scaleLinear([chart.fromMs, chart.toMs], [plot.left, plot.right]).clamp(true)
  const points = columnsOf(
    chart.timesMs.map((atMs, at) => ({ x: x(atMs), point: chart.points[at] ?? null })),
    plot.right - plot.left,
  )
  return sheet(seriesSize.width, seriesSize.height, [
    ...chart.spans.map((span) => spanRect(span, x, plot)),
    ...ticks.map((tick, at) =>
      [
        rule([plot.left, y(tick)], [plot.right, y(tick)], colors.grid),
        text(plot.right + 6, y(tick) + 5, labels[at] ?? '', { size: labelSize, color: colors.faint }),
      ].join(''),
    ),
    ...bandAndLine(points, y, lineIndex[chart.line]),
    ...limitLines(chart, y, plot, y.domain() as [number, number]),
    ...marks(chart, x, plot),
    ...timeAxis(chart, x, plot),
    ...heading(chart),
    ...footer(chart, axis),
  ])
}

/**
 * Merges points that are closer together than the line is wide: each column of that width becomes one point, from its lowest to
 * its highest. Nobody could tell them apart, and rendering a day of them would take a second.
 */
function columnsOf(points: readonly Known[], width: number): readonly Known[] {
  if (points.length <= width / lineWidth) return points
  return [...Map.groupBy(points, ({ x }) => Math.round(x / lineWidth))].map(([column, some]) => {
    const x = column * lineWidth
    const known = some.flatMap(({ point }) => (point === null ? [] : [point]))
    if (known.length === 0) return { x, point: null }
    const sides = (at: 0 | 1 | 2) => known.map((point) => point[at])
    const average = sides(1).reduce((sum, value) => sum + value / known.length, 0)
    const lowest = sides(0).reduce((least, value) => Math.min(least, value))
    const highest = sides(2).reduce((most, value) => Math.max(most, value))
    return { x, point: [lowest, average, highest] }
  })
}

function bandAndLine(points: readonly Known[], y: (value: number) => number, at: 0 | 1 | 2): string[] {
  const isDrawn = ({ point }: Known): boolean => point !== null
  const band = area<Known>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y0((one) => y(one.point?.[0] ?? 0))
    .y1((one) => y(one.point?.[2] ?? 0))([...points])
  const main = line<Known>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y((one) => y(one.point?.[at] ?? 0))([...points])
  // A point between two gaps has no line to it and would be invisible.
  const alone = points.filter(
    (one, place) => isDrawn(one) && !points[place - 1]?.point && !points[place + 1]?.point,
  )
  return [
    band === null ? '' : `<path d="${band}" fill="${colors.band}" stroke="${colors.band}"/>`,
    main === null
      ? ''
      : `<path d="${main}" fill="none" stroke="${colors.line}" stroke-width="${lineWidth}"/>`,
    ...alone.map(
      ({ x, point }) => `<circle cx="${x}" cy="${y(point?.[at] ?? 0)}" r="2.5" fill="${colors.line}"/>`,
    ),
  ]
}

function spanRect({ fromMs, toMs, kind }: ChartSpan, x: (ms: number) => number, plot: Plot): string {
  const width = Math.max(2, x(toMs) - x(fromMs))
  const height = plot.bottom - plot.top
  if (kind === 'open') return rect(x(fromMs), plot.top, width, height, colors.open)
  // An alert and a mute may overlap, so a mute is a strip below the alert's shade.
  return rect(x(fromMs), plot.bottom - height / 8, width, height / 8, colors.mute)
}

function limitLines(
  { limits, units }: SeriesChart,
  y: (value: number) => number,
  plot: Plot,
  range: readonly [number, number],
): string[] {
  return limits.map(({ value }) => {
    const words = `limit ${formatLimit(value, units)}`
    const style = { size: labelSize, color: colors.limit, halo: true } as const
    const beyond = isBeyond(value, range)
    if (beyond === 'above') return text(plot.left + 4, plot.top + labelSize, `${words} ↑`, style)
    if (beyond === 'below') return text(plot.left + 4, plot.bottom - 6, `${words} ↓`, style)
    const at = y(value)
    // Above its line, if there is room.
    const below = at - labelSize < plot.top
    return [
      rule([plot.left, at], [plot.right, at], colors.limit, 'stroke-width="1.5" stroke-dasharray="6 4"'),
      text(plot.left + 4, below ? at + labelSize : at - 5, words, style),
    ].join('')
  })
}

/**
 * Markers with their labels: on the left of the line if there is no room on the right. A label that would overlap the previous
 * one is left out; its line stays.
 */
function marks({ marks: given }: SeriesChart, x: (ms: number) => number, plot: Plot): string[] {
  let freeFrom = plot.left
  return given
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-marksMax)
    .map(({ atMs, label }) => {
      const at = x(atMs)
      const width = widthOf([...label].slice(0, markLabelCharsMax).join(''), labelSize)
      const start = at + 4 + width <= plot.right ? at + 4 : at - 4 - width
      const isRoom = start >= freeFrom
      if (isRoom) freeFrom = start + width + 8
      return [
        rule(
          [at, plot.top - labelSize],
          [at, plot.bottom],
          colors.mark,
          'stroke-width="1.5" stroke-dasharray="2 3"',
        ),
        isRoom
          ? text(start, plot.top - 5, label, {
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
  const days = (toMs - fromMs) / dayMs
  return [
    rule([plot.left, plot.bottom], [plot.right, plot.bottom], colors.faint),
    ...timeTicks(fromMs, toMs, zone, days <= 1 ? 5 : days <= weekdaysMax ? 4 : 6).map(({ atMs, label }) => {
      const at = x(atMs)
      const half = widthOf(label, labelSize) / 2
      // At the very edge there is only the tick, because a label that was moved inside would name another time.
      const isRoom = at - half >= 0 && at + half <= seriesSize.width
      return (
        rule([at, plot.bottom], [at, plot.bottom + tickLength], colors.faint) +
        (isRoom ? text(at, plot.bottom + 21, label, { ...style, anchor: 'middle' }) : '')
      )
    }),
  ]
}

/** The title and the last value with its time, because the chart may be in a channel for hours. */
function heading({ title, points, timesMs, fromMs, toMs, zone, line, limits, units }: SeriesChart): string[] {
  const index = lineIndex[line]
  const at = points.findLastIndex((point) => point !== null)
  const last = points[at]
  const extreme = points.reduce<number | null>((most, point) => {
    if (point === null) return most
    if (line === 'lowest') return most === null ? point[0] : Math.min(most, point[0])
    return most === null ? point[2] : Math.max(most, point[2])
  }, null)
  const time = timeIn(zone, toMs - fromMs)
  const amount = (value: number): string => formatAmount(value, units, limits[0]?.value)
  const numbers =
    last && extreme !== null
      ? [
          `${amount(last[index])} at ${time(timesMs[at] ?? toMs)}`,
          `${line === 'lowest' ? 'lowest' : 'highest'} ${amount(extreme)}`,
        ].join(' · ')
      : 'nothing was measured in this time'
  return [
    text(margin.left, 22, cutInside(title), {
      size: titleSize,
      color: colors.text,
      bold: true,
      charsMax: titleCharsMax,
    }),
    text(margin.left, 44, numbers, { size: labelSize, color: colors.text, charsMax: 44 }),
  ]
}

/** Shortens a title in the middle: the beginning says what is measured, the end where. */
function cutInside(title: string): string {
  const chars = [...title]
  return chars.length <= titleCharsMax
    ? title
    : `${chars.slice(0, titleCharsMax - titleEndChars - 1).join('')}…${chars.slice(-titleEndChars).join('')}`
}

/** The legend of what is drawn, and below it the date and time zone. */
function footer({ spans, line, fromMs, toMs, zone }: SeriesChart, { units }: Ticks): string[] {
  const entries: { color: string; label: string }[] = [
    { color: colors.line, label: line },
    { color: colors.band, label: `min–max${units === '' ? '' : ` ${units}`}` },
  ]
  for (const kind of ['open', 'mute'] as const) {
    const label = spans.find((span) => span.kind === kind)?.label
    if (label !== undefined) entries.push({ color: colors[kind], label })
  }
  let at: number = margin.left
  const legend = entries.map(({ color, label }) => {
    const drawn =
      rect(at, seriesSize.height - 42, 12, 12, color) +
      text(at + 16, seriesSize.height - 31, label, { size: labelSize, color: colors.faint, charsMax: 20 })
    at += 16 + widthOf(label, labelSize) + 10
    return drawn
  })
  const place = text(margin.left, seriesSize.height - 10, dateAndZone(fromMs, toMs, zone), {
    size: labelSize,
    color: colors.faint,
    charsMax: 46,
  })
  return [...legend, place]
}

/** One metric around one alert as an SVG: the line of means, the band from lowest to highest, the limit, the episode, markers. */
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { fontFamily } from '../../shared/painter.ts'
import type { Point } from '../metrics/metric-key.ts'

export const chartSize = { width: 640, height: 180 } as const

const titleCharsMax = 56

const margin = { top: 30, right: 62, bottom: 24, left: 12 } as const

const colors = {
  background: '#ffffff',
  text: '#1f2937',
  faint: '#6b7280',
  grid: '#e5e7eb',
  line: '#2563eb',
  band: '#bfdbfe',
  limit: '#dc2626',
  episode: '#fee2e2',
  marker: '#7c3aed',
} as const

export type Chart = {
  /** Title of the chart: "Load Average · Last minute". */
  readonly title: string
  readonly fromMs: number
  readonly stepMs: number
  /** One per step; null leaves a gap. */
  readonly points: readonly (Point | null)[]
  /** Drawn as a dashed line with its label. */
  readonly limit: { readonly value: number; readonly words: string } | null
  /** The time of the alert, shaded. */
  readonly episode: { readonly fromMs: number; readonly untilMs: number }
  readonly markersMs: readonly number[]
  /** Text for a chart without points. */
  readonly emptyWords: string
  /** Formats a value for the axis. */
  readonly write: (value: number) => string
}

export function chartSvg(chart: Chart): string {
  const { fromMs, stepMs, points } = chart
  const untilMs = fromMs + stepMs * points.length
  const plot = {
    left: margin.left,
    right: chartSize.width - margin.right,
    top: margin.top,
    bottom: chartSize.height - margin.bottom,
  }
  const values = points.flatMap((point) => (point === null ? [] : [point[0], point[2]]))
  const x = scaleLinear([fromMs, untilMs], [plot.left, plot.right]).clamp(true)
  const y = scaleLinear(heights([...values, ...(chart.limit === null ? [] : [chart.limit.value])]), [
    plot.bottom,
    plot.top,
  ]).nice(4)

  const at = points.map((point, index) => ({ point, x: x(fromMs + (index + 0.5) * stepMs) }))
  const known = at.flatMap(({ point, x: px }) => (point === null ? [] : [{ px, point }]))
  const isDrawn = ({ point }: (typeof at)[number]): boolean => point !== null
  const band = area<(typeof at)[number]>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y0((one) => y(one.point?.[0] ?? 0))
    .y1((one) => y(one.point?.[2] ?? 0))(at)
  const means = line<(typeof at)[number]>()
    .defined(isDrawn)
    .x((one) => one.x)
    .y((one) => y(one.point?.[1] ?? 0))(at)
  const last = known.at(-1)

  const text = (px: number, py: number, words: string, style: string): string =>
    `<text x="${fixed(px)}" y="${fixed(py)}" font-family="${fontFamily}" ${style}>${escaped(words)}</text>`

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chartSize.width}" height="${chartSize.height}">`,
    `<rect width="100%" height="100%" fill="${colors.background}"/>`,
    rect(
      x(chart.episode.fromMs),
      plot.top,
      Math.max(2, x(chart.episode.untilMs) - x(chart.episode.fromMs)),
      plot,
    ),
    ...(known.length === 0 && chart.limit === null ? [] : y.ticks(3)).map((tick) => {
      const py = fixed(y(tick))
      const rule = `<line x1="${plot.left}" x2="${plot.right}" y1="${py}" y2="${py}" stroke="${colors.grid}"/>`
      return (
        rule + text(plot.right + 8, y(tick) + 4, chart.write(tick), `font-size="11" fill="${colors.faint}"`)
      )
    }),
    band === null ? '' : `<path d="${band}" fill="${colors.band}"/>`,
    means === null ? '' : `<path d="${means}" fill="none" stroke="${colors.line}" stroke-width="2"/>`,
    ...chart.markersMs.map((ms) => vertical(x(ms), plot, colors.marker)),
    ...(chart.limit === null ? [] : [limitLine(y(chart.limit.value), plot)]),
    last === undefined
      ? ''
      : `<circle cx="${fixed(last.px)}" cy="${fixed(y(last.point[1]))}" r="3.5" fill="${colors.line}"/>`,
    text(plot.left, 19, cut(chart.title), `font-size="13" font-weight="600" fill="${colors.text}"`),
    chart.limit === null
      ? ''
      : text(plot.right, 19, chart.limit.words, `font-size="12" text-anchor="end" fill="${colors.limit}"`),
    ...(known.length === 0
      ? [
          text(
            (plot.left + plot.right) / 2,
            (plot.top + plot.bottom) / 2,
            chart.emptyWords,
            `font-size="13" text-anchor="middle" fill="${colors.faint}"`,
          ),
        ]
      : []),
    text(plot.left, plot.bottom + 17, clockOf(fromMs), `font-size="11" fill="${colors.faint}"`),
    text(
      plot.right,
      plot.bottom + 17,
      `${clockOf(untilMs)} UTC`,
      `font-size="11" text-anchor="end" fill="${colors.faint}"`,
    ),
    '</svg>',
  ].join('\n')
}

/** From zero or below to slightly above the highest value, so that a flat line at zero still has a range. */
function heights(values: readonly number[]): [number, number] {
  const low = Math.min(0, ...values)
  const high = Math.max(...values, low)
  return [low, high > low ? low + (high - low) * 1.08 : low + 1]
}

type Plot = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }

function rect(px: number, py: number, width: number, plot: Plot): string {
  const height = plot.bottom - plot.top
  return `<rect x="${fixed(px)}" y="${py}" width="${fixed(width)}" height="${height}" fill="${colors.episode}"/>`
}

function limitLine(py: number, plot: Plot): string {
  const at = fixed(py)
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${at}" y2="${at}" stroke="${colors.limit}" stroke-width="1.5" stroke-dasharray="6 4"/>`
}

function vertical(px: number, plot: Plot, color: string): string {
  const at = fixed(px)
  return `<line x1="${at}" x2="${at}" y1="${plot.top}" y2="${plot.bottom}" stroke="${color}" stroke-width="1.5" stroke-dasharray="2 3"/>`
}

/** The title shares its line with the label of the limit. */
function cut(title: string): string {
  const chars = [...title]
  return chars.length > titleCharsMax ? `${chars.slice(0, titleCharsMax - 1).join('')}…` : title
}

function fixed(value: number): string {
  return value.toFixed(1)
}

function clockOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}

/** Makes any text safe inside HTML and SVG, in text and in quoted attributes; characters that XML forbids are removed. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

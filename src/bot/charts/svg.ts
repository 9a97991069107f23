/**
 * Draws a chart as SVG: the line, the range around it, the limit, the time in which the alert is open. Its type is large, because a
 * phone shows it 330 pixels wide. Foreign text is escaped and cut.
 */
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { fontFamily } from '../../shared/painter.ts'
import { minute } from '../clock.ts'
import { amount, duration } from '../view/words.ts'
import { type Chart, type ChartPoint, timeTicks, valueRange, zoneName } from './chart.ts'

const chartSize = { width: 1080, height: 540 }

/** On a dark ground, which suits Slack's light and dark mode; text has a contrast of at least 4.5 to it. */
const colors = {
  ground: '#1c2430',
  text: '#f5f7fa',
  faint: '#c3ccd8',
  grid: '#35404f',
  limit: '#ffc4ba',
  open: '#7d4656',
  range: '#4371a3',
}
const lineColors = ['#b5d8ff', '#ffd479', '#9be5a8', '#f5a9e1', '#ff9d76', '#c8b6ff']

const type = { label: 38, legend: 34 }
const margin = { top: 32, bottom: 66, left: 16, right: 18 }
const legendRow = 46
const labelCharsMax = 18
/** A longer unit is named once, above, and not at each tick. */
const unitCharsMax = 5
/** Points further apart than so many usual steps have a gap between them. */
const gapSteps = 1.75

type Plot = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
type Scale = (value: number) => number

export function chartSvg(chart: Chart): string {
  const isOne = chart.series.length === 1
  const values = chart.series.flatMap(({ points }) =>
    points.flatMap((point) => (isOne ? [point.min, point.max] : [point[chart.line]])),
  )
  const { top, left, bottom } = margin
  const rows = legendRows(chart)
  const frame = { top: top + rows.length * legendRow, bottom: chartSize.height - bottom }
  const y = scaleLinear(valueRange(values, chart.limit, chart.units), [frame.bottom, frame.top]).nice(4)
  const [low = 0, high = 1] = y.domain()
  const ticks = y.ticks(4)
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0))
  // The neighbouring tick keeps its label from looking the same.
  const labels = ticks.map((tick) => amount(tick, isLong(chart.units) ? null : chart.units, tick + step))
  const axisWidth = Math.max(...labels.map((label) => widthOf(label, type.label)), 60) + 16
  const plot: Plot = { ...frame, left, right: chartSize.width - margin.right - axisWidth }
  const x = scaleLinear([chart.fromMs, chart.untilMs], [plot.left, plot.right]).clamp(true)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chartSize.width}" height="${chartSize.height}">`,
    `<rect width="100%" height="100%" fill="${colors.ground}"/>`,
    openBand(chart, x, plot),
    ...ticks.map((tick, at) => valueTick(y(tick), labels[at] ?? '', plot)),
    ...(isOne ? [rangeOf(chart, x, y)] : []),
    ...chart.series
      .toReversed()
      .map((one, at) => lineOf(chart, one.points, chart.series.length - 1 - at, x, y)),
    limitLine(chart, y, [low, high], plot),
    ...timeAxis(chart, x, plot),
    ...drawLegend(rows),
    '</svg>',
  ].join('\n')
}

function openBand({ band }: Chart, x: Scale, { top, bottom }: Plot): string {
  if (band === null) return ''
  const from = x(band.fromMs)
  return `<rect x="${px(from)}" y="${top}" width="${px(Math.max(4, x(band.untilMs) - from))}" height="${bottom - top}" fill="${colors.open}"/>`
}

function valueTick(at: number, label: string, { left, right }: Plot): string {
  return rule(left, at, right, at, colors.grid, 2) + text(right + 14, at + 13, label, colors.faint)
}

/** Runs of points without a gap, since a line over a gap would claim what nobody measured. */
function runsOf(points: readonly ChartPoint[]): ChartPoint[][] {
  const limitMs = stepOf(points) * gapSteps
  const runs: ChartPoint[][] = []
  let lastMs = Number.NEGATIVE_INFINITY
  for (const point of points) {
    if (point.atMs - lastMs > limitMs) runs.push([])
    runs.at(-1)?.push(point)
    lastMs = point.atMs
  }
  return runs
}

/** The usual distance of two points. */
function stepOf(points: readonly ChartPoint[]): number {
  const steps = points.slice(1).map(({ atMs }, at) => atMs - (points[at]?.atMs ?? atMs))
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? minute
}

function rangeOf({ series }: Chart, x: Scale, y: Scale): string {
  const shape = area<ChartPoint>()
    .x(({ atMs }) => x(atMs))
    .y0(({ min }) => y(min))
    .y1(({ max }) => y(max))
  const paths = runsOf(series[0]?.points ?? []).map((run) => shape(run) ?? '')
  return `<path d="${paths.join('')}" fill="${colors.range}" stroke="${colors.range}"/>`
}

function lineOf(chart: Chart, points: readonly ChartPoint[], color: number, x: Scale, y: Scale): string {
  const shape = line<ChartPoint>()
    .x(({ atMs }) => x(atMs))
    .y((point) => y(point[chart.line]))
  const runs = runsOf(points)
  // A point between two gaps has no line to it.
  const alone = runs.flatMap((run) => (run.length === 1 ? run : []))
  const dots = alone.map(
    (point) =>
      `<circle cx="${px(x(point.atMs))}" cy="${px(y(point[chart.line]))}" r="5" fill="${lineColors[color]}"/>`,
  )
  const path = runs.map((run) => shape(run) ?? '').join('')
  return `<path d="${path}" fill="none" stroke="${lineColors[color]}" stroke-width="5" stroke-linejoin="round"/>${dots.join('')}`
}

/** One that is off the axis is named at its edge, with an arrow. */
function limitLine(
  { limit, units }: Chart,
  y: Scale,
  [low, high]: readonly [number, number],
  plot: Plot,
): string {
  if (limit === null) return ''
  const words = `limit ${amount(limit, units)}`
  const write = (at: number, said: string) => text(plot.left + 10, at, said, colors.limit, { hasHalo: true })
  if (limit > high) return write(plot.top + 40, `${words} ↑`)
  if (limit < low) return write(plot.bottom - 14, `${words} ↓`)
  const at = y(limit)
  const isAtTop = at - type.label < plot.top
  const drawn = rule(plot.left, at, plot.right, at, colors.limit, 4, '16 10')
  return drawn + write(isAtTop ? at + 40 : at - 12, words)
}

function timeAxis({ fromMs, untilMs, zone }: Chart, x: Scale, plot: Plot): string[] {
  const row = chartSize.height - 16
  const zoneWords = zoneName(untilMs, zone)
  const zoneFrom = chartSize.width - margin.right - widthOf(zoneWords, type.label)
  let freeFrom = 0
  const ticks = timeTicks(fromMs, untilMs, zone, 5).map(({ atMs, label }) => {
    const at = x(atMs)
    const half = widthOf(label, type.label) / 2
    // A label that was moved inside would name another time.
    const isRoom = at - half >= freeFrom && at + half <= zoneFrom - 16
    if (isRoom) freeFrom = at + half + 16
    const mark = rule(at, plot.bottom, at, plot.bottom + 10, colors.faint, 3)
    return isRoom ? mark + text(at - half, row, label, colors.faint) : mark
  })
  return [
    rule(plot.left, plot.bottom, plot.right, plot.bottom, colors.faint, 3),
    ...ticks,
    text(zoneFrom, row, zoneWords, colors.faint),
  ]
}

function isLong(units: string): boolean {
  return units.length > unitCharsMax && !/^bytes(\/s)?$/i.test(units)
}

type Entry = { readonly color: string | null; readonly label: string }

/** The legend in rows as wide as the picture. */
function legendRows(chart: Chart): { entry: Entry; at: number }[][] {
  const rows: { entry: Entry; at: number }[][] = [[]]
  let at = margin.left
  for (const entry of entriesOf(chart)) {
    const width = swatchOf(entry) + widthOf(entry.label, type.legend)
    if (at + width > chartSize.width - margin.right && at > margin.left) {
      rows.push([])
      at = margin.left
    }
    rows.at(-1)?.push({ entry, at })
    at += width + 34
  }
  return rows
}

function swatchOf({ color }: Entry): number {
  return color === null ? 0 : 42
}

function drawLegend(rows: readonly { entry: Entry; at: number }[][]): string[] {
  return rows.flatMap((row, line) =>
    row.map(({ entry, at }) => {
      const top = 27 + line * legendRow
      const swatch = `<rect x="${px(at)}" y="${top}" width="30" height="30" fill="${entry.color ?? 'none'}"/>`
      return swatch + text(at + swatchOf(entry), top + 27, entry.label, colors.text, { size: type.legend })
    }),
  )
}

function entriesOf({ series, units, line: shown, band, more }: Chart): Entry[] {
  const open = band === null ? [] : [{ color: colors.open, label: 'alert open' }]
  const unit = isLong(units) ? [{ color: null, label: units }] : []
  const colorOf = (at: number) => lineColors[at] ?? colors.text
  if (series.length > 1) {
    const names = shortNames(series.map(({ label }) => label))
    const lines = names.map((label, at) => ({ color: colorOf(at), label }))
    const rest = more === 0 ? [] : [{ color: null, label: `+${more} more` }]
    return [...open, ...lines, ...rest, ...unit]
  }
  const stepMs = stepOf(series[0]?.points ?? [])
  const per = stepMs <= 1.5 * minute ? 'minute' : duration(Math.round(stepMs / minute) * minute)
  const names = { min: `lowest per ${per}`, mean: 'average', max: `highest per ${per}` }
  const main = { color: colorOf(0), label: names[shown] }
  return [main, { color: colors.range, label: 'range' }, ...open, ...unit]
}

/** A domain that all have is left out, and what is still long is cut in its middle. */
function shortNames(names: readonly string[]): string[] {
  const [first = ''] = names
  const tails = [...first.matchAll(/\./g)].map(({ index }) => first.slice(index))
  const tail = tails.find((one) => names.every((name) => name.endsWith(one))) ?? ''
  return names.map((name) => {
    const own = name.slice(0, name.length - tail.length)
    return own.length <= labelCharsMax ? own : `${own.slice(0, labelCharsMax - 8)}…${own.slice(-7)}`
  })
}

/** Characters without a glyph in the font (emoji, CJK) would be boxes, and control characters are not valid in XML. */
const withoutGlyph =
  /[^\u0020-\u007e\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2193\u2200-\u22ff]+/gu

type Look = { readonly size?: number; readonly hasHalo?: boolean }

function text(
  x: number,
  y: number,
  said: string,
  color: string,
  { size = type.label, hasHalo }: Look = {},
): string {
  const safe = said.replace(withoutGlyph, ' ').replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
  const halo = hasHalo
    ? ` stroke="${colors.ground}" stroke-width="9" stroke-linejoin="round" paint-order="stroke"`
    : ''
  return `<text x="${px(x)}" y="${px(y)}" font-family="${fontFamily}" font-size="${size}" fill="${color}"${halo}>${safe}</text>`
}

function rule(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  color: string,
  width: number,
  dashes = '',
): string {
  const dashed = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${color}" stroke-width="${width}"${dashed}/>`
}

/** About right: enough to keep labels apart. */
function widthOf(said: string, size: number): number {
  const shares = [...said].map((char) => (/[\dA-Z%…]/.test(char) ? 0.64 : 0.53))
  return shares.reduce((sum, share) => sum + share, 0) * size
}

function px(value: number): string {
  return value.toFixed(1)
}

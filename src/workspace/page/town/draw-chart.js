/** Draws a series as SVG: the band from lowest to highest, the mean as a line, limits, mutes and markers. */
import { harmless } from '../blocks/build-node.js'
import { scale, timeTicks, unbroken, valueAxis } from './chart-scale.js'
import { amount } from './describe-series.js'
import { shortTime } from './town-time.js'

/** @typedef {import('./read-town.js').Series} Series @typedef {import('./chart-scale.js').Measured} Measured */

const svgSpace = 'http://www.w3.org/2000/svg'
const chartHeight = 210
const edge = { left: 46, right: 14, top: 22, bottom: 24 }
/** Room that a time below the axis needs. */
const tickWidth = 64

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} children strings end as text
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(svgSpace, tag)
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 100) / 100) : value)
  }
  node.append(...children.map((child) => (typeof child === 'string' ? harmless(child) : child)))
  return node
}

/**
 * @param {Series} series
 * @param {{ width: number, idPrefix: string }} options width in pixels; the prefix keeps ids of several charts apart
 * @returns {{ node: SVGElement, timeAt(x: number): number, xOf(ms: number): number, height: number }}
 */
export function drawChart(series, { width, idPrefix }) {
  const parts = unbroken(series)
  const right = Math.max(edge.left + 60, width - edge.right)
  const bottom = chartHeight - edge.bottom
  const highs = [
    ...parts.flat().map(({ high }) => high),
    ...series.limits.map(({ value }) => value),
    series.units === '%' ? 100 : 0,
  ]
  const { top, ticks } = valueAxis(Math.max(...highs))
  const x = scale(series.fromMs, series.nowMs, edge.left, right)
  const y = scale(0, top, bottom, edge.top)
  const within = (/** @type {number} */ ms) => Math.min(right, Math.max(edge.left, x(ms)))

  const line = (/** @type {Measured[]} */ part) =>
    part.map(({ atMs, mean }, at) => `${at === 0 ? 'M' : 'L'}${round(x(atMs))},${round(y(mean))}`).join('')
  const band = (/** @type {Measured[]} */ part) => {
    const above = part.map(({ atMs, high }) => `${round(x(atMs))},${round(y(high))}`)
    const below = part.toReversed().map(({ atMs, low }) => `${round(x(atMs))},${round(y(low))}`)
    return `M${[...above, ...below].join('L')}Z`
  }
  const lines = parts.map(line).join('')
  const last = parts.at(-1)?.at(-1)
  const limit = series.limits.find(({ side }) => side === 'max')

  const mutes = series.mutes.map(({ fromMs, untilMs, isAccount }) => {
    const from = within(fromMs)
    const wide = Math.max(2, within(untilMs ?? series.nowMs) - from)
    return svg(
      'g',
      { class: 'chart-mute' },
      svg('rect', { x: from, y: edge.top, width: wide, height: bottom - edge.top, class: 'chart-mute-area' }),
      ...(wide > 70
        ? [svg('text', { x: from + 5, y: bottom - 6 }, isAccount ? 'account muted' : 'muted')]
        : []),
    )
  })
  const limits = series.limits.map(({ value }) =>
    svg(
      'g',
      { class: 'chart-limit' },
      svg('line', { x1: edge.left, x2: right, y1: y(value), y2: y(value) }),
      svg('text', { x: edge.left + 5, y: y(value) - 5 }, `limit ${amount(value, series)}`),
    ),
  )
  const markers = series.markers.map(({ atMs }, at) =>
    svg(
      'g',
      { class: 'chart-marker' },
      svg('line', { x1: within(atMs), x2: within(atMs), y1: edge.top, y2: bottom }),
      svg('circle', { cx: within(atMs), cy: edge.top - 9, r: 8 }),
      svg('text', { x: within(atMs), y: edge.top - 5.5, 'text-anchor': 'middle' }, String(at + 1)),
    ),
  )

  const node = svg(
    'svg',
    {
      width,
      height: chartHeight,
      viewBox: `0 0 ${width} ${chartHeight}`,
      class: 'chart',
      'aria-hidden': 'true',
    },
    ...ticks.map((value) =>
      svg(
        'g',
        { class: 'chart-grid' },
        svg('line', { x1: edge.left, x2: right, y1: y(value), y2: y(value) }),
        svg('text', { x: edge.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, short(value, series.units)),
      ),
    ),
    ...timeTicks(series.fromMs, series.nowMs, (right - edge.left) / tickWidth).map((ms) =>
      svg(
        'g',
        { class: 'chart-grid' },
        svg('line', { x1: x(ms), x2: x(ms), y1: bottom, y2: bottom + 4 }),
        svg('text', { x: x(ms), y: bottom + 17, 'text-anchor': 'middle' }, shortTime(ms)),
      ),
    ),
    ...mutes,
    svg('path', { d: parts.map(band).join(''), class: 'chart-band' }),
    svg('path', { d: lines, class: 'chart-line' }),
    ...(limit === undefined ? [] : aboveLimit(lines, idPrefix, y(limit.value), right)),
    ...limits,
    ...markers,
    ...(last === undefined
      ? []
      : [svg('circle', { cx: x(last.atMs), cy: y(last.mean), r: 3.5, class: 'chart-now' })]),
  )
  return { node, timeAt: scale(edge.left, right, series.fromMs, series.nowMs), xOf: within, height: bottom }
}

/** The same line once more, in the colour of trouble, seen only where it is above the limit. */
function aboveLimit(
  /** @type {string} */ lines,
  /** @type {string} */ idPrefix,
  /** @type {number} */ limitY,
  /** @type {number} */ right,
) {
  const id = `${idPrefix}-above`
  const area = svg('rect', { x: 0, y: 0, width: right + edge.right, height: Math.max(0, limitY) })
  return [
    svg('clipPath', { id }, area),
    svg('path', { d: lines, class: 'chart-line chart-line-above', 'clip-path': `url(#${id})` }),
  ]
}

const round = (/** @type {number} */ value) => Math.round(value * 10) / 10

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

/** @param {number} value @param {string} units */
const short = (value, units) => `${compact.format(value)}${units === '%' ? '%' : ''}`

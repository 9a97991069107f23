/**
 * A series as SVG: the band from lowest to highest, the mean as a line, limits and markers.
 *
 * @import { Series, Shown } from './shapes.js'
 */
import { html } from '../html.js'
import { clockOf } from '../local-time.js'
import { amount, scale, timeTicks, unbroken, valueAxis } from './series.js'

const chartHeight = 210
const edge = { left: 46, right: 14, top: 22, bottom: 24 }
const bottom = chartHeight - edge.bottom
/** Room that a time below the axis needs. */
const tickWidth = 64

/** @type {(width: number) => number} */
const rightOf = (width) => Math.max(edge.left + 60, width - edge.right)

/** The time at so many pixels from the left.  @type {(series: Series, width: number, x: number) => number} */
export const timeAt = ({ from_ms: fromMs, now_ms: nowMs }, width, x) =>
  scale(edge.left, rightOf(width), fromMs, nowMs)(x)

/** @type {(props: { series: Series, width: number, cursorMs: number | undefined }) => Shown} `width` in pixels; a line stands at `cursorMs`. */
export function Chart({ series, width, cursorMs }) {
  const { units, limits, markers, from_ms: fromMs, now_ms: nowMs } = series
  const parts = unbroken(series)
  const right = rightOf(width)
  const highs = [
    ...parts.flat().map(({ high }) => high),
    ...limits.map(({ value }) => value),
    units === '%' ? 100 : 0,
  ]
  const { top, ticks } = valueAxis(Math.max(...highs))
  const x = scale(fromMs, nowMs, edge.left, right)
  const y = scale(0, top, bottom, edge.top)
  const within = (/** @type {number} */ ms) => Math.min(right, Math.max(edge.left, x(ms)))

  const place = (/** @type {number} */ ms, /** @type {number} */ value) =>
    `${round(x(ms))},${round(y(value))}`
  const line = parts.map((part) => `M${part.map(({ atMs, mean }) => place(atMs, mean)).join('L')}`).join('')
  const band = parts.map((part) => {
    const above = part.map(({ atMs, high }) => place(atMs, high))
    const below = part.toReversed().map(({ atMs, low }) => place(atMs, low))
    return `M${[...above, ...below].join('L')}Z`
  })
  const last = parts.at(-1)?.at(-1)
  const limit = limits.find(({ side }) => side === 'max')

  return html`
    <svg
      class="chart"
      width=${width}
      height=${chartHeight}
      viewBox="0 0 ${width} ${chartHeight}"
      aria-hidden="true"
    >
      ${ticks.map(
        (value) => html`
          <g class="chart-grid">
            <line x1=${edge.left} x2=${right} y1=${y(value)} y2=${y(value)} />
            <text x=${edge.left - 6} y=${y(value) + 4} text-anchor="end">
              ${compact.format(value)}${units === '%' && '%'}
            </text>
          </g>
        `,
      )}
      ${timeTicks(fromMs, nowMs, (right - edge.left) / tickWidth).map(
        (ms) => html`
          <g class="chart-grid">
            <line x1=${x(ms)} x2=${x(ms)} y1=${bottom} y2=${bottom + 4} />
            <text x=${x(ms)} y=${bottom + 17} text-anchor="middle">${clockOf(ms)}</text>
          </g>
        `,
      )}
      <path class="chart-band" d=${band.join('')} />
      <path class="chart-line" d=${line} />
      ${
        // The same line once more, in the colour of trouble, seen only where it is above the limit.
        limit &&
        html`
          <clipPath id="town-chart-above">
            <rect x="0" y="0" width=${right + edge.right} height=${Math.max(0, y(limit.value))} />
          </clipPath>
          <path class="chart-line chart-line-above" d=${line} clip-path="url(#town-chart-above)" />
        `
      }
      ${limits.map(
        ({ value }) => html`
          <g class="chart-limit">
            <line x1=${edge.left} x2=${right} y1=${y(value)} y2=${y(value)} />
            <text x=${edge.left + 5} y=${y(value) - 5}>limit ${amount(value, series)}</text>
          </g>
        `,
      )}
      ${markers.map(
        ({ at_ms: atMs }, at) => html`
          <g class="chart-marker">
            <line x1=${within(atMs)} x2=${within(atMs)} y1=${edge.top} y2=${bottom} />
            <circle cx=${within(atMs)} cy=${edge.top - 9} r="8" />
            <text x=${within(atMs)} y=${edge.top - 5.5} text-anchor="middle">${at + 1}</text>
          </g>
        `,
      )}
      ${last && html`<circle class="chart-now" cx=${x(last.atMs)} cy=${y(last.mean)} r="3.5" />`}
      ${
        cursorMs !== undefined &&
        html`<line class="chart-cursor" x1=${within(cursorMs)} x2=${within(cursorMs)} y1=${edge.top} y2=${bottom} />`
      }
    </svg>
  `
}

const round = (/** @type {number} */ value) => Math.round(value * 10) / 10

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

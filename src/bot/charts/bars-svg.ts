/** Draws counts as bars, each with its number, beside an axis. */
import { scaleBand, scaleLinear } from 'd3-scale'
import type { BarChart } from '../domain/chart/chart.ts'
import { ticksOf } from './axes.ts'
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

export const barsSize = { width: pictureWidth, height: 240 } as const

const labelGap = 8
const ticksMax = 4
const margin = { top: 40, right: 12, bottom: 34, left: 12 } as const

export function barsSvg({ title, bars }: BarChart): string {
  const most = bars.reduce((high, { value }) => Math.max(high, value), 1)
  const top = margin.top + 16
  const bottom = barsSize.height - margin.bottom
  const y = scaleLinear([0, most], [bottom, top]).nice(ticksMax)
  // Counts are whole.
  const ticks = y.ticks(ticksMax).filter(Number.isInteger)
  const axis = ticksOf(y.domain(), '')
  const labels = ticks.map((tick) => axis.write(tick, (ticks[1] ?? 1) - (ticks[0] ?? 0)))
  const widest = labels.reduce((wide, label) => Math.max(wide, widthOf(label, labelSize)), 0)
  const plot: Plot = { left: margin.left, right: barsSize.width - margin.right - widest - 6, top, bottom }
  // By position, not by label: two bars may have the same label.
  const x = scaleBand(
    bars.map((_, at) => at),
    [plot.left, plot.right],
  ).padding(0.25)
  const places = bars.map(({ value }, at) => ({
    at,
    value,
    middle: (x(at) ?? plot.left) + x.bandwidth() / 2,
    half: widthOf(String(value), labelSize) / 2,
    y: y(value),
  }))
  const named = withRoom(places)
  let freeFrom = 0
  const style = { size: labelSize, anchor: 'middle' } as const
  return sheet(barsSize.width, barsSize.height, [
    text(plot.left, 24, title, { size: titleSize, color: colors.text, bold: true, charsMax: 40 }),
    ...ticks.map(
      (tick, at) =>
        rule([plot.left, y(tick)], [plot.right, y(tick)], tick === 0 ? colors.faint : colors.grid) +
        text(plot.right + 6, y(tick) + 5, labels[at] ?? '', { size: labelSize, color: colors.faint }),
    ),
    ...bars.map(({ label, value }, at) => {
      const left = x(at) ?? plot.left
      const middle = left + x.bandwidth() / 2
      const half = widthOf(label, labelSize) / 2
      // A label that would touch the one before it, or the edge, is left out: moved, it would name another bar.
      const isRoom = middle - half >= freeFrom && middle + half <= barsSize.width
      if (isRoom) freeFrom = middle + half + labelGap
      return [
        rect(left, y(value), x.bandwidth(), plot.bottom - y(value), colors.line),
        named.has(at)
          ? text(middle, y(value) - 5, String(value), { ...style, color: colors.text, halo: true })
          : '',
        isRoom
          ? rule([middle, plot.bottom], [middle, plot.bottom + 4], colors.faint) +
            text(middle, plot.bottom + 20, label, { ...style, color: colors.faint, charsMax: 16 })
          : '',
      ].join('')
    }),
  ])
}

type Place = {
  readonly at: number
  readonly value: number
  readonly middle: number
  readonly half: number
  readonly y: number
}

/** The bars whose numbers do not overlap, chosen from the largest down, as large ones matter most. */
function withRoom(places: readonly Place[]): ReadonlySet<number> {
  const taken: Place[] = []
  for (const one of places.toSorted((a, b) => b.value - a.value)) {
    const isClear = ({ middle, half, y }: Place): boolean =>
      Math.abs(middle - one.middle) >= half + one.half + 1 || Math.abs(y - one.y) >= labelSize
    if (taken.every(isClear)) taken.push(one)
  }
  return new Set(taken.map(({ at }) => at))
}

/** Counts side by side: one bar each, with its number on it. */
import { scaleBand, scaleLinear } from 'd3-scale'
import type { BarChart } from '../domain/chart/chart.ts'
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
const margin = { top: 40, right: 12, bottom: 34, left: 12 } as const

export function barsSvg({ title, bars }: BarChart): string {
  const plot: Plot = {
    left: margin.left,
    right: barsSize.width - margin.right,
    top: margin.top + 16,
    bottom: barsSize.height - margin.bottom,
  }
  const most = bars.reduce((high, { value }) => Math.max(high, value), 1)
  const y = scaleLinear([0, most], [plot.bottom, plot.top])
  // By position, not by label: two bars may have the same label.
  const x = scaleBand(
    bars.map((_, at) => at),
    [plot.left, plot.right],
  ).padding(0.25)
  let freeFrom = plot.left
  const style = { size: labelSize, anchor: 'middle' } as const
  return sheet(barsSize.width, barsSize.height, [
    text(plot.left, 24, title, { size: titleSize, color: colors.text, bold: true, charsMax: 40 }),
    rule([plot.left, plot.bottom], [plot.right, plot.bottom], colors.faint),
    ...bars.map(({ label, value }, at) => {
      const left = x(at) ?? plot.left
      const middle = left + x.bandwidth() / 2
      const isWide = widthOf(String(value), labelSize) <= x.step()
      const half = widthOf(label, labelSize) / 2
      // At the edges it is moved inside; one that would touch the label before it is left out.
      const place = Math.min(Math.max(middle, plot.left + half), plot.right - half)
      const isRoom = place - half >= freeFrom
      if (isRoom) freeFrom = place + half + labelGap
      return [
        rect(left, y(value), x.bandwidth(), plot.bottom - y(value), colors.line),
        value > 0 && isWide
          ? text(middle, y(value) - 5, String(value), { ...style, color: colors.text })
          : '',
        isRoom ? text(place, plot.bottom + 18, label, { ...style, color: colors.faint, charsMax: 16 }) : '',
      ].join('')
    }),
  ])
}

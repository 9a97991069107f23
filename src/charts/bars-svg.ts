/** Counts side by side: one bar each, with its number on it. */
import { scaleBand, scaleLinear } from 'd3-scale'
import type { BarChart } from '../domain/chart/chart.ts'
import { colors, type Plot, rect, rule, sheet, text, widthOf } from './svg-parts.ts'

export const barsSize = { width: 720, height: 240 } as const

const margin = { top: 40, right: 16, bottom: 34, left: 16 } as const
const labelSize = 11

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
  const widest = bars.reduce((wide, { label }) => Math.max(wide, widthOf(label, labelSize)), 0)
  const labelEvery = Math.max(1, Math.ceil((widest + 6) / x.step()))
  const style = { size: labelSize, anchor: 'middle' } as const
  return sheet(barsSize.width, barsSize.height, [
    text(plot.left, 24, title, { size: 15, color: colors.text, bold: true }),
    rule([plot.left, plot.bottom], [plot.right, plot.bottom], colors.faint),
    ...bars.map(({ label, value }, at) => {
      const left = x(at) ?? plot.left
      const middle = left + x.bandwidth() / 2
      const isWide = widthOf(String(value), labelSize) <= x.step()
      return [
        rect(left, y(value), x.bandwidth(), plot.bottom - y(value), colors.line),
        value > 0 && isWide
          ? text(middle, y(value) - 5, String(value), { ...style, color: colors.text })
          : '',
        at % labelEvery === 0
          ? text(middle, plot.bottom + 18, label, { ...style, color: colors.faint, charsMax: 16 })
          : '',
      ].join('')
    }),
  ])
}

/** The port `Draw`: charts as PNG files. */
import type { Draw } from '../flow/ports.ts'
import { barsSvg } from './bars-svg.ts'
import { loadPaint } from './painter.ts'
import { seriesSvg } from './series-svg.ts'

/** Nothing is loaded before the first picture. */
export function openDraw(): Draw {
  return {
    series: async (chart) => (await loadPaint())(seriesSvg(chart)),
    bars: async (chart) => (await loadPaint())(barsSvg(chart)),
  }
}

/**
 * The drawing thread: receives charts and returns PNGs. An error ends it and is thrown to the caller that asked for the chart.
 */
import { parentPort } from 'node:worker_threads'
import { loadPaint } from '../../shared/painter.ts'
import { barsSvg } from './bars-svg.ts'
import type { Drawing } from './draw.ts'
import { seriesSvg } from './series-svg.ts'
import { scale } from './svg-parts.ts'

parentPort?.on('message', async (drawing: Drawing) => {
  const paint = await loadPaint()
  const png = paint(drawing.of === 'series' ? seriesSvg(drawing.chart) : barsSvg(drawing.chart), scale)
  parentPort?.postMessage(png)
})

/** The thread that draws: it takes charts and answers with PNGs, in order. What it throws ends it, and its caller hears why. */
import { parentPort } from 'node:worker_threads'
import { loadPaint } from '../../shared/painter.ts'
import type { Chart } from './chart.ts'
import { chartSvg } from './svg.ts'

parentPort?.on('message', async (chart: Chart) => {
  const paint = await loadPaint()
  parentPort?.postMessage(paint(chartSvg(chart)))
})

/** What the process itself needs beside bare Bolt, and how long a picture takes. */
import { setTimeout as wait } from 'node:timers/promises'
import { openDraw } from '../src/bot/charts/draw.ts'
import { seriesSvg } from '../src/bot/charts/series-svg.ts'
import type { SeriesChart } from '../src/bot/domain/chart/chart.ts'
import { parseServerPattern } from '../src/service/metrics/server-pattern.ts'
import { loadPaint } from '../src/shared/painter.ts'
import { startBare } from './bare.ts'
import { type Figure, many, median, quantile } from './figure.ts'
import { sized } from './measured.ts'
import { residentMb } from './process-use.ts'
import { openMany, openTown, until } from './town.ts'

const restMs = sized(10_000, 500)
const runs = sized(3, 1)
const times = sized(100, 3)
const minuteMs = 60_000

/** Both start with the same service and workspace and the same alerts listed, which monbot knows from before. */
export async function measureProcess(listed: number): Promise<Figure[]> {
  const found = {
    bareMs: [] as number[],
    bareMb: [] as number[],
    monbotMs: [] as number[],
    monbotMb: [] as number[],
  }
  for (let run = 0; run < runs; run += 1) {
    const town = await openTown('off')
    try {
      openMany(town.service, listed, Math.min(30, listed))
      const bare = await startBare(town)
      found.bareMs.push(bare.tookMs)
      await wait(restMs)
      found.bareMb.push(residentMb(bare.child.pid))
      bare.child.kill()
      // Its first start reads everything that is listed, which is measured as the first poll; the second poll stores what is over.
      const { bot: first } = await town.start({ LOG_LEVEL: 'debug' })
      await until('all is stored', 60_000, () => first.logged('poll:done').length > 1)
      await first.kill('SIGTERM')
      const { bot, tookMs } = await town.start()
      found.monbotMs.push(tookMs)
      await wait(restMs)
      found.monbotMb.push(residentMb(bot.child.pid))
    } finally {
      await town.close()
    }
  }
  const size = `${many(listed)} listed and stored`
  return [
    {
      figure: 'from start to ready',
      size,
      unit: 'ms',
      measured: median(found.monbotMs),
      floor: median(found.bareMs),
      floorIs: 'bare Bolt',
      goal: { of: 'ratio', atMost: 1.5 },
    },
    {
      figure: 'memory at rest',
      size,
      unit: 'MB',
      measured: median(found.monbotMb),
      floor: median(found.bareMb),
      floorIs: 'bare Bolt',
      goal: { of: 'ratio', atMost: 1.3 },
    },
  ]
}

/** In the thread that draws, once it has loaded; the floor is the renderer alone, on the finished drawing. */
export async function measureChart(points: number): Promise<Figure> {
  const toMs = Date.UTC(2026, 10, 21, 4, 0)
  const timesMs = Array.from({ length: points }, (_, at) => toMs - (points - at) * minuteMs)
  const chart: SeriesChart = {
    title: 'Load Average on web-1',
    units: '',
    fromMs: toMs - points * minuteMs,
    toMs,
    timesMs,
    points: timesMs.map((_, at) => [1 + Math.sin(at), 2 + Math.sin(at / 9), 4 + Math.sin(at / 5)] as const),
    line: 'average',
    limits: [],
    spans: [{ kind: 'open', fromMs: toMs - 20 * minuteMs, toMs, label: 'alert' }],
    marks: [],
    zone: 'Europe/Lisbon',
  }
  const draw = openDraw()
  const paint = await loadPaint()
  const svg = seriesSvg(chart)
  await draw.series(chart)
  paint(svg)
  const drawMs: number[] = []
  const paintMs: number[] = []
  for (let n = 0; n < times; n += 1) {
    let fromMs = performance.now()
    await draw.series(chart)
    drawMs.push(performance.now() - fromMs)
    fromMs = performance.now()
    paint(svg)
    paintMs.push(performance.now() - fromMs)
  }
  return {
    figure: 'a chart, median',
    size: `${many(points)} points, n = ${times}`,
    unit: 'ms',
    measured: median(drawMs),
    floor: median(paintMs),
    floorIs: 'the renderer alone, on the finished drawing',
    goal: { of: 'measured', atMost: 80 },
  }
}

/** What makes an engine that backtracks need longer than the universe has. The floor is one look for a text. */
export function measureFilter(characters: number): Figure {
  const filter = parseServerPattern('/(a+)+$/')
  if (filter.kind !== 'pattern') throw new Error('the filter is no pattern')
  const hostname = `${'a'.repeat(characters)}!`
  const tookMs: number[] = []
  const lookMs: number[] = []
  for (let n = 0; n < times; n += 1) {
    let fromMs = performance.now()
    filter.matches(hostname)
    tookMs.push(performance.now() - fromMs)
    fromMs = performance.now()
    hostname.includes('b')
    lookMs.push(performance.now() - fromMs)
  }
  return {
    figure: '`(a+)+$` as the filter of servers, p99',
    size: `${many(characters)} characters`,
    unit: 'ms',
    measured: quantile(tookMs, 0.99),
    floor: quantile(lookMs, 0.99),
    floorIs: 'looking for a letter',
    goal: null,
  }
}

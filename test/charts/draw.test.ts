/** Charts as people see them: the right size, ink where something was measured, and nothing where nothing was. */
import { describe, expect, test } from 'vitest'
import { timeTicks } from '../../src/charts/axes.ts'
import { barsSize } from '../../src/charts/bars-svg.ts'
import { openDraw } from '../../src/charts/draw.ts'
import { seriesSize, seriesSvg } from '../../src/charts/series-svg.ts'
import { colors } from '../../src/charts/svg-parts.ts'
import type { SeriesChart } from '../../src/domain/chart/chart.ts'
import { readPng } from '../service/png.ts'

const toMs = Date.UTC(2026, 10, 21, 4, 0)
const minuteMs = 60_000
const draw = openDraw()

function aChart(over: Partial<SeriesChart> = {}): SeriesChart {
  const timesMs = Array.from({ length: 120 }, (_, at) => toMs - (120 - at) * minuteMs)
  return {
    title: 'Load Average on web-1',
    units: '',
    precision: 2,
    fromMs: toMs - 120 * minuteMs,
    toMs,
    timesMs,
    points: timesMs.map((_, at) => [1, 2 + at / 60, 4] as const),
    threshold: null,
    spans: [],
    marks: [],
    zone: 'Europe/Lisbon',
    ...over,
  }
}

async function inkOf(chart: SeriesChart): Promise<(color: string) => number> {
  const png = readPng(Buffer.from(await draw.series(chart)))
  expect([png.width, png.height]).toEqual([seriesSize.width * 2, seriesSize.height * 2])
  return (color) => png.colors.get(color) ?? 0
}

test('a series has its band, its line and its words, at twice its size for sharp screens', async () => {
  const ink = await inkOf(aChart())
  expect(ink(colors.band)).toBeGreaterThan(50_000)
  expect(ink(colors.line)).toBeGreaterThan(1_000)
  expect(ink(colors.text)).toBeGreaterThan(300)
  expect(ink(colors.threshold)).toBe(0)
})

test('half of the points missing is half of the band missing', async () => {
  const whole = await inkOf(aChart())
  const half = await inkOf(
    aChart({ points: aChart().points.map((point, at) => (at >= 30 && at < 90 ? null : point)) }),
  )
  const share = half(colors.band) / whole(colors.band)
  expect(share).toBeGreaterThan(0.4)
  expect(share).toBeLessThan(0.6)
})

test('threshold, alert, mute and marker are drawn where there are some', async () => {
  const ink = await inkOf(
    aChart({
      threshold: 3,
      spans: [
        { kind: 'open', fromMs: toMs - 60 * minuteMs, toMs: toMs - 30 * minuteMs, label: 'alert open' },
        { kind: 'mute', fromMs: toMs - 45 * minuteMs, toMs, label: 'muted' },
      ],
      marks: [{ atMs: toMs - 90 * minuteMs, label: 'deploy 4711' }],
    }),
  )
  for (const color of [colors.threshold, colors.open, colors.mute, colors.mark]) {
    expect(ink(color), color).toBeGreaterThan(100)
  }
})

describe('values of any size are drawn, and their axis says numbers', () => {
  test.each([
    ['nothing but zero', 0, 0],
    ['one constant', 42, 42],
    ['below zero', -8, -3],
    ['tiny', 0.000_000_2, 0.000_000_4],
    ['huge', 3e17, 4e17],
    ['far from zero', 1_000_000, 1_000_010],
  ])('%s', (_, low, high) => {
    const svg = seriesSvg(aChart({ points: aChart().points.map(() => [low, (low + high) / 2, high]) }))
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    const labels = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1] ?? '')
    expect(labels.filter((label) => /^-?[\d.,]+[KMBTe\d+-]*$/.test(label)).length).toBeGreaterThanOrEqual(2)
  })
})

test('no points at all is an empty chart, and one point between gaps is a dot', async () => {
  const none = await inkOf(aChart({ points: aChart().points.map(() => null) }))
  const one = await inkOf(aChart({ points: aChart().points.map((_, at) => (at === 60 ? [1, 2, 3] : null)) }))
  expect(one(colors.line)).toBeGreaterThan(none(colors.line) + 20)
})

test('a title cannot break out of the picture, and what the font lacks leaves no box', async () => {
  const title = '</text><script>alert(1)</script>"&\u0000\u202e 🔥 日本 ok'
  const svg = seriesSvg(aChart({ title, marks: [{ atMs: toMs - minuteMs * 100, label: '<b>&' }] }))
  expect(svg).not.toMatch(/<script|<b>|🔥|日|\u202e/)
  expect(svg).toContain('ok')
  await expect(draw.series(aChart({ title }))).resolves.toBeInstanceOf(Uint8Array)
})

test('the axis is labelled in the zone, and names it', () => {
  expect(seriesSvg(aChart({ zone: 'Asia/Tokyo' }))).toMatch(/>12:00<[\s\S]*>UTC\+9</)
  expect(seriesSvg(aChart({ zone: 'Etc/UTC' }))).toMatch(/>03:00<[\s\S]*>UTC</)
  // A zone whose hours begin at half of ours.
  expect(seriesSvg(aChart({ zone: 'Asia/Kolkata' }))).toMatch(/>09:00<[\s\S]*>UTC\+5:30</)
})

test('labels of markers that would stand on each other are left out; their lines stay', () => {
  const marks = [100, 99, 98].map((ago) => ({ atMs: toMs - ago * minuteMs, label: `deploy ${ago}` }))
  const svg = seriesSvg(aChart({ marks }))
  expect(svg.match(/>deploy \d+</g)).toEqual(['>deploy 100<'])
  expect(svg.match(new RegExp(`stroke="${colors.mark}"`, 'g'))).toHaveLength(3)
})

test('bars are as high as they count', async () => {
  const inkOfBars = async (values: number[]) => {
    const bars = values.map((value, at) => ({ label: `${at} Nov`, value }))
    const png = readPng(Buffer.from(await draw.bars({ title: 'Alerts opened a day', bars })))
    expect([png.width, png.height]).toEqual([barsSize.width * 2, barsSize.height * 2])
    return png.colors.get(colors.line) ?? 0
  }
  const one = await inkOfBars([10, 0])
  expect(await inkOfBars([10, 10])).toBeGreaterThan(1.9 * one)
  expect(await inkOfBars([0, 0])).toBe(0)
  expect(await inkOfBars(Array.from({ length: 200 }, () => 3))).toBeGreaterThan(0)
})

test.each([
  // Two o'clock does not come.
  ['set ahead', '2026-03-28T23:00:00Z', ['00:00', '04:00', '06:00', '08:00', '10:00']],
  ['set back', '2026-10-24T22:00:00Z', ['00:00', '02:00', '04:00', '06:00', '08:00']],
])(
  'in the night in which the clocks are %s, a chart has its times where the clocks show them',
  (_, from, labels) => {
    const fromMs = Date.parse(from)
    const ticks = timeTicks(fromMs, fromMs + 13 * 60 * minuteMs, 'Europe/Berlin')
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
    expect(ticks.map(({ label }) => label).slice(0, 5)).toEqual(labels)
    expect(ticks.map(({ atMs }) => clock.format(atMs)).slice(0, 5)).toEqual(labels)
  },
)

/** Charts as people see them: the right size, ink where something was measured, and nothing where nothing was. */
import { describe, expect, test } from 'vitest'
import { timeTicks } from '../../../src/bot/charts/axes.ts'
import { barsSize } from '../../../src/bot/charts/bars-svg.ts'
import { openDraw } from '../../../src/bot/charts/draw.ts'
import { seriesSize, seriesSvg } from '../../../src/bot/charts/series-svg.ts'
import { colors, scale } from '../../../src/bot/charts/svg-parts.ts'
import type { SeriesChart } from '../../../src/bot/domain/chart/chart.ts'
import { readPng } from '../../service/png.ts'
import { aChart, minuteMs, toMs } from './a-chart.ts'

const draw = openDraw()

async function inkOf(chart: SeriesChart): Promise<(color: string) => number> {
  const png = readPng(Buffer.from(await draw.series(chart)))
  expect([png.width, png.height]).toEqual([seriesSize.width * scale, seriesSize.height * scale])
  return (color) => png.colors.get(color) ?? 0
}

test('a series has its band, its line and its words, at three times its size for sharp screens', async () => {
  const ink = await inkOf(aChart())
  expect(ink(colors.band)).toBeGreaterThan(50_000)
  expect(ink(colors.line)).toBeGreaterThan(1_000)
  expect(ink(colors.text)).toBeGreaterThan(300)
  expect(ink(colors.limit)).toBe(0)
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

test('a spike of one minute in eight days reaches its peak, though the picture has fewer columns than the days have minutes', () => {
  const timesMs = Array.from({ length: 12_000 }, (_, at) => toMs - (12_000 - at) * minuteMs)
  const points = timesMs.map((_, at) => [1, 1, at === 5_432 ? 100 : 1] as const)
  const chart = aChart({ fromMs: timesMs[0] ?? 0, timesMs, points, line: 'highest' })
  const [, path = ''] = /<path d="([^"]+)" fill="none"/.exec(seriesSvg(chart)) ?? []
  const heights = [...path.matchAll(/[ML][\d.]+,([\d.]+)/g)].map(([, y]) => Number(y))
  expect(heights.length).toBeLessThan(seriesSize.width)
  expect(heights.filter((y) => y < 100)).toHaveLength(1)
})

test('threshold, alert, mute and marker are drawn where there are some', async () => {
  const ink = await inkOf(
    aChart({
      limits: [{ value: 3, side: 'high' }],
      spans: [
        { kind: 'open', fromMs: toMs - 60 * minuteMs, toMs: toMs - 30 * minuteMs, label: 'alert open' },
        { kind: 'mute', fromMs: toMs - 45 * minuteMs, toMs, label: 'muted' },
      ],
      marks: [{ atMs: toMs - 90 * minuteMs, label: 'deploy 4711' }],
    }),
  )
  for (const color of [colors.limit, colors.open, colors.mute, colors.mark]) {
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
  expect(seriesSvg(aChart({ zone: 'Asia/Tokyo' }))).toMatch(
    />12:00<[\s\S]*>21 Nov 2026 · Asia\/Tokyo \(UTC\+9\)</,
  )
  expect(seriesSvg(aChart({ zone: 'Etc/UTC' }))).toMatch(/>03:00<[\s\S]*>21 Nov 2026 · UTC</)
  // A zone whose hours begin at half of ours.
  expect(seriesSvg(aChart({ zone: 'Asia/Kolkata' }))).toMatch(
    />09:00<[\s\S]*>21 Nov 2026 · Asia\/Kolkata \(UTC\+5:30\)</,
  )
})

test('a marker of just now has its words left of its line', () => {
  const svg = seriesSvg(aChart({ marks: [{ atMs: toMs - 60_000, label: 'muted: disk swap' }] }))
  const at = Number(/x="([\d.]+)"[^>]*>muted: disk swap</.exec(svg)?.[1])
  const line = Number(new RegExp(`x1="([\\d.]+)"[^>]*stroke="${colors.mark}"`).exec(svg)?.[1])
  expect(at).toBeGreaterThan(0)
  expect(at).toBeLessThan(line - 60)
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
    expect([png.width, png.height]).toEqual([barsSize.width * scale, barsSize.height * scale])
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

/** The labels of the axis, from the bottom, as they are written. */
function ticksOf(chart: Partial<SeriesChart>): string[] {
  const svg = seriesSvg(aChart(chart))
  return [...svg.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="start">(-?[\d.,]+[KMBT]?)<\/text>/g)]
    .filter(([, x]) => Number(x) > seriesSize.width / 2)
    .map(([, , label = '']) => label)
}
const ofAll = (low: number, high: number) => aChart().points.map(() => [low, (low + high) / 2, high] as const)
const high = (value: number) => [{ value, side: 'high' as const }]

test.each<[what: string, over: Partial<SeriesChart>, first: string, last: string]>([
  ['percent', { units: '%', points: ofAll(3, 7) }, '0', '100'],
  ['percent with a limit', { units: '%', points: ofAll(3, 7), limits: high(90) }, '0', '100'],
  [
    'a few percent, where the limit is one too',
    { units: '%', points: ofAll(0.1, 0.7), limits: high(1) },
    '0',
    '1.2',
  ],
  ['more than all', { units: '%', points: ofAll(120, 180) }, '0', '200'],
  ['a limit within reach', { points: ofAll(1, 2), limits: high(5) }, '0', '6'],
  ['a limit that was left far behind', { points: ofAll(5.7, 5.9), limits: high(4) }, '0', '8'],
  ['a limit that stands for none', { points: ofAll(1, 2), limits: high(1e9) }, '0', '2.5'],
  ['values far from zero', { points: ofAll(1_000_000, 1_000_010), limits: high(5) }, '999,995', '1,000,015'],
  ['below zero', { points: ofAll(-8, -3) }, '-10', '0'],
])('the axis of %s fits what is drawn', (_, over, first, last) => {
  const ticks = ticksOf(over)
  expect([ticks[0], ticks.at(-1)]).toEqual([first, last])
})

test('a limit beyond the axis is named at its edge, on its side', () => {
  const limits = [{ value: 500, side: 'low' as const }, ...high(1e9)]
  const svg = seriesSvg(aChart({ units: 'MB', points: ofAll(120_000, 120_500), limits }))
  expect(svg).toMatch(/>limit 500 MB ↓</)
  expect(svg).toMatch(/>limit 1 PB ↑</)
  expect(svg).not.toContain(`stroke="${colors.limit}"`)
})

test.each([
  ['highest', /13/],
  ['lowest', /-7\.5/],
] as const)('a spike reaches its peak in the line of the %s, and its number stands above', (line, number) => {
  const spike = aChart().points.map((_, at) =>
    at === 60 ? ([-7.5, 2, 12.5] as const) : ([1, 2, 3] as const),
  )
  const svg = seriesSvg(aChart({ points: spike, line }))
  expect(svg).toMatch(new RegExp(`${line} ${number.source}`))
  const [, path = ''] = /<path d="([^"]*)" fill="none"/.exec(svg) ?? []
  const heights = [...path.matchAll(/[ML]?[\d.]+,([\d.]+)/g)].map(([, y]) => Number(y))
  const away = Math.max(...heights) - Math.min(...heights)
  expect(away).toBeGreaterThan(40)
})

test('the last value stands with its time, and a chart of nothing says so', () => {
  expect(seriesSvg(aChart({ zone: 'UTC', units: '%' }))).toMatch(/>4 % at 03:59 · highest 4 %</)
  expect(seriesSvg(aChart({ points: [] }))).toMatch(/>nothing was measured in this time</)
})

test('of a long title both ends are kept: what is measured, and where', () => {
  const svg = seriesSvg(aChart({ title: 'Load Average · Last minute per core on web-frontend-12' }))
  expect(svg).toContain('>Load Average · Last min… web-frontend-12<')
})

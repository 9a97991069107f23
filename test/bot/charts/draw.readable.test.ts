/** What is drawn is seen and read: sizes, contrasts, and words that stand where they belong. */
import { expect, test } from 'vitest'
import { barsSize, barsSvg } from '../../../src/bot/charts/bars-svg.ts'
import { seriesSize, seriesSvg } from '../../../src/bot/charts/series-svg.ts'
import { colors } from '../../../src/bot/charts/svg-parts.ts'
import { aChart, minuteMs, toMs } from './a-chart.ts'

const phonePixels = 330

/** WCAG 2.2: from 1, the same, to 21. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test('words are readable at the width of a phone, on the ground and on what is shaded', () => {
  const svg = seriesSvg(
    aChart({ limits: [{ value: 3, side: 'high' }], marks: [{ atMs: toMs, label: 'now' }] }),
  )
  const sizes = [...svg.matchAll(/font-size="(\d+)"/g)].map(([, size]) => Number(size))
  expect((Math.min(...sizes) * phonePixels) / seriesSize.width).toBeGreaterThanOrEqual(12)
  for (const color of [colors.text, colors.faint, colors.mark, colors.limit])
    expect(contrast(color, colors.background), color).toBeGreaterThan(4.5)
  // Words that may lie on something have the ground around them.
  expect(svg).toMatch(new RegExp(`stroke="${colors.background}"[^>]*>limit 3<`))
})

test('the shade of an alert could not be told from the ground', () => {
  for (const shade of [colors.open, colors.mute, colors.band, colors.line]) {
    expect(contrast(shade, colors.background), shade).toBeGreaterThan(3)
  }
  // What is drawn has no words in it: the contrast of shapes is enough.
  for (const color of [colors.line, colors.limit, colors.mark]) {
    for (const shade of [colors.band, colors.open])
      expect(contrast(color, shade), `${color} on ${shade}`).toBeGreaterThan(3)
  }
})

/** Positions of the small lines below the axis, and of the labels with their words. */
function timesOf(svg: string, bottom: number): { ticks: number[]; labels: [number, string][] } {
  const ticks = [...svg.matchAll(/<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/g)]
    .filter(([, x1, y1, x2, y2]) => x1 === x2 && Number(y1) === bottom && Number(y2) > bottom)
    .map(([, x]) => Number(x))
  const labels = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*text-anchor="middle">([^<]+)</g)]
    .filter(([, , y]) => Number(y) > bottom)
    .map(([, x, , words = '']): [number, string] => [Number(x), words])
  return { ticks, labels }
}

test('a label at the edge stood beside its time', () => {
  for (let early = 0; early < 60; early += 1) {
    const fromMs = toMs - (120 + early) * minuteMs
    const svg = seriesSvg(aChart({ fromMs, toMs: toMs + early * 30_000 }))
    const { ticks, labels } = timesOf(svg, seriesSize.height - 76)
    expect(labels.length).toBeGreaterThanOrEqual(2)
    for (const [at, words] of labels) expect(ticks, words).toContain(at)
  }
})

test('the bars of a report had no axis, and the highest had no number where bars are narrow', () => {
  const hours = Array.from({ length: 25 }, (_, at) => ({
    label: `${String(at % 24).padStart(2, '0')}:00`,
    value: at === 7 ? 1_234 : at % 3,
  }))
  const svg = barsSvg({ title: 'Alerts by hour, UTC', bars: hours })
  for (const words of ['0', '500', '1,000', '1,500', '1234']) expect(svg).toContain(`>${words}</text>`)
  const { ticks, labels } = timesOf(svg, barsSize.height - 34)
  expect(labels.length).toBeGreaterThanOrEqual(4)
  for (const [at, words] of labels) expect(ticks, words).toContain(at)
  // A count has no halves, and none is one as well.
  const few = barsSvg({
    title: 'Alerts by day, UTC',
    bars: [
      { label: 'Sat 14', value: 1 },
      { label: 'Sun 15', value: 0 },
    ],
  })
  expect([...few.matchAll(/>([\d.]+)<\/text>/g)].map(([, label]) => label)).toEqual(['0', '1', '1', '0'])
})

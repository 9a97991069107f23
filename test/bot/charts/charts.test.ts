/** Which charts are drawn, and that their axes and words tell the truth. */
import { describe, expect, test } from 'vitest'
import { alertChart, seriesChart, timeTicks, valueRange, windowOf } from '../../../src/bot/charts/chart.ts'
import { drawChart } from '../../../src/bot/charts/pictures.ts'
import { chartSvg } from '../../../src/bot/charts/svg.ts'
import { hour, minute } from '../../../src/bot/clock.ts'

const nowMs = Date.UTC(2026, 10, 21, 3, 40)
const pointsOf = (count: number, values = [1, 2, 3]) =>
  Array.from({ length: count }, (_, at) => {
    const [min = 0, mean = 0, max = 0] = values
    return { atMs: nowMs - at * minute, min, mean, max }
  }).reverse()
const series = (label: string, count: number, values?: number[]) => ({
  label,
  units: '%',
  points: pointsOf(count, values),
})
const episode = { fromMs: nowMs - 10 * minute, untilMs: null, limit: 90, side: 'high' as const }
const around = { zone: 'UTC', nowMs }
const span = { fromMs: nowMs - hour, untilMs: nowMs, zone: 'UTC', limit: null }

test.each([
  [
    'an hour before it, while it is open',
    { fromMs: nowMs - 10 * minute, untilMs: null },
    { fromMs: nowMs - 70 * minute, untilMs: nowMs },
  ],
  [
    'half its length before a long one',
    { fromMs: nowMs - 10 * hour, untilMs: null },
    { fromMs: nowMs - 15 * hour, untilMs: nowMs },
  ],
  [
    'a little after it',
    { fromMs: nowMs - 3 * hour, untilMs: nowMs - 2 * hour },
    { fromMs: nowMs - 4 * hour, untilMs: nowMs - 114 * minute },
  ],
])('the chart of an alert shows %s', (_, alert, shown) => {
  expect(windowOf(alert, nowMs)).toEqual(shown)
})

describe('a chart', () => {
  test('below five points is none', () => {
    expect(alertChart(episode, [series('web-2', 4)], around)).toBeNull()
    expect(alertChart(episode, [series('web-2', 5)], around)).not.toBeNull()
  })

  test.each([
    ['high', 'max'],
    ['low', 'min'],
    [null, 'mean'],
  ] as const)('of a limit on the side %s follows the %s', (side, line) => {
    expect(alertChart({ ...episode, side }, [series('web-2', 50)], around)?.line).toBe(line)
  })

  test('of many series shows the six that reach highest, and counts the rest', () => {
    const many = Array.from({ length: 9 }, (_, at) => series(`s${at}`, 30, [at, at, at]))
    const chart = seriesChart(many, span)
    expect([chart?.series.map(({ label }) => label), chart?.more]).toEqual([
      ['s8', 's7', 's6', 's5', 's4', 's3'],
      3,
    ])
  })
})

describe('the value axis', () => {
  test.each([
    ['of percent is whole', [20, 50], 90, '%', [0, 100]],
    ['of small percent shows a small limit', [0.1, 0.4], 1, '%', [0, 1.08]],
    ['begins at zero', [10, 100], null, '', [0, 108]],
    ['shows what varies little far from zero', [1000, 1010], null, '', [998.5, 1011.5]],
    ['leaves out a limit that would make the points flat', [10, 30], 1e6, '', [0, 32.4]],
    ['shows the limit of what is flat anyway', [0, 0], 5, '', [0, 5.4]],
    ['of nothing but zero is not empty', [0], null, '', [0, 1]],
  ])('%s', (_, values, limit, units, range) => {
    expect(valueRange(values, limit, units).map((value) => Number(value.toFixed(6)))).toEqual(range)
  })
})

describe('the time axis', () => {
  const labels = (from: string, until: string, zone: string) =>
    timeTicks(Date.parse(from), Date.parse(until), zone, 5).map(({ label }) => label)

  test('has whole times of the zone', () => {
    expect(labels('2026-11-21T03:05Z', '2026-11-21T05:05Z', 'Asia/Kolkata')).toEqual([
      '09:00',
      '09:30',
      '10:00',
      '10:30',
    ])
  })

  test('has no tick in an hour that the clocks skip', () => {
    expect(labels('2026-03-28T23:30Z', '2026-03-29T03:30Z', 'Europe/Berlin')).toEqual([
      '01:00',
      '03:00',
      '04:00',
      '05:00',
    ])
  })
})

describe('the picture', () => {
  const chart = alertChart(episode, [series('web-2', 60)], around)
  if (chart === null) throw new Error('expected a chart')

  test('says what is drawn, and breaks the line where a point is missing', () => {
    const [one] = chart.series
    const holed = { ...chart, series: [{ label: 'web-2', points: one?.points.toSpliced(30, 1) ?? [] }] }
    const svg = chartSvg(holed)
    for (const words of ['highest per minute', 'range', 'alert open', 'limit 90%', '100%', 'UTC'])
      expect(svg).toContain(words)
    expect(svg.match(/<path d="([^"]*)" fill="none"/)?.[1]?.match(/M/g)).toHaveLength(2)
    expect(
      chartSvg(chart)
        .match(/<path d="([^"]*)" fill="none"/)?.[1]
        ?.match(/M/g),
    ).toHaveLength(1)
  })

  test('shortens what the names have in common, and escapes the rest', () => {
    const names = ['production-web<1>.eu.example.com', 'production-web<2>.eu.example.com']
    const several = seriesChart(
      names.map((name) => series(name, 30)),
      span,
    )
    const svg = several === null ? '' : chartSvg(several)
    expect(svg).toContain('>production-web&#60;1&#62;<')
    expect(svg).not.toContain('<1>')
  })

  test('is a PNG of 1080 x 540, and the process goes on while it is drawn', async () => {
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 1)
    const png = Buffer.from(await drawChart(chart))
    clearInterval(turning)
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
      'PNG',
      1080,
      540,
    ])
    expect(turns).toBeGreaterThan(0)
  })
})

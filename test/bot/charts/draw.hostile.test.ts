/** Whatever is measured, a chart is drawn of it, with no exception and nothing that is no number in it; and what drawing may hold and keep waiting has an end. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDraw } from '../../../src/bot/charts/draw.ts'
import { seriesSvg } from '../../../src/bot/charts/series-svg.ts'
import type { SeriesChart } from '../../../src/bot/domain/chart/chart.ts'
import { columnsMax, extremes, within } from '../../../src/bot/domain/chart/series.ts'

const toMs = Date.UTC(2026, 10, 21, 4, 0)
const minuteMs = 60_000
const dateMaxMs = 8.64e15

function aChart(over: Partial<SeriesChart> = {}): SeriesChart {
  return {
    title: 'Load Average on web-1',
    units: '',
    fromMs: toMs - 120 * minuteMs,
    toMs,
    timesMs: [],
    points: [],
    line: 'highest',
    limits: [],
    spans: [],
    marks: [],
    zone: 'Europe/Lisbon',
    ...over,
  }
}

/** Of these values, one a minute until now. */
function ofValues(...values: readonly (readonly [number, number, number] | null)[]): Partial<SeriesChart> {
  return { timesMs: values.map((_, at) => toMs - (values.length - at) * minuteMs), points: values }
}

function expectDrawn(chart: SeriesChart): void {
  const svg = seriesSvg(chart)
  expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  // Coordinates and sizes in the picture, or not far beside it.
  for (const [, number = ''] of svg.matchAll(/ (?:x|y|x1|x2|y1|y2|cx|cy|width|height)="(-?[\d.e+-]+)"/g))
    expect(Math.abs(Number(number))).toBeLessThan(1_000)
  expect(svg.length).toBeLessThan(1_000_000)
}

const tiny = Number.MIN_VALUE
const huge = Number.MAX_VALUE
const zone = 'Etc/UTC'

describe('was not drawn, and ended the process at every start', () => {
  test.each<[what: string, over: Partial<SeriesChart>]>([
    ['values next to nothing on both sides of zero', ofValues([-1e-320, 0, 1e-320], [-tiny, 0, tiny])],
    ['the largest numbers there are', ofValues([-huge, 0, huge], [-huge, huge, huge])],
    ['minus zero', ofValues([-0, -0, -0])],
    ['two numbers with no other between them', ofValues([1, 1, 1 + Number.EPSILON])],
    ['large numbers that hardly differ', ofValues([1e17, 1e17, 1e17 + 16])],
    ['what is no number', ofValues([Number.NaN, 1, Number.POSITIVE_INFINITY], [1, 2, 3])],
    ['one point', ofValues([1, 2, 3])],
    ['the lowest above the highest', ofValues([3, 2, 1])],
    ['a threshold far outside', { ...ofValues([1, 2, 3]), limits: [{ value: -huge, side: 'low' }] }],
    ['times of no calendar', { ...ofValues([1, 2, 3], [1, 2, 3]), timesMs: [-1e300, Number.NaN] }],
    ['a window of no length', { fromMs: toMs }],
    ['a window that ends before it begins', { fromMs: toMs + minuteMs }],
    ['a window of all times', { fromMs: -dateMaxMs, toMs: dateMaxMs, zone }],
    ['a window without an end', { toMs: Number.POSITIVE_INFINITY }],
    ['a window of no time at all', { fromMs: Number.NaN, toMs: Number.NaN }],
    ['a unit of half a character', { ...ofValues([1, 2, 3]), units: 'a\ud83d\u0000\u001b' }],
    ['a title without end', { title: '\ud800'.repeat(1_000_000) }],
    [
      'ten thousand markers',
      { marks: Array.from({ length: 10_000 }, (_, at) => ({ atMs: toMs - at, label: `${at}` })) },
    ],
  ])('%s', (_, over) => {
    expectDrawn(aChart(over))
  })

  test('words of control characters, as a picture', async () => {
    const units = '\ud83d\u0000\u001b<&'
    await openDraw().series(aChart({ ...ofValues([-huge, 0, tiny]), units, title: units }))
  })

  test('a chart that cannot be drawn fails alone: those beside it and after it are drawn', async () => {
    const draw = openDraw()
    const good = () => draw.series(aChart(ofValues([1, 2, 3])))
    const bad = draw.series(aChart({ zone: 'No/Where' }))
    const [first, failed, second] = await Promise.allSettled([good(), bad, good()])
    expect([first?.status, failed?.status, second?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await expect(bad).rejects.toThrow('Invalid time zone')
  })

  test('who asks meanwhile does not wait for a chart', async () => {
    const drawing = openDraw().series(aChart(ofValues([1, 2, 3])))
    let turns = 0
    let isDrawn = false
    const drawn = drawing.finally(() => {
      isDrawn = true
    })
    while (!isDrawn) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
    }
    expect((await drawn).length).toBeGreaterThan(0)
    expect(turns).toBeGreaterThan(100)
  })

  test('a million points at one moment, and as many in no order', () => {
    const timesMs = Array.from({ length: 1_000_000 }, (_, at) => toMs - ((at * 7_919) % 1_000_003))
    const points = timesMs.map((_, at) => (at % 2 === 0 ? ([-at, 0, at] as const) : null))
    const cropped = within({ timesMs, points }, toMs - 1_000_000, toMs)
    expect(cropped.points.length).toBeLessThanOrEqual(columnsMax + 2)
    expect(extremes(cropped.points)).toMatchObject({ min: -999_998, max: 999_998 })
    const moment = within({ timesMs: timesMs.map(() => toMs), points }, toMs, toMs)
    expect(moment.points.length).toBeLessThanOrEqual(2)
    expect(extremes(moment.points)).toMatchObject({ max: 999_998 })
  })

  test('a gap wider than a column is seen in a series of any length', () => {
    const timesMs = Array.from({ length: 5_000 }, (_, at) => toMs - (at < 2_500 ? at : at + 5_000) * 10)
    const points = timesMs.map(() => [1, 2, 3] as const)
    const cropped = within({ timesMs, points }, toMs - 100_000, toMs)
    expect(cropped.points.filter((point) => point === null)).toHaveLength(1)
  })

  test('150,000 points', async () => {
    const timesMs = Array.from({ length: 150_000 }, (_, at) => toMs - at * 10)
    const points = timesMs.map((_, at) => [-at, 0, at] as const)
    const drawn = within({ timesMs, points }, toMs - 1_500_000, toMs)
    expect(drawn.points.length).toBeLessThanOrEqual(columnsMax + 2)
    expectDrawn(aChart({ ...drawn, fromMs: toMs - 1_500_000 }))
    expect(extremes(points)).toMatchObject({ min: -149_999, max: 149_999 })
  })
})

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(
    0,
    -0,
    tiny,
    -tiny,
    huge,
    -huge,
    1e-320,
    -1e-320,
    1e308,
    1e-100,
    1e100,
    1,
    1 + Number.EPSILON,
  ),
  fc.integer(),
)
const time = fc.oneof(
  fc.integer({ min: toMs - 200 * minuteMs, max: toMs + 20 * minuteMs }),
  fc.double(),
  fc.constantFrom(dateMaxMs, -dateMaxMs, dateMaxMs + 1, 0),
)
const words = fc.string({ unit: 'binary', maxLength: 60 })
const point = fc.option(fc.tuple(number, number, number))
const chart: fc.Arbitrary<SeriesChart> = fc.record({
  title: words,
  units: words,
  fromMs: time,
  toMs: time,
  timesMs: fc.array(time, { maxLength: 40 }),
  points: fc.array(point, { maxLength: 40 }),
  line: fc.constantFrom('lowest' as const, 'average' as const, 'highest' as const),
  limits: fc.array(fc.record({ value: number, side: fc.constantFrom('high' as const, 'low' as const) }), {
    maxLength: 2,
  }),
  spans: fc.array(
    fc.record({
      fromMs: time,
      toMs: time,
      kind: fc.constantFrom('open' as const, 'mute' as const),
      label: words,
    }),
    { maxLength: 4 },
  ),
  marks: fc.array(fc.record({ atMs: time, label: words }), { maxLength: 20 }),
  zone: fc.constantFrom('Etc/UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Apia'),
})

test('whatever it is made of, a chart is drawn', () => {
  fc.assert(fc.property(chart, expectDrawn), { numRuns: 400 })
})

test('what is reduced keeps its lowest, its highest and its last value, in the order of time', () => {
  const series = fc.array(fc.tuple(fc.integer({ min: 0, max: 100_000 }), point), {
    minLength: 700,
    maxLength: 2_000,
  })
  fc.assert(
    fc.property(series, (given) => {
      const timesMs = given.map(([ms]) => ms)
      const points = given.map(([, one]) => one)
      const drawn = within({ timesMs, points }, 0, 100_000)
      expect(drawn.points.length).toBeLessThanOrEqual(columnsMax + 2)
      expect(drawn.timesMs.every((ms, at) => at === 0 || ms >= (drawn.timesMs[at - 1] ?? 0))).toBe(true)
      const [was, is] = [
        extremes(points.map((one) => numbered(one))),
        extremes(drawn.points.map((one) => numbered(one))),
      ]
      expect([is?.min, is?.max]).toEqual([was?.min, was?.max])
    }),
    { numRuns: 30 },
  )
})

function numbered(one: readonly [number, number, number] | null) {
  return one?.every(Number.isFinite) ? one : null
}

const bars = { title: 'Alerts opened a day', bars: [{ label: '1 Nov', value: 3 }] }
const limits = { idleMs: 30_000, waitMs: 30_000, waitingMax: 50 }
const isPng = (bytes: Uint8Array) => Buffer.from(bytes.subarray(1, 4)).toString() === 'PNG'

/** The threads that were started since. */
function seenThreads(): Worker[] {
  const threads: Worker[] = []
  const note = (message: unknown) => void threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  onTestFinished(() => void unsubscribe('worker_threads', note))
  return threads
}

test('a thread that has nothing to draw ends, and the next picture starts another one', async () => {
  const threads = seenThreads()
  const draw = openDraw({ ...limits, idleMs: 200 })
  expect(isPng(await draw.bars(bars))).toBe(true)
  const [first] = threads
  if (first === undefined) throw new Error('no thread was started')
  // An idle thread alone would let this process end.
  first.ref()
  await once(first, 'exit')
  expect(isPng(await draw.bars(bars))).toBe(true)
  expect(threads).toHaveLength(2)
})

test('pictures that follow each other are drawn by one thread', async () => {
  const threads = seenThreads()
  const draw = openDraw(limits)
  for (let n = 0; n < 3; n += 1) await draw.bars(bars)
  expect(threads).toHaveLength(1)
})

test('more pictures than may wait are refused at once, and those that wait are drawn', async () => {
  const draw = openDraw({ ...limits, waitingMax: 2 })
  const asked = [1, 2, 3].map(() => draw.bars(bars))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  await expect(asked[2]).rejects.toMatchObject({ kind: 'rate_limited' })
  expect(isPng(await draw.bars(bars))).toBe(true)
})

test('a picture that could not be begun in time is given up, and the next one is drawn', async () => {
  const draw = openDraw({ ...limits, waitMs: 1 })
  const [first, second] = [draw.bars(bars), draw.bars(bars)]
  await expect(second).rejects.toMatchObject({ kind: 'rate_limited' })
  expect(isPng(await first)).toBe(true)
  expect(isPng(await draw.bars(bars))).toBe(true)
})

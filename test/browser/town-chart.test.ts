/** What the town's chart and log make of what they are told: the page's own modules, called in a real browser. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openTownPane, openTownStage } from './town-stage.ts'

/** Calls what a module of the town exports, with what JSON can say. */
const call = <Result>(
  page: Page,
  module: string,
  name: string,
  ...args: readonly unknown[]
): Promise<Result> =>
  page.evaluate<Result>(
    `import('/page/town/${module}.js').then((module) => module.${name}(...${JSON.stringify(args)}))`,
  )

const series = {
  server: 'db-1',
  type: 'disk',
  source: '/',
  metric: 'disk_free',
  label: 'Disk / · Disk free',
  units: 'MB',
  precision: 0,
  now_ms: 1_800_000_300_000,
  from_ms: 1_800_000_000_000,
  step_ms: 2_000,
  points: Array.from({ length: 150 }, (_, at) => (at < 50 || at === 60 || at > 100 ? [400, 450, 500] : null)),
  value: 450,
  limits: [{ side: 'low', value: 500, met: true }],
  markers: [],
  metrics: [],
}

test('the line breaks where nothing was measured, and goes on over a missed sample', async () => {
  const page = await openTownPane(await openTownStage())
  const parts = await call<unknown[][]>(page, 'series', 'unbroken', series)
  expect(parts.map((part) => part.length)).toEqual([50, 1, 49])
  const missed = { ...series, points: series.points.map((point, at) => (at % 2 === 0 ? point : null)) }
  expect(await call<unknown[][]>(page, 'series', 'unbroken', missed)).toHaveLength(3)
  expect(await call(page, 'series', 'unbroken', { ...series, points: [] })).toEqual([])
})

test('axes have round ticks, few of them, and room for the highest value', async () => {
  const page = await openTownPane(await openTownStage())
  expect(await call(page, 'series', 'valueAxis', 100)).toEqual({ top: 100, ticks: [0, 25, 50, 75, 100] })
  expect(await call(page, 'series', 'valueAxis', 3.6)).toEqual({ top: 4, ticks: [0, 1, 2, 3, 4] })
  expect(await call(page, 'series', 'valueAxis', 0)).toMatchObject({ ticks: { length: 2 } })
  for (const highest of [0.003, 7, 41, 999, 38_123]) {
    const { top, ticks } = await call<{ top: number; ticks: number[] }>(page, 'series', 'valueAxis', highest)
    expect(top).toBeGreaterThanOrEqual(highest)
    expect(ticks.length).toBeLessThanOrEqual(6)
  }
  const times = await call<number[]>(page, 'series', 'timeTicks', series.from_ms, series.now_ms, 5)
  expect(times.length).toBeLessThanOrEqual(6)
  expect(times.every((ms) => ms % 60_000 === 0)).toBe(true)
})

test('a chart is told in words: its values, its low limit, and that there is nothing', async () => {
  const page = await openTownPane(await openTownStage())
  expect(await call(page, 'series', 'describeSeries', series)).toEqual([
    'Now 450 MB; between 400 MB and 500 MB in the last 5 min.',
    'The limit is met: an alert opens at 500 MB or below.',
  ])
  const nothing = { ...series, points: [], value: null, limits: [] }
  expect(await call(page, 'series', 'describeSeries', nothing)).toEqual([
    'Nothing was measured in the last 5 min.',
  ])
  expect(await call<unknown[]>(page, 'series', 'tableOf', series)).toHaveLength(12)
  expect(await call(page, 'series', 'tableOf', nothing)).toEqual([])
})

const names = '{ user: (id) => id === "U1" ? "ana" : id, channel: (id) => id === "C1" ? "alerts" : id }'
const entries: [event: object, from: string, what: string, outcome: string][] = [
  [
    { type: 'api_call', method: 'chat.update', channel: 'C1', outcome: 'ok' },
    'monbot → Slack',
    'chat.update in #alerts',
    'ok',
  ],
  [{ type: 'api_call', method: 'auth.test', outcome: 'reset' }, 'monbot → Slack', 'auth.test', '✗ reset'],
  [
    { type: 'interaction', kind: 'block_actions', user: 'U1', outcome: 'operation_timeout' },
    'Slack → monbot',
    'block_actions by ana',
    '✗ operation_timeout',
  ],
  [{ type: 'event_sent', event: 'app_home_opened', attempt: 0 }, 'Slack → monbot', 'app_home_opened', 'sent'],
  [
    { type: 'event_lost', event: 'app_home_opened', attempt: 3 },
    'Slack → monbot',
    'app_home_opened, attempt 4',
    '✗ given up',
  ],
  [{ type: 'socket_opened', open: 1 }, 'monbot → Slack', 'a socket opened', '1 open'],
  [{ type: 'socket_told', reason: 'warning', open: 1 }, 'Slack → monbot', 'told to go: warning', '1 open'],
  [{ type: 'fault_cleared', fault: 'all' }, 'demo controls', 'all', 'cleared'],
  [{ type: 'token_revoked', which: 'bot' }, 'demo controls', 'the bot token', '✗ revoked'],
]

test('each event has its row of the log: who, what, how it ended', async () => {
  const page = await openTownPane(await openTownStage())
  const rows = await page.evaluate<unknown[]>(
    `import('/page/town/log-panel.js').then(({ readLogEntry }) => ${JSON.stringify(entries.map(([event]) => event))}
      .map((event, at) => readLogEntry({ seq: at, atMs: 0, event }, ${names})))`,
  )
  expect(rows).toMatchObject(
    entries.map(([, from, what, outcome]) => ({
      from,
      what,
      outcome: outcome.replace('✗ ', ''),
      isWrong: outcome.startsWith('✗'),
    })),
  )
})

/** The headline: where, what, how bad, since when and who has it, in the fewest words that say it. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { Reading } from '../../../src/bot/domain/alert/reading.ts'
import { formatAmount, formatLimit } from '../../../src/bot/domain/base/amount.ts'
import { briefHeadline, headline } from '../../../src/bot/slack/render/text/headline.ts'
import { inBlocks, inText } from '../../../src/bot/slack/render/text/phrases.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'
import { ago, hiddenIn, hostile, local, minuteMs, startedMs } from './card-views.ts'

const cpu: Partial<Alert> = {
  plugin: 'CPU',
  metric: 'cpu_busy',
  value: 97.2,
  title: 'CPU busy met or exceeded 90.00%, increasing to 97.20%',
}
const one = (over: Partial<Alert>) => anAlert('1', { startedMs, ...over })
const reading = (over: Partial<Reading>): Reading => ({
  units: null,
  limit: null,
  last: null,
  peak: null,
  readMs: null,
  ...over,
})
/** What stands between the server and its age. */
const measured = (over: Partial<Alert>) => {
  const text = headline(one(over), inText)
  return text.slice('🔴 web-1 '.length, text.lastIndexOf(' · since'))
}

test('server, subject, value, limit, age and owner, in this order', () => {
  expect(headline(one(cpu), inBlocks)).toBe(
    `🔴 *<https://monitor.example/a/1|web-1>* CPU busy *97 %* (limit 90 %) · ${ago(startedMs)} · unacknowledged`,
  )
  expect(headline(one({ ...cpu, ackedBy: 'U1' }), inText)).toBe(
    '🔴 web-1 CPU busy 97 % (limit 90 %) · since 2026-11-21 03:00 UTC · 👀 <@U1>',
  )
})

test("the service's own units and limit count more than the title, the metric's name and the triggers", () => {
  const told = (over: Parameters<typeof someDetails>[0]) => ({ ...cpu, details: someDetails(over) })
  const guessed = reading({
    units: 'MB',
    limit: { value: 80, side: 'high' },
    last: { value: 5, atMs: startedMs },
  })
  expect(measured(told({ units: '%', limit: { value: 95, side: 'high' } }))).toBe(
    'CPU busy 97 % (limit 95 %)',
  )
  expect(measured({ ...told({ limit: { value: 3, side: 'low' }, units: 's' }), reading: guessed })).toBe(
    'CPU busy 5 s (2026-11-21 03:00 UTC), below 3 s',
  )
  expect(measured(told({ units: '' }))).toBe('CPU busy 97 (limit 90)')
  expect(measured(told({}))).toBe('CPU busy 97 % (limit 90 %)')
})

test('forty characters of a notification say where, what and how bad', () => {
  expect([...headline(one(cpu), inText)].slice(0, 40).join('')).toContain('web-1 CPU busy 97 % (limit 90 %)')
})

test.each<[string, Partial<Alert>, string]>([
  [
    'no word twice',
    { plugin: 'Memory', metric: 'memory_used_percent', value: 93, title: '' },
    'Memory used 93 %',
  ],
  [
    'the name of a rule once, which is that of its metric',
    { plugin: 'NodeFilesystemFillingUp', metric: 'NodeFilesystemFillingUp', value: 4, title: '' },
    'NodeFilesystemFillingUp 4',
  ],
  [
    'a disk and its share',
    { ...cpu, plugin: 'Disk /', metric: 'disk_used_percent', title: 'Disk used met or exceeded 90.00%' },
    'Disk /: used 97 % (limit 90 %)',
  ],
  [
    'a limit of the low side',
    {
      plugin: 'Disk /',
      metric: 'disk_free',
      value: 310,
      title: 'Disk free met or fell below 500.00 MB, decreasing to 310.00 MB',
    },
    'Disk /: free 310 MB (below 500 MB)',
  ],
  [
    'a plugin named like its metric',
    { plugin: 'Jobs waiting', metric: 'jobs_waiting', title: '' },
    'Jobs waiting 3.5',
  ],
  [
    'a metric in one word',
    { plugin: 'Nginx', metric: 'requestsPerSecond', title: '' },
    'Nginx: requests per second 3.5',
  ],
  [
    'capitals that mean something',
    { plugin: 'Net', metric: 'TCP_retries', title: '' },
    'Net: TCP retries 3.5',
  ],
  [
    'no metric',
    { plugin: 'Log Watcher', metric: null, value: null, title: 'deploy failed' },
    'Log Watcher — deploy failed',
  ],
  [
    'nothing but a title',
    { plugin: '', metric: null, value: null, title: 'deploy failed' },
    '— deploy failed',
  ],
  ['a value of the title alone', { ...cpu, value: null }, 'CPU busy 97 % (limit 90 %)'],
  ['no value at all', { plugin: 'CPU', metric: 'cpu_busy', value: null, title: '' }, 'CPU busy'],
  [
    'a title that says more stays',
    { plugin: 'Disk /', metric: 'disk_used_percent', title: 'Disk almost full: /var/log' },
    'Disk /: used 3.5 % — Disk almost full: /var/log',
  ],
  [
    'what is known from elsewhere',
    { ...cpu, title: 'Too busy', reading: reading({ units: '%', limit: { value: 90, side: 'high' } }) },
    'CPU busy 97 % (limit 90 %) — Too busy',
  ],
  [
    'the title knows better which limit it was',
    { ...cpu, reading: reading({ units: 'x', limit: { value: 50, side: 'high' } }) },
    'CPU busy 97 % (limit 90 %)',
  ],
  [
    'the value read last says when, and the worst one stands beside it',
    { ...cpu, reading: reading({ last: { value: 85.4, atMs: startedMs + 5 * minuteMs }, peak: 99.1 }) },
    'CPU busy 85 % (2026-11-21 03:05 UTC), peak 99 %, limit 90 %',
  ],
  [
    'while the value is the worst it is said once',
    { ...cpu, reading: reading({ last: { value: 99.1, atMs: startedMs + 5 * minuteMs }, peak: 99.1 }) },
    'CPU busy 99 % (2026-11-21 03:05 UTC), limit 90 %',
  ],
])('%s', (_, over, expected) => {
  expect(measured(over)).toBe(expected)
})

describe('a heartbeat', () => {
  const silent: Partial<Alert> = {
    plugin: 'Heartbeat',
    metric: 'seconds_since_report',
    value: 30.98,
    title: 'Seconds since report met or exceeded 30.00 s, increasing to 30.98 s',
  }

  test('says since when nothing has come, by the clock: seconds would be wrong at once', () => {
    expect(headline(one(silent), inText)).toMatch(
      /^🔴 web-1 sends no data \(last report 2026-11-21 02:59 UTC\) · /,
    )
    expect(headline(one(silent), inBlocks)).toContain(
      `sends no data (last report <!date^${(startedMs - 30_980) / 1_000 - 0.02}^{ago}|2026-11-21 02:59 UTC>)`,
    )
  })

  test('that closed says so', () => {
    const closed = one({ ...silent, state: 'closed', closedMs: startedMs + 5 * minuteMs, closedBy: 'record' })
    expect(headline(closed, inText)).toBe('🟢 web-1 no data closed after 5 min')
  })
})

test.each<[string, Partial<Alert>, string]>([
  [
    'reached, where no more is known',
    {},
    '🟢 web-1 CPU busy closed after 40 min · opened at 97 % (limit 90 %)',
  ],
  [
    'the worst that was read, while what came after it is not known',
    { reading: reading({ peak: 98.3, readMs: startedMs + 30 * minuteMs }) },
    '🟢 web-1 CPU busy closed after 40 min · at least 98 % (limit 90 %)',
  ],
  [
    'its peak',
    { reading: reading({ peak: 99.3, readMs: startedMs + 41 * minuteMs }) },
    '🟢 web-1 CPU busy closed after 40 min · peak 99 % (limit 90 %)',
  ],
  [
    'its lowest value',
    {
      title: 'CPU idle fell below 10.00%',
      metric: 'cpu_idle',
      reading: reading({ peak: 2.12, readMs: startedMs + 41 * minuteMs }),
    },
    '🟢 web-1 CPU idle closed after 40 min · lowest 2.1 % (below 10 %)',
  ],
])('a closed alert says how bad it was: %s', (_, over, expected) => {
  const closed = one({
    ...cpu,
    state: 'closed',
    closedMs: startedMs + 40 * minuteMs,
    closedBy: 'record',
    ...over,
  })
  expect(headline(closed, inText)).toBe(expected)
})

test.each([
  '',
  'met or exceeded 90',
  'CPU busy exceeded ninety',
  'CPU busy met or exceeded 90.00% on /var',
  'x'.repeat(5_000),
])('a title of another form is kept, and no number is taken from it: %#', (title) => {
  expect(headline(one({ ...cpu, title }), inText)).not.toContain('limit')
})

test.each(hostile)('names, titles and units of harm stay harmless (%#)', (text) => {
  const alert = one({
    title: text,
    plugin: text,
    serverName: text,
    metric: text,
    reading: reading({
      units: text,
      limit: { value: 1, side: 'low' },
      last: { value: 2, atMs: startedMs },
      peak: 1,
    }),
  })
  for (const line of [
    headline(alert, inBlocks),
    headline(alert, inText),
    briefHeadline(alert, { isLinked: false }, 90),
  ]) {
    expect(hiddenIn(line)).toEqual([])
    const ours = [ago(startedMs), local(startedMs), '<https://monitor.example/a/1|']
    expect(ours.reduce((rest, part) => rest.replaceAll(part, ''), line)).not.toMatch(/<[!@#h]/)
  }
})

test('the longest names leave room for what must be said', () => {
  const long = '&'.repeat(3_000)
  const alert = one({ title: long, plugin: long, serverName: long, metric: long })
  expect(headline(alert, inBlocks, 300).length).toBeLessThanOrEqual(300)
  expect(headline(alert, inBlocks, 300)).toContain('unacknowledged')
  expect(briefHeadline(alert, { isLinked: true }, 90).length).toBeLessThanOrEqual(90)
})

describe('amounts', () => {
  test.each<[number, string | null, string]>([
    [97.2, '%', '97 %'],
    [0.98, null, '0.98'],
    [1_500_000_000, 'B', '1.5 GB'],
    [1_500_000_000, 'bytes', '1.5 GB'],
    [38_000, 'MB', '38 GB'],
    [0.25, 'GB', '250 MB'],
    [1_024, 'KiB', '1 MiB'],
    [900, 'KB/s', '900 KB/s'],
    [250, 'Mb/s', '250 Mb/s'],
    [30.98, 's', '31 s'],
    [300, 's', '5 min'],
    [5_400, 'seconds', '1 h 30 min'],
    [1_500, 'ms', '1.5 s'],
    [0.0034, null, '0.0034'],
    [3.456, '', '3.5'],
    [12_437, '', '12,437'],
    [99.999, '%', '99.999 %'],
    [100, '%', '100 %'],
    [-5.5, '°C', '-5.5 °C'],
    [0, '%', '0 %'],
    [-0, '', '0'],
    [1e-320, 's', '0 s'],
    [-1e-320, '', '0'],
    [1e-7, '', '1e-7'],
    [3e15, '', '3e15'],
    [1e300, 's', '1e300 s'],
    [-1.5e300, '', '-1.5e300'],
  ])('%d in %j is %s', (value, units, words) => {
    expect(formatAmount(value, units)).toBe(words)
  })

  test.each<[number, number, string]>([
    [97.2, 90, '97 %'],
    [99.2, 99.9, '99.2 %'],
    [90.4, 90, '90.4 %'],
    [90.004, 90, '90.004 %'],
    [0.98, 1, '0.98 %'],
  ])('%d keeps what tells it from its limit of %d', (value, limit, words) => {
    expect(formatAmount(value, '%', limit)).toBe(words)
  })

  test.each<[number, string, string]>([
    [99.95, '%', '99.95 %'],
    [12_345, '', '12,345'],
    [1e9, 'B', '1 GB'],
    [1_073_741_824, 'B', '1.07 GB'],
    [90, 's', '90 s'],
    [300, 's', '5 min'],
  ])('a limit of %d %s is %s', (value, units, words) => {
    expect(formatLimit(value, units)).toBe(words)
  })
})

/** Alerts are read in both forms, and one bad record costs itself and nothing else. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/failure.ts'
import {
  parseAlerts,
  parseInstant,
  parseMessage,
  parseMetrics,
  parseRoles,
  parseTriggers,
} from '../../src/monitor/wire.ts'

const alert = {
  id: 123_456_789,
  time: '2026-01-02T03:04:05Z',
  server_name: 'Web 1',
  server_hostname: 'web-1',
  lifecycle: 'start',
  title: 'Load Average on web-1',
  plugin_name: 'Load Average',
  metric_name: 'last_minute',
  metric_value: 3.5,
  url: 'https://example.test/a/123456789',
  sparkline_url: 'https://example.test/account/alerts/123456789/sparkline.png',
}
const first = (over: Record<string, unknown>) => parseAlerts({ results: [{ ...alert, ...over }] }).records[0]

describe('alerts', () => {
  const sighting = {
    alertId: '123456789',
    timeMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    serverName: 'Web 1',
    hostname: 'web-1',
    lifecycle: 'start',
    title: 'Load Average on web-1',
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
    url: alert.url,
    sparklineUrl: alert.sparkline_url,
    triggerId: null,
  }

  test.each(['results', 'result'])('are read under "%s"', (key) => {
    const page = parseAlerts({ message: 'ok', [key]: [alert] })
    expect(page).toEqual({ records: [sighting], size: 1, skipped: 0 })
  })

  test('of the historical service are read with what it added', () => {
    const wild = {
      ...alert,
      id: '123456789',
      time: '2026-01-02T03:04:05.000-00:00',
      body: null,
      severity: 'high',
      trigger: {},
      trigger_id: 987,
      trigger_template_id: null,
      type: 'Alert',
    }
    expect(parseAlerts({ result: [wild] }).records).toEqual([{ ...sighting, triggerId: '987' }])
  })

  test('without what a card can do without are kept', () => {
    const { url: _url, sparkline_url: _sparkline, metric_value: _value, ...bare } = alert
    expect(
      parseAlerts({ results: [{ ...bare, plugin_name: null, metric_name: 7, server_name: null }] }).records,
    ).toEqual([
      { ...sighting, url: '', sparklineUrl: '', value: null, plugin: '', metric: null, serverName: 'web-1' },
    ])
    expect(first({ server_hostname: undefined })).toMatchObject({ hostname: 'Web 1', serverName: 'Web 1' })
    expect(first({ metric_value: '3.25', trigger_id: 'tr-1' })).toMatchObject({
      value: 3.25,
      triggerId: 'tr-1',
    })
    expect(first({ trigger_id: { a: 1 } })).toMatchObject({ triggerId: null })
  })

  const bad: [string, unknown][] = [
    ['null', null],
    ['a number', 5],
    ['a list', [alert]],
    ['no id', { ...alert, id: undefined }],
    ['a fraction as id', { ...alert, id: 1.5 }],
    ['a number below 0 as id', { ...alert, id: -1 }],
    ['a word as id', { ...alert, id: 'seven' }],
    ['a day that does not exist', { ...alert, time: '2026-02-30T00:00:00Z' }],
    ['no time', { ...alert, time: null }],
    ['an unknown lifecycle', { ...alert, lifecycle: 'paused' }],
    ['no title', { ...alert, title: null }],
    ['no server', { ...alert, server_name: '', server_hostname: null }],
  ]
  test.each(bad)('with %s for a record are counted, and the others kept', (_what, record) => {
    const page = parseAlerts({ results: [alert, record, { ...alert, id: 2 }] })
    expect(page).toMatchObject({ size: 3, skipped: 1 })
    expect(page.records.map((sighting) => sighting.alertId)).toEqual(['123456789', '2'])
  })

  test.each([
    ['numbers', [1, 2, 3]],
    ['texts and nothing', ['text', null]],
    ['records of something else', [{ name: 'web-1' }]],
    ['lists', [[alert]]],
  ])('are not taken for none where the list holds only %s', (_what, results) => {
    expect(() => parseAlerts({ results })).toThrow(
      'the monitoring API gave a list without a single alert in it',
    )
  })

  test('of which none can be read are counted all the same', () => {
    expect(parseAlerts({ results: [{ ...alert, title: null }] })).toEqual({
      records: [],
      size: 1,
      skipped: 1,
    })
  })

  test('never make it throw anything but an OutsideFailure', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ results: fc.array(fc.jsonValue()) })), (body) => {
        for (const parse of [parseAlerts, parseTriggers, parseRoles, parseMetrics]) {
          try {
            parse(body)
          } catch (error) {
            expect(error).toBeInstanceOf(OutsideFailure)
          }
        }
        expect(parseMessage(body)).not.toBeUndefined()
      }),
      { seed: 9, numRuns: 500 },
    )
  })
})

describe('a time', () => {
  test.each([
    ['1970-01-01T00:00:00.000-00:00', 0],
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01t00:00:00z', 0],
    ['1970-01-01T01:00:00+01:00', 0],
    ['1970-01-01T01:00:00+0100', 0],
    ['1970-01-01T01:00:00+01', 0],
    ['1969-12-31T14:30:00-09:30', 0],
    ['1970-01-01 00:00:01', 1_000],
    ['1970-01-01T00:00:00', 0],
    ['1970-01-01T00:01Z', 60_000],
    ['1970-01-01T00:00:00.285Z', 285],
    ['1970-01-01T00:00:00,5Z', 500],
    ['1970-01-01T00:00:00.123456789Z', 123],
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12)],
  ])('%s is %i', (text, ms) => {
    expect(parseInstant(text)).toBe(ms)
  })

  test.each([
    '',
    'soon',
    '2026-01-02',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:61:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00 Zebra',
    '1767225600',
  ])('"%s" is none', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  test('of any offset comes back to the instant it was written for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        (ms, offsetMinutes) => {
          const wall = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1)
          const size = Math.abs(offsetMinutes)
          const offset = `${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
          fc.pre(wall.length === 23)
          expect(parseInstant(`${wall}${offsetMinutes < 0 ? '-' : '+'}${offset}`)).toBe(ms)
        },
      ),
      { seed: 5, numRuns: 300 },
    )
  })
})

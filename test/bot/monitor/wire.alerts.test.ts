/** Alerts are read in both forms, and one bad record costs itself and nothing else. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { unknownTimeMs } from '../../../src/bot/domain/alert/believable.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import {
  parseAlerts as parseAlertsOf,
  parseMessage,
  parseMetrics,
  parseRoles,
  parseTriggers,
} from '../../../src/bot/monitor/wire.ts'

const parseAlerts = (body: unknown) => parseAlertsOf(body, 'all')

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

test.each([
  [undefined, undefined],
  ['', undefined],
  [' \n', undefined],
  [5, undefined],
  [['rules: away'], undefined],
  [' rules: a ruler is away', 'rules: a ruler is away'],
  ['x'.repeat(501), 'x'.repeat(500)],
])('a doubt %j of the service about its own list is read as %j', (doubt, read) => {
  expect(parseAlerts({ results: [alert], doubt }).doubt).toBe(read)
})

describe('alerts', () => {
  const alertRecord = {
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
    triggerId: null,
    saidSeverity: null,
  }

  test.each(['results', 'result'])('are read under "%s"', (key) => {
    const page = parseAlerts({ message: 'ok', [key]: [alert] })
    expect(page).toEqual({ records: [alertRecord], size: 1, skipped: 0 })
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
    expect(parseAlerts({ result: [wild] }).records).toEqual([
      { ...alertRecord, triggerId: '987', saidSeverity: 'critical' },
    ])
  })

  test.each([
    ['Sev-2', 'warning'],
    ['certainly bad', null],
    [7, null],
    [null, null],
    [['high'], null],
  ])('a severity of %j means %j', (severity, saidSeverity) => {
    expect(parseAlerts({ results: [{ ...alert, severity }] }).records).toEqual([
      { ...alertRecord, saidSeverity },
    ])
  })

  test('without what a card can do without are kept', () => {
    const { url: _url, metric_value: _value, ...bare } = alert
    expect(
      parseAlerts({ results: [{ ...bare, plugin_name: null, metric_name: 7, server_name: null }] }).records,
    ).toEqual([
      {
        ...alertRecord,
        url: '',
        value: null,
        plugin: '',
        metric: null,
        serverName: 'web-1',
      },
    ])
    expect(first({ server_hostname: undefined })).toMatchObject({ hostname: 'Web 1', serverName: 'Web 1' })
    expect(first({ metric_value: '3.25', trigger_id: 'tr-1' })).toMatchObject({
      value: 3.25,
      triggerId: 'tr-1',
    })
    expect(first({ trigger_id: { a: 1 } })).toMatchObject({ triggerId: null })
  })

  test.each<[string, Record<string, unknown>, Partial<AlertRecord>]>([
    ['no time', { time: null }, { timeMs: unknownTimeMs }],
    ['a day that does not exist', { time: '2026-02-30T00:00:00Z' }, { timeMs: unknownTimeMs }],
    ['a time that may be in March or April', { time: '03/04/2026' }, { timeMs: unknownTimeMs }],
    ['a count of seconds', { time: 1_767_323_045 }, { timeMs: Date.UTC(2026, 0, 2, 3, 4, 5) }],
    ['no title', { title: null }, { title: '' }],
    ['a number for a title', { title: 5 }, { title: '5' }],
    ['another way to write a lifecycle', { lifecycle: ' START' }, { lifecycle: 'start' }],
    [
      'a UUID',
      { id: '0F8fad5b-d9cb-469f-a165-70867728950e' },
      { alertId: '0F8fad5b-d9cb-469f-a165-70867728950e' },
    ],
    ['an id with zeros in front', { id: '007' }, { alertId: '7' }],
    ['an id of zeros', { id: '00' }, { alertId: '0' }],
    ['a fraction as id', { id: 1.5 }, { alertId: '1.5' }],
    ['a word with signs in it as id', { id: 'aGk/+w==~2' }, { alertId: 'aGk/+w==~2' }],
    ['a number below 0 as id', { id: -1 }, { alertId: '-1' }],
    ['a number for a server', { server_hostname: 7, server_name: null }, { hostname: '7', serverName: '7' }],
    [
      'no server',
      { server_name: '', server_hostname: null },
      { hostname: 'unknown-server-123456789', serverName: 'unknown server' },
    ],
  ])('with %s are alerts all the same', (_what, over, read) => {
    expect(parseAlerts({ results: [{ ...alert, ...over }] })).toEqual({
      records: [{ ...alertRecord, ...read }],
      size: 1,
      skipped: 0,
    })
  })

  test.each([499, 500, 501, 10_001])('have names of 500 characters at most: %i', (length) => {
    const name = 'x'.repeat(length)
    const cut = 'x'.repeat(Math.min(length, 500))
    const over = { server_hostname: name, plugin_name: name, metric_name: name }
    expect(first(over)).toMatchObject({ hostname: cut, plugin: cut, metric: cut })
    expect(first({ server_hostname: null, server_name: name })).toMatchObject({ hostname: cut })
    expect([...parseRoles({ results: { web: [name] } }).roles]).toEqual([['web', [cut]]])
  })

  test('have no half of a character at the end of a name that is cut', () => {
    expect(first({ server_hostname: `${'x'.repeat(499)}🔥` })).toMatchObject({
      hostname: `${'x'.repeat(499)}\ufffd`,
    })
  })

  test.each([null, undefined, 'open', 'paused', 7, {}])(
    'are open where the list of what is open has %j for a lifecycle',
    (lifecycle) => {
      const body = { results: [{ ...alert, lifecycle }] }
      expect(parseAlertsOf(body, 'start').records).toMatchObject([{ lifecycle: 'start' }])
      expect(parseAlertsOf(body, 'end').records).toMatchObject([{ lifecycle: 'end' }])
      expect(parseAlertsOf(body, 'all')).toMatchObject({ records: [], skipped: 1 })
    },
  )

  const bad: [string, unknown][] = [
    ['null', null],
    ['a number', 5],
    ['a list', [alert]],
    ['no id', { ...alert, id: undefined }],
    ['an id that is nothing', { ...alert, id: null }],
    ['an id of several words', { ...alert, id: 'seven of nine' }],
    ['an id that calls people', { ...alert, id: '<!here>' }],
    ['an id without end', { ...alert, id: '9'.repeat(400) }],
    ['a hash for an id', { ...alert, id: {} }],
    ['an unknown lifecycle', { ...alert, lifecycle: 'paused' }],
  ]
  test('that have nothing but a number are told: one without a time at all was skipped', () => {
    const { records, skipped } = parseAlertsOf({ results: [{ id: 7 }] }, 'start')
    expect(skipped).toBe(0)
    expect(records).toMatchObject([{ alertId: '7', timeMs: 0, lifecycle: 'start' }])
  })

  test.each(bad)('with %s for a record are counted, and the others kept', (_what, record) => {
    const page = parseAlerts({ results: [alert, record, { ...alert, id: 2 }] })
    expect(page).toMatchObject({ size: 3, skipped: 1 })
    expect(page.records.map((alertRecord) => alertRecord.alertId)).toEqual(['123456789', '2'])
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
    expect(parseAlerts({ results: [{ ...alert, id: null }] })).toEqual({
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

/** Triggers, roles, metrics and messages are read in both forms; what is bad costs itself and nothing else. */
import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../../src/bot/monitor/answer.ts'
import {
  parseAlerts,
  parseMessage,
  parseMetrics,
  parseRoles,
  parseTriggers,
} from '../../../src/bot/monitor/wire.ts'
import { connect, openApi } from './local-api.ts'

describe('triggers', () => {
  const trigger = {
    id: 7,
    condition: 'Last minute met or exceeded 3.00',
    metric: 'last_minute',
    max_value: 3,
    low_value: null,
    duration_in_seconds: 60,
  }

  test.each(['results', 'result'])('are read under "%s", bad ones counted', (key) => {
    const body = {
      [key]: [trigger, { ...trigger, condition: null, metric: '' }, null, 7],
    }
    expect(parseTriggers(body)).toEqual({
      triggers: [
        {
          triggerId: '7',
          condition: trigger.condition,
          metric: 'last_minute',
          maxValue: 3,
          lowValue: null,
          durationSeconds: 60,
        },
      ],
      skipped: 3,
    })
  })

  test('keep every digit of an id, as a number or in quotes', async () => {
    const line = (id: string) => JSON.stringify(trigger).replace('"id":7', `"id":${id}`)
    const ids = ['9007199254740993', '"123456789012345678901234567890"', '18446744073709551615', '1']
    const api = await openApi((_request, response) =>
      response.end(`{"results":[${ids.map(line).join(',')}]}`),
    )
    const { triggers } = await connect(api.url).triggers()
    expect(triggers.map((it) => it.triggerId)).toEqual(ids.map((id) => id.replaceAll('"', '')))
  })
})

describe('roles', () => {
  test.each(['results', 'result'])('are a Map, read under "%s"', (key) => {
    const body = { [key]: { web: ['web-1', 'web-2'], empty: [], odd: 'web-1', mixed: ['db-1', 5, null, ''] } }
    expect(parseRoles(body)).toEqual({
      roles: new Map([
        ['web', ['web-1', 'web-2']],
        ['empty', []],
        ['mixed', ['db-1']],
      ]),
      // Left out, and not without a word.
      skipped: 4,
    })
  })

  test('may be called __proto__', async () => {
    const api = await openApi((_request, response) =>
      response.end('{"message":"ok","result":{"__proto__":["web-1"],"constructor":["web-2"]}}'),
    )
    const { roles } = await connect(api.url).roles()
    expect([...roles]).toEqual([
      ['__proto__', ['web-1']],
      ['constructor', ['web-2']],
    ])
  })

  test('are not taken from an inherited name', async () => {
    const api = await openApi((_request, response) =>
      response.end('{"__proto__":{"result":{"web":["web-1"]}}}'),
    )
    await expect(connect(api.url).roles()).rejects.toThrow('an answer without results')
  })
})

describe('metrics', () => {
  const answer = {
    timestamps: [1_000, 2_000, 3_000],
    metrics: [
      {
        label: 'web-1',
        units: '%',
        points: [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
      },
    ],
  }
  const expected = {
    timestampsMs: [1_000, 2_000, 3_000],
    series: [
      {
        label: 'web-1',
        units: '%',
        points: [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
      },
    ],
    skipped: 0,
  }

  test.each([
    ['at the top', answer],
    ['under result', { message: 'ok', result: { ...answer, num_servers: 1, step: 60 } }],
    ['under results', { message: 'ok', results: answer }],
  ])('are read %s', (_where, body) => {
    expect(parseMetrics(body)).toEqual(expected)
  })

  test('have gaps where points are null or broken, and end where there are no more', () => {
    const points = [null, [1, null, 3], [1, 2, 3, 4], [7, 8, 9]]
    const body = { timestamps: [1, 2, 3, 4, 5], metrics: [{ label: 'a', points: [...points] }] }
    expect(parseMetrics(body).series).toEqual([
      { label: 'a', units: '', points: [null, null, null, [7, 8, 9]] },
    ])
  })

  test('lose the place of a timestamp that is none, in every series', () => {
    const body = {
      timestamps: [1, null, 3],
      metrics: [
        {
          label: 'a',
          points: [
            [1, 1, 1],
            [2, 2, 2],
            [3, 3, 3],
          ],
        },
      ],
    }
    expect(parseMetrics(body)).toMatchObject({
      timestampsMs: [1, 3],
      series: [
        {
          points: [
            [1, 1, 1],
            [3, 3, 3],
          ],
        },
      ],
    })
  })

  test('count a bad series and keep the others', () => {
    const body = { ...answer, metrics: [null, { label: 5, points: [] }, { label: 'b' }, ...answer.metrics] }
    expect(parseMetrics(body)).toEqual({ ...expected, skipped: 3 })
  })

  test('of many servers and times do not become more than the answer holds', () => {
    const timestamps = Array.from({ length: 200_000 }, (_, at) => at)
    const metrics = Array.from({ length: 1_000 }, () => ({ label: 'a', points: [[1, 2, 3]] }))
    const { series } = parseMetrics({ timestamps, metrics })
    expect(series).toHaveLength(1_000)
    expect(series.every(({ points }) => points.length === 1)).toBe(true)
  })

  test('of more times than any chart has room for are refused as a whole, and not cut', () => {
    expect(() => parseMetrics({ ...answer, timestamps: new Array(200_001).fill(1) })).toThrow(
      'gave a list of 200001 at once; at most 200000 are read',
    )
  })

  test('with bytes beyond 2^53 stay numbers', async () => {
    const api = await openApi((_request, response) =>
      response.end('{"timestamps":[1],"metrics":[{"label":"a","points":[[1,9007199254740993,1e300]]}]}'),
    )
    const { series } = await connect(api.url).metrics({ metric: 'used', type: 'memory' })
    expect(series[0]?.points).toEqual([[1, 9_007_199_254_740_992, 1e300]])
  })
})

test.each([
  ['triggers', () => parseTriggers({ results: [null, { id: 7 }] })],
  ['roles', () => parseRoles({ result: { web: 'web-1', db: null } })],
  ['metrics', () => parseMetrics({ timestamps: [1], metrics: [{ label: 7 }] })],
])('%s of which none can be read are not taken for none', (what, parse) => {
  expect(parse).toThrow(`the monitoring API gave ${what} of which none can be read`)
})

test.each([
  [{ message: 'done' }, 'done'],
  [{ message: 5 }, null],
  [['done'], null],
  [null, null],
])('the message of %j is %j', (body, message) => {
  expect(parseMessage(body)).toBe(message)
})

describe('what is far too long to be looked through', () => {
  const tooLong = Array.from({ length: 5_001 }, (_, id) => ({ id, metric: 'cpu', label: 'a', points: [] }))

  test.each<[what: string, read: () => unknown, max: number]>([
    ['alerts', () => parseAlerts({ results: tooLong }, 'start'), 5_000],
    ['triggers', () => parseTriggers({ results: tooLong }), 5_000],
    ['series', () => parseMetrics({ timestamps: [], metrics: tooLong }), 1_000],
  ])('%s: is refused as a whole, and not taken for what was read of it', (_, read, max) => {
    expect(read).toThrow(`a list of 5001 at once; at most ${max} are read`)
  })

  test('a text is cut: nobody is shown more of it', () => {
    const { records } = parseAlerts(
      { results: [{ id: 1, time: '2026-11-21 04:00', title: 'x'.repeat(1e6) }] },
      'start',
    )
    expect(records[0]?.title).toHaveLength(10_000)
  })
})

test('a large integer within a text, a fraction or an exponent stays what it is', async () => {
  const told = '{"message":"at [12345678901234567, \\"12345678901234567\\"] 12345678901234567"}'
  const of = (text: string) =>
    readAnswer({ status: 200, retryAfter: null, body: Buffer.from(text) }, (words) => words, 0)
  expect(of(told)).toEqual({ message: 'at [12345678901234567, "12345678901234567"] 12345678901234567' })
  expect(of('[12345678901234567,-12345678901234567,0.1234567890123456000,1234567890123456e5,12]')).toEqual([
    '12345678901234567',
    '-12345678901234567',
    0.1234567890123456,
    1234567890123456e5,
    12,
  ])
})

test.each([
  ['lists in lists', '['.repeat(2_500_000) + ']'.repeat(2_500_000)],
  ['roles', `{"results":{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":[]`).join(',')}}}`],
])('an answer of millions of %s is not read at all', (_, body) => {
  const answer = { status: 200, retryAfter: null, body: Buffer.from(body) }
  expect(() => readAnswer(answer, String, 0)).toThrow('HTTP 200 with JSON of far too many parts')
})

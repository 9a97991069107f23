/** Complete JSON answers with status 200 whose list is wrong. */
import { hashOf } from '../metrics/generator.ts'

/**
 * - `no_results`, `null_results`, `object_results`, `text_results`, `number_results`: no list, or not a list of records
 * - `list`: only the list, without the hash around it
 * - `fields`: records with missing or absurd fields among the good ones; one of them is readable as an alert
 * - `no_ids`: no record has an id
 * - `ids`: two additional open alerts, whose ids are beyond 2^53 and differ only in their last digit
 * - `duplicates`: every record again at the end of its page, with another title
 * - `unordered`: the records of a page in random order
 * - `nested`: a field of the first record has lists nested 100,000 deep
 * - `proto`: fields called `__proto__`, `constructor` and `toString`
 */
export const wrongs = [
  'no_results',
  'null_results',
  'object_results',
  'text_results',
  'number_results',
  'list',
  'fields',
  'no_ids',
  'ids',
  'duplicates',
  'unordered',
  'nested',
  'proto',
] as const

export type Wrong = (typeof wrongs)[number]

type Hash = Record<string, unknown>

const depth = 100_000
const longText = 100_000

/** The body to send. A body without a list of records (an error, roles) is unchanged. */
export function spoil(
  body: string,
  { wrong, shiftSeconds }: { readonly wrong?: Wrong | undefined; readonly shiftSeconds?: number | undefined },
): string {
  const answer: unknown = JSON.parse(body)
  if (!isHash(answer) || !Array.isArray(answer.results)) return body
  const records = answer.results.filter(isHash).map((record) => shifted(record, shiftSeconds ?? 0))
  return wrong === undefined
    ? JSON.stringify({ ...answer, results: records })
    : spoilers[wrong](answer, records)
}

const spoilers = {
  no_results: ({ results: _, ...rest }) => JSON.stringify(rest),
  null_results: (answer) => JSON.stringify({ ...answer, results: null }),
  object_results: (answer, records) => JSON.stringify({ ...answer, results: { ...records } }),
  text_results: (answer) => JSON.stringify({ ...answer, results: 'none' }),
  number_results: (answer, records) => JSON.stringify({ ...answer, results: [...records.keys(), 1, 2, 3] }),
  list: (_answer, records) => JSON.stringify(records),
  fields: (answer, records) =>
    withValues({
      ...answer,
      results: [...badRecords.slice(0, 5), ...records, ...badRecords.slice(5), absurd],
    }),
  no_ids: (answer, records) =>
    JSON.stringify({ ...answer, results: records.map((record) => ({ ...record, id: null })) }),
  ids: (answer, records) =>
    withValues({ ...answer, results: [...['1', '3'].map((digit) => further(digit)), ...records] }),
  duplicates: (answer, records) =>
    JSON.stringify({
      ...answer,
      results: [...records, ...records.map((record) => ({ ...record, title: `${record.title}, again` }))],
    }),
  unordered: (answer, records) =>
    JSON.stringify({
      ...answer,
      results: records.toSorted((a, b) => hashOf(String(a.id)) - hashOf(String(b.id))),
    }),
  nested: (answer, records) =>
    withValues({
      ...answer,
      results: records.map((record, at) => (at === 0 ? { ...record, body: 'deep' } : record)),
    }).replaceAll('"body":"deep"', () => `"body":${'['.repeat(depth)}${']'.repeat(depth)}`),
  proto: (answer, records) =>
    withValues({
      ...answer,
      results: records.map((record) => ({ own: 'proto', ...record, constructor: null, toString: 'text' })),
    }).replaceAll('"own":"proto"', '"__proto__":{"id":1,"lifecycle":"end","title":null}'),
} as const satisfies Record<Wrong, (answer: Hash, records: readonly Hash[]) => string>

/** A valid open alert. */
const plain = {
  id: 'number:900000000000777',
  time: 'time:first',
  server_name: 'absurd',
  server_hostname: 'absurd',
  lifecycle: 'start',
  title: 'an alert that is not there',
  plugin_name: 'Absurd',
  metric_name: null,
  metric_value: null,
  url: '',
  sparkline_url: '',
}

function further(lastDigit: string): Hash {
  return { ...plain, id: `number:90071992547409930${lastDigit}`, server_hostname: `beyond-${lastDigit}` }
}

/** Valid, but hostile to its readers. */
const absurd = {
  ...plain,
  server_name: '*_~`<!channel>',
  title: `<!here> @everyone \u0000\u202e ${'x'.repeat(longText)}`,
  plugin_name: '&amp; <https://elsewhere.example|click>',
  metric_name: ['a', 'list'],
  metric_value: 'number:1e999',
  url: 'javascript:alert(1)',
  sparkline_url: 'file:///etc/passwd',
}

const badRecords: readonly unknown[] = [
  null,
  7,
  'text',
  [plain],
  {},
  { ...plain, id: undefined },
  { ...plain, id: '' },
  { ...plain, id: 'seven of nine' },
  { ...plain, id: { of: 1 } },
  { ...plain, id: '9'.repeat(400) },
  { ...plain, time: null },
  { ...plain, time: 1_700_000_000 },
  { ...plain, time: '2026-02-30T00:00:00Z' },
  { ...plain, lifecycle: 'paused' },
  { ...plain, lifecycle: null },
  { ...plain, title: null },
  { ...plain, title: ['a'] },
  { ...plain, server_name: '', server_hostname: '' },
]

/**
 * JSON in which a text that starts with `number:` becomes that number, which JavaScript itself could not represent, and
 * `time:first` becomes the time of the first record that has one.
 */
function withValues(answer: Hash & { readonly results: readonly unknown[] }): string {
  const times = answer.results.flatMap((record) =>
    isHash(record) && typeof record.time === 'string' && record.time !== plain.time ? [record.time] : [],
  )
  const time = times.find((text) => text.endsWith('Z') && !text.includes('02-30')) ?? '2026-01-02T03:04:05Z'
  return JSON.stringify(answer)
    .replaceAll(/"number:([0-9.e]+)"/g, '$1')
    .replaceAll(JSON.stringify(plain.time), JSON.stringify(time))
}

function shifted(record: Hash, seconds: number): Hash {
  const { time } = record
  if (seconds === 0 || typeof time !== 'string') return record
  return { ...record, time: new Date(Date.parse(time) + seconds * 1_000).toISOString() }
}

function isHash(value: unknown): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A CSV is opened by a spreadsheet, which runs what looks like a formula. */
import { expect, test } from 'vitest'
import { csvOf } from '../../../src/bot/acts/files.ts'
import { minute } from '../../../src/bot/clock.ts'
import { alert, closed, nowMs } from './records.ts'

function titleCell(title: string): string {
  const [, row = ''] = csvOf([alert('1', { title })]).split('\r\n')
  return row.slice('1,CPU busy,web-2,warning,open,'.length, row.indexOf(',2026'))
}

test.each([
  ['plain', 'plain', 'nothing to do'],
  ['=1+1', "'=1+1", 'a formula'],
  ['  @SUM(A1)', "'  @SUM(A1)", 'a formula behind spaces'],
  ['＝cmd', "'＝cmd", 'a full-width sign'],
  ['-1', "'-1", 'a minus'],
  ['a,"b"', '"a,""b"""', 'commas and quotes'],
  ['two\nlines', '"two\nlines"', 'a line break'],
])('%j', (title, cell, _why) => {
  expect(titleCell(title)).toBe(cell)
})

test('What nobody measured stays empty, and the newest comes first', () => {
  const unseen = closed('2', minute, { startedMs: nowMs - 90 * minute })
  const rows = csvOf([
    { ...unseen, closedAfterMs: null },
    closed('3', minute, { startedMs: nowMs - 60 * minute }),
  ])
  const [, third = '', second = ''] = rows.split('\r\n').map((row) => row.split(',').slice(0, 9).join(','))
  expect(third).toBe(
    '3,CPU busy,web-2,warning,closed,CPU busy is 97%,2026-11-21T11:00:00Z,2026-11-21T11:01:00Z,60',
  )
  expect(second).toBe(
    '2,CPU busy,web-2,warning,closed,CPU busy is 97%,2026-11-21T10:30:00Z,2026-11-21T10:31:00Z,',
  )
})

test('At most 10,000 rows, the latest', () => {
  const many = Array.from({ length: 10_002 }, (_, at) =>
    alert(String(at), { startedMs: nowMs - 10_002 + at }),
  )
  const rows = csvOf(many).trimEnd().split('\r\n')
  expect([rows.length, rows[1]?.split(',')[0], rows.at(-1)?.split(',')[0]]).toEqual([10_001, '10001', '2'])
})

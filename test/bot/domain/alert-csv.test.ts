/** The file of alerts: RFC 4180, UTF-8, and no cell that a spreadsheet would run. */
import { expect, test } from 'vitest'
import { csvLines, isoIn, type ListedAlert } from '../../../src/bot/domain/request/alert-csv.ts'

const startedMs = Date.UTC(2026, 10, 21, 3, 0, 0)

function listed(over: Partial<ListedAlert> = {}): ListedAlert {
  return {
    ...{ number: '123', plugin: 'Disk', metric: 'used', alertname: null, server: 'web-1' },
    ...{ severity: 'warning', state: 'closed', title: 'Disk full', url: 'https://monitor.example/a/1' },
    ...{ startedMs, closedMs: startedMs + 90_000, closedAfterMs: null },
    ...{ ackedMs: startedMs + 30_000, ackedBy: 'U1', isHidden: false, useful: 1, noise: 0 },
    ...over,
  }
}

const row = (over: Partial<ListedAlert>) => [...csvLines([listed(over)], 'Europe/Berlin')][1]

test('a header, one line an alert, times with their zone', () => {
  expect([...csvLines([listed()], 'Europe/Berlin')]).toEqual([
    'alert,rule,server,severity,state,title,opened,closed,open_seconds,acknowledged,acknowledged_by,hidden_by_mute,useful,noise,link\r\n',
    '123,Disk: used,web-1,warning,closed,Disk full,2026-11-21T04:00:00+01:00,2026-11-21T04:01:30+01:00,90,2026-11-21T04:00:30+01:00,U1,no,1,0,https://monitor.example/a/1\r\n',
  ])
})

test('what is not known is empty: an end, its time, who had it', () => {
  expect(row({ closedMs: null, ackedMs: null, ackedBy: null })).toContain('+01:00,,,,,no,')
  expect(row({ closedAfterMs: startedMs })).toContain('04:01:30+01:00,,2026')
})

test.each([
  ['a comma, "quotes"', '"a comma, ""quotes"""'],
  ['two\nlines', '"two\nlines"'],
  [' space', '" space"'],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@here', "'@here"],
  ['\t=1', "'\t=1"],
  ['  =1', "'  =1"],
  ['＝1', "'＝1"],
  ['größer', 'größer'],
])('%j is one cell of text', (title, expected) => {
  expect(row({ title })).toContain(`,closed,${expected},2026-`)
})

test('an offset of a zone is that of its time, to the second of a change', () => {
  const timeOf = isoIn('Europe/Berlin')
  const leapMs = Date.UTC(2026, 2, 29, 1, 0, 0)
  expect(timeOf(leapMs - 1_000)).toBe('2026-03-29T01:59:59+01:00')
  expect(timeOf(leapMs)).toBe('2026-03-29T03:00:00+02:00')
  expect(isoIn('America/St_Johns')(Date.UTC(2026, 0, 1))).toBe('2025-12-31T20:30:00-03:30')
})

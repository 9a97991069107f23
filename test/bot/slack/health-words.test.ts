/** What is wrong with the reading of alerts, in words: escaped, and beside the numbers that it makes doubtful. */
import { expect, test } from 'vitest'
import type { Health } from '../../../src/bot/domain/request/answer.ts'
import { doubtLines, troublesOf, troubleTitle } from '../../../src/bot/slack/render/text/health-words.ts'

const well: Health = {
  nowMs: 1_000,
  lastPollMs: 1_000,
  failing: null,
  coverage: { open: 'complete', past: 'complete' },
  slack: { ready: true, sinceMs: 0, sockets: 1 },
  troubles: [],
  unexpectedErrors: [],
}

test('that the monitoring doubts its own list is a trouble, with its words and no mention of theirs', () => {
  const told = { ...well, doubt: 'rules: <!channel> a ruler is away' }
  const words =
    'the monitoring says that what it lists may not be all: rules: &lt;!channel&gt; a ruler is away'
  expect(troublesOf(told)).toEqual([words])
  expect(troubleTitle(told)).toBe('Monitoring partly unreadable')
  expect(doubtLines(told)).toEqual([expect.stringContaining('may not be all')])
  for (const doubt of [null, undefined]) {
    expect(troublesOf({ ...well, ...(doubt === undefined ? {} : { doubt }) })).toEqual([])
  }
})

/** Times in what is sent: a clock time alone where the day is plain, the day as well where it is not. */
import { expect, test } from 'vitest'
import { agoTime, localTime, utcTime, withPlainDays } from '../../../src/bot/slack/mrkdwn.ts'

const postedMs = Date.UTC(2026, 10, 22, 3, 26)
const hourMs = 3_600_000

test.each([
  ['a moment before', -60_000, '{time}'],
  ['almost half a day before', -12 * hourMs + 1_000, '{time}'],
  ['in four hours, after midnight or not', 4 * hourMs, '{time}'],
  ['half a day before', -12 * hourMs, '{date_short_pretty} {time}'],
  ['half a day later', 12 * hourMs, '{date_short_pretty} {time}'],
  ['a week ago', -7 * 24 * hourMs, '{date_short_pretty} {time}'],
])('%s is written with its day only where a clock could mean two moments', (_, offMs, tokens) => {
  const ms = postedMs + offMs
  const text = `muted until ${localTime(ms)}`
  const shown = `muted until <!date^${ms / 1000}^${tokens}|${utcTime(ms)}>`
  const spoken = `muted until ${utcTime(ms)}`
  const message = { text: spoken, blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] }
  expect(withPlainDays(message, postedMs)).toEqual({
    text: tokens === '{time}' ? spoken.replace(/until \S+/, 'until') : spoken,
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: shown } }],
  })
})

test('a notification spent seventeen characters on a day that was plain; of others their day stays', () => {
  const ms = postedMs - 8 * 60_000
  const other = utcTime(postedMs - hourMs)
  const text = `web-1 CPU busy 97 % · since ${utcTime(ms)} · ${other}`
  const age = agoTime(ms, `since ${utcTime(ms)}`, 'opened ')
  const message = { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: age } }] }
  // The second is a name from outside: no block has it as a time.
  expect(withPlainDays(message, postedMs).text).toBe(`web-1 CPU busy 97 % · since 03:18 UTC · ${other}`)
})

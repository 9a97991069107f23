/** The card that says that no alerts can be read, and afterwards what was found. */
import { expect, test } from 'vitest'
import type { Blind, Found } from '../../src/domain/blind.ts'
import type { CardView } from '../../src/domain/card.ts'
import { render } from '../../src/slack/render/render.ts'
import { local, minuteMs, startedMs, words } from './card-views.ts'

const away = 'the monitoring API could not be reached (ECONNREFUSED)'
const seen = 'What is open may have changed, and new alerts are not seen.'
const untilMs = startedMs + 18 * minuteMs

function blind(over: Partial<Blind> = {}, found: Found | null = null): CardView {
  const blindness = {
    blindId: 'b1',
    sinceMs: startedMs,
    why: away,
    untilMs: null,
    times: 1,
    version: 1,
    ...over,
  }
  return { kind: 'blind', blind: blindness, found }
}

test.each([
  ['unreachable', {}, away, `${seen} monbot keeps trying by itself.`],
  [
    'the key was refused',
    { why: 'the API key was refused' },
    'the API key was refused',
    `${seen} Check \`MONITOR_API_KEY\`, and start monbot anew with the right one.`,
  ],
  ['again and again', { times: 3 }, away, `${seen} monbot keeps trying by itself. It began 3 times.`],
])('while it lasts: %s', (_, over, why, next) => {
  const card = blind(over)
  expect(words(card)).toEqual([`⚫ *Blind since ${local(startedMs)}: no alerts can be read* — ${why}`, next])
  expect(render(card).text).toBe(
    `⚫ Blind since 2026-11-21 03:00 UTC: no alerts can be read — ${why}. ${next}`,
  )
})

test.each([
  ['nothing', { opened: 0, stillOpen: 0, closed: 0 }, 'Nothing new was found.'],
  [
    'all sorts',
    { opened: 3, stillOpen: 2, closed: 5 },
    'Found since: 3 opened, 2 of them still open; 5 closed.',
  ],
  ['one', { opened: 1, stillOpen: 1, closed: 0 }, 'Found since: 1 opened, still open.'],
  ['all open', { opened: 3, stillOpen: 3, closed: 0 }, 'Found since: 3 opened, all still open.'],
  [
    'all over',
    { opened: 3, stillOpen: 0, closed: 3 },
    'Found since: 3 opened, none of them still open; 3 closed.',
  ],
  ['closings', { opened: 0, stillOpen: 0, closed: 2 }, 'Found since: 2 closed.'],
])('once it is over: %s', (_, found, line) => {
  const card = blind({ untilMs }, found)
  const span = `from ${local(startedMs)} to ${local(untilMs)} (18 min)`
  expect(words(card)).toEqual([`⚪ Could not read alerts ${span}. ${line}`])
  expect(render(card).text).toContain('from 2026-11-21 03:00 UTC to 2026-11-21 03:18 UTC (18 min)')
})

test('an API that came and went says how often', () => {
  expect(words(blind({ untilMs, times: 3 }))[0]).toContain('(18 min, 3 times)')
})

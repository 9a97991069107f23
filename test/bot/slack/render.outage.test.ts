/** What was not seen: the card of an outage, and afterwards what was found; what mutes hid, and what nobody took. */
import { expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { Found, Outage, ToldOutage } from '../../../src/bot/domain/outage/outage.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { aMute, anEntry } from '../../support/acting-rows.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { local, minuteMs, startedMs, words } from './card-views.ts'

const away = 'the monitoring API could not be reached (ECONNREFUSED)'
const seen = 'What is open may have changed.'
const untilMs = startedMs + 18 * minuteMs

const none = { opened: 0, stillOpen: 0, closed: 0 }

function anOutage(over: Partial<Outage> = {}, found: Found | null = null): ToldOutage {
  const since = { cardOf: 'b1', cardSinceMs: startedMs, sinceMs: startedMs }
  return {
    outage: { outageId: 'b1', ...since, why: away, untilMs: null, sureMs: null, version: 1, ...over },
    found,
  }
}

const cardOf = (...outages: readonly ToldOutage[]): CardView => ({ kind: 'outage', outages })
const span = `18 min (${local(startedMs)} – ${local(untilMs)})`

test.each([
  ['unreachable', away, "down since %: new alerts won't appear", `${seen} Retrying.`],
  [
    'the key was refused',
    'the API key was refused',
    "down since %: new alerts won't appear",
    `${seen} Check \`MONITOR_API_KEY\`, and restart monbot with the right one.`,
  ],
  [
    'most of what comes cannot be read',
    '4 of 5 open alerts cannot be read: their records have no usable id',
    'unreadable since %: new alerts may not appear',
    `${seen} Retrying.`,
  ],
])('while it lasts: %s', (_, why, what, next) => {
  const card = cardOf(anOutage({ why }))
  const since = (at: string) => what.replace('%', at)
  expect(words(card)).toEqual([`⚫ *Monitoring ${since(local(startedMs))}* — ${why}`, next])
  expect(render(card).text).toBe(`⚫ Monitoring ${since('2026-11-21 03:00 UTC')} — ${why}. ${next}`)
})

test.each<[string, Found, string]>([
  ['nothing', none, 'caught up, nothing missed'],
  ['all sorts', { opened: 3, stillOpen: 2, closed: 5 }, 'caught up: 3 opened, 2 still open; 5 closed'],
  ['one', { opened: 1, stillOpen: 1, closed: 0 }, 'caught up: 1 opened, still open'],
  ['all open', { opened: 3, stillOpen: 3, closed: 0 }, 'caught up: 3 opened, all still open'],
  ['all over', { opened: 3, stillOpen: 0, closed: 3 }, 'caught up: 3 opened, none still open; 3 closed'],
  ['closings', { opened: 0, stillOpen: 0, closed: 2 }, 'caught up: 2 closed'],
])('once it is over and all of it is known: %s', (_, found, line) => {
  const card = cardOf(anOutage({ untilMs, sureMs: untilMs + 1 }, found))
  expect(words(card)).toEqual([`⚪ Monitoring back after ${span} · ${line}`])
  expect(render(card).text).toContain('after 18 min (2026-11-21 03:00 UTC – 2026-11-21 03:18 UTC)')
})

test('an outage within one minute names that minute once', () => {
  const card = cardOf(anOutage({ untilMs: startedMs + 23_000, sureMs: startedMs + 24_000 }, none))
  expect(words(card)).toEqual([
    `⚪ Monitoring back after 23 s (${local(startedMs)}) · caught up, nothing missed`,
  ])
})

test('that nothing was missed is not said before it is known', () => {
  const after = (found: Found) => words(cardOf(anOutage({ untilMs }, found)))
  expect(after(none)).toEqual([`⚪ Monitoring back after ${span} · still catching up`])
  expect(after({ ...none, closed: 1 })).toEqual([`⚪ Monitoring back after ${span} · 1 closed so far`])
})

test('an API that came and went has a line for each time, and one that is away again has those before below', () => {
  const later = {
    sinceMs: untilMs + minuteMs,
    untilMs: untilMs + 3 * minuteMs,
    sureMs: untilMs + 4 * minuteMs,
  }
  const first = anOutage({ untilMs, sureMs: later.sureMs }, none)
  const second = anOutage(later, { opened: 1, stillOpen: 1, closed: 0 })
  const lines = [
    `• ${span} · caught up, nothing missed`,
    `• 2 min (${local(later.sinceMs)} – ${local(later.untilMs)}) · caught up: 1 opened, still open`,
  ]
  expect(words(cardOf(first, second))).toEqual([['⚪ Monitoring back · 2 outages:', ...lines].join('\n')])
  const third = anOutage({ sinceMs: later.untilMs + minuteMs })
  expect(words(cardOf(first, second, third))).toEqual([
    `⚫ *Monitoring down since ${local(later.untilMs + minuteMs)}: new alerts won't appear* — ${away}`,
    `${seen} Retrying.`,
    ['Before that, 2 outages:', ...lines].join('\n'),
  ])
})

test('of dozens of outages the latest eight have a line, and the others one together', () => {
  const many = Array.from({ length: 40 }, () =>
    anOutage({ untilMs, sureMs: untilMs }, { opened: 2, stillOpen: 1, closed: 1 }),
  )
  const [card = '', ...more] = words(cardOf(...many))
  expect(more).toEqual([])
  expect(card.split('\n')).toHaveLength(10)
  expect(card).toContain(
    '• 32 earlier ones, 9 h 36 min in all · caught up: 64 opened, 32 still open; 32 closed\n',
  )
})

const text = (view: CardView) => JSON.stringify(render(view).blocks)

test('the API that does not let a mute end was told of as an end of it', () => {
  const entry = anEntry('a1', {
    userId: null,
    via: 'monbot',
    act: 'end_mute',
    outcome: 'failed',
    why: 'rejected',
    detail: { answer: 'Server <locked>' },
  })
  expect(render({ kind: 'notice', topic: 'change_notice', entry }).text).toBe(
    '⚠️ web-1 may still be muted; retrying (Server &lt;locked&gt;). What is open there is shown from now on.',
  )
})

test('what happened once under a mute was counted as closed, and not named', () => {
  const mute = aMute('m1', { state: 'ended' })
  const oneoffs = [anAlert('9', { state: 'oneoff', startedMs: mute.startedMs + 1 })]
  const ended: CardView = { kind: 'mute_ended', mute, open: [], hidden: 1, closed: 0, oneoffs }
  expect(text(ended)).toContain('Happened once while it was muted:')
  expect(text(ended)).toContain('#9')
  expect(text(ended)).toContain('1 alert came while it was muted ·')
  expect(text({ ...ended, hidden: 3, closed: 2 })).toContain(
    '3 alerts came while it was muted, 2 of them have closed',
  )
})

test('a reminder of a summary counts those that nobody took, and calls nobody once there are none', () => {
  const [first, ...rest] = ['1', '2', '3'].map((alertId) => anAlert(alertId))
  if (first === undefined) throw new Error('there are three')
  const acked = { ...first, ackedBy: 'U1' }
  const view: CardView = {
    kind: 'notice',
    topic: 'unacknowledged',
    stamp: { cardId: 'reminder:summary:1', version: 1 },
    alerts: [acked, ...rest],
    isOfList: true,
    mention: '<!here>',
    above: null,
  }
  expect(text(view)).toContain('2 alerts still unacknowledged.* · <!here>')
  expect(text(view)).toContain('/mon ack')
  const closed = rest.map((alert) => ({ ...alert, state: 'closed' as const }))
  const over: CardView = { ...view, alerts: [acked, ...closed] }
  expect(text(over)).toContain('All 3 alerts are acknowledged or over')
  expect(text(over)).not.toContain('<!here>')
})

/** Reminders: whom they call while nobody has the alert, and what they say once they are out of date. */
import { describe, expect, test } from 'vitest'
import type { CardView, NoticeView } from '../../../src/bot/domain/card/kinds.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { local, minuteMs, startedMs, words } from './card-views.ts'

type Over = Parameters<typeof anAlert>[1]

const stamp = { cardId: 'reminder:1:C1', version: 1 }
const hourMs = 60 * minuteMs
const web1 = (over: Over = {}) => anAlert('1', { startedMs, ...over })

describe('a reminder', () => {
  const reminder = (over: Over, more: Partial<NoticeView<'unacknowledged'>> = {}): CardView => ({
    kind: 'notice',
    topic: 'unacknowledged',
    stamp,
    alerts: [web1(over)],
    isOfList: false,
    mention: '<!subteam^S123>',
    above: null,
    ...more,
  })

  test('calls who is on duty, says what it is about, and can be acted on where it stands', () => {
    const card = reminder({})
    const [recent, subject, pressable] = words(card)
    expect(recent).toBe(`⏰ *Still unacknowledged.* Open since ${local(startedMs)} · <!subteam^S123>`)
    expect(subject).toContain('web-1')
    expect(subject).toContain('#1')
    expect(pressable).toBe('[Acknowledge] [Mute… ▾]')
    expect(render(card).text).toMatch(/^⏰ Still unacknowledged: 🔴 .*web-1.*<!subteam\^S123>/)
  })

  test('of an alert that was handed back said that nobody had ever acknowledged it', () => {
    const back = { ackedBefore: 'U1' }
    expect(words(reminder(back))[0]).toBe(
      `⏰ *Nobody is on this alert any more.* Open since ${local(startedMs)} · previously <@U1> · <!subteam^S123>`,
    )
    expect(render(reminder(back)).text).toMatch(/^⏰ Nobody is on it any more: /)
    expect(words(reminder(back, { isOfList: true }))[0]).toMatch(/^⏰ \*Nobody is on 1 alert any more\.\*/)
  })

  test('in another channel says where its card is', () => {
    const above = { channel: 'C0ALERTS', ts: '1.1' }
    const link = 'https://acme.slack.com/archives/C0ALERTS/p11'
    expect(words(reminder({}, { above: { ...above, link } }))[1]).toMatch(
      /· <https:\/\/acme\.slack\.com\/archives\/C0ALERTS\/p11\|its card> in <#C0ALERTS>$/,
    )
    expect(words(reminder({}, { above }))[1]).toMatch(/ · in <#C0ALERTS>$/)
  })

  test.each<[Over, RegExp]>([
    [
      { ackedBy: 'U1', ackedMs: startedMs + 18 * minuteMs },
      /^👀 <@U1> has this alert, since 18 min after it opened$/,
    ],
    [{ ackedBy: 'U2', ackedMs: startedMs + 180 * minuteMs, ackedBefore: 'U1' }, /^👀 <@U2> has this alert$/],
    [{ state: 'closed', closedMs: startedMs + 20 * minuteMs }, /^🟢 .*web-1.* closed after 20 min/],
  ])('that is out of date says what happened, calls nobody and has nothing to press', (over, line) => {
    expect(words(reminder(over))).toEqual([expect.stringMatching(line)])
    expect(render(reminder(over)).text).not.toContain('<!subteam')
  })
})

describe('an alert that came back', () => {
  const again = (over: Over): CardView => ({
    kind: 'notice',
    topic: 'flap_reminder',
    stamp: { cardId: 'again:1:C1', version: 1 },
    alerts: [web1({ ackedBefore: 'U2', ...over })],
    mention: '<!here>',
    flaps: { times: 4, sinceMs: startedMs - 12 * minuteMs },
  })

  test('is told with how often it flapped, whose it was, and buttons', () => {
    const [recent, facts, pressable] = words(again({}))
    expect(recent).toMatch(/^🔁 \*Open again, and nobody is on it:\* 🔴 .*web-1.* · <!here>$/)
    expect(facts).toBe(`Open again since ${local(startedMs)} · reopened 3 times in 12 min · previously <@U2>`)
    expect(pressable).toBe('[Acknowledge] [Mute… ▾]')
  })

  test.each<[Over, RegExp]>([
    [{ ackedBy: 'U1', ackedMs: startedMs + minuteMs }, /^👀 <@U1> has this alert$/],
    [{ state: 'closed', closedMs: startedMs + 20 * minuteMs }, /^🟢/],
  ])('says so when it is out of date', (over, line) => {
    expect(words(again(over))).toEqual([expect.stringMatching(line)])
  })
})

describe('an acknowledgement of long ago', () => {
  const held = { ackedBy: 'U1', ackedMs: startedMs }
  const forgotten = (...overs: Over[]): CardView => ({
    kind: 'notice',
    topic: 'stale_ack',
    stamp: { cardId: 'forgotten:1:C1', version: 1 },
    alerts: overs.map((over, n) => anAlert(String(n + 1), { startedMs, ...held, ...over })),
    owner: 'U1',
    mention: null,
    askedMs: startedMs + 4 * hourMs,
  })

  test('is asked about, with what its owner and others can do', () => {
    const [question, pressable] = words(forgotten({}))
    expect(question).toMatch(
      /^👀 <@U1>, you have had this alert since .*, and it is still open\. Still on it\?\n🔴 .*web-1/,
    )
    expect(pressable).toBe('[Still on it] [Hand back] [Take over]')
    expect(words(forgotten({}, {}))[0]).toMatch(
      /^👀 <@U1>, you have had 2 alerts since .*they are still open/,
    )
  })

  test.each<[Over, RegExp]>([
    [{ ownershipConfirmedMs: startedMs + 5 * hourMs }, /^👀 <@U1> is still on it$/],
    [{ ackedBy: 'U2', ackedMs: startedMs + 5 * hourMs }, /^👀 <@U2> took it over from <@U1>$/],
    [
      { ackedBy: null, ackedMs: null, ownershipConfirmedMs: startedMs + 5 * hourMs },
      /^↩️ <@U1> had it; nobody is on it now$/,
    ],
    [{ state: 'closed', closedMs: startedMs + 5 * hourMs }, /^🟢/],
  ])('says what was answered', (over, line) => {
    expect(words(forgotten(over))).toEqual([expect.stringMatching(line)])
  })
})

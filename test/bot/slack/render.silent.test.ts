/** What is told where a server's own mute and the account's overlap: each test is named for what was untrue. */
import { describe, expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import type { AuditEntry } from '../../../src/bot/domain/request/audit.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aMute, anEntry, local, minuteMs, startedMs, words } from './card-views.ts'

const untilMs = startedMs + 60 * minuteMs
const laterMs = startedMs + 90 * minuteMs
const silenced = { accountMuted: { untilMs: laterMs } } as const
const silent = `stays silent, as the whole account is muted until ${local(laterMs)}`
const open = [anAlert('7'), anAlert('3')]
const none = { open: [], hidden: 0, closed: 0, oneoffs: [] } as const

const handback = (over: Partial<Mute>, more: object): CardView => ({
  kind: 'mute_expiring',
  stamp: { cardId: `handback:m1:${untilMs}`, version: 1 },
  mute: aMute({ reason: '', ...over }),
  ...none,
  picture: null,
  ...more,
})

test('a hand-back of the account called open alerts of servers with a mute of their own closed again', () => {
  const of = (more: object) => words(handback({ subject: null }, { hidden: 2, ...more }))
  expect(of({ stillMuted: 2 }).slice(0, 2)).toEqual([
    `⏰ <@U2>, your mute of the whole account ends ${local(untilMs)}.\nNo open alerts except 2 on individually muted servers, which stay muted.`,
    `2 alerts came since it began · muted since ${local(startedMs)}`,
  ])
  expect(of({ open, stillMuted: 1 })[0]).toMatch(
    /\nOpen now:\n.*\n.*\nAnd 1 on individually muted servers, which stay muted\.$/,
  )
})

describe('a server was told to be heard again while the whole account was muted', () => {
  const many = { hostname: null, detail: { ...silenced, names: ['web-1', 'web-2'] } }
  test.each<[Partial<AuditEntry>, string]>([
    [{ act: 'unmute_server', detail: silenced }, `🔔 <@U1> unmuted *web-1*: it ${silent}`],
    [
      { act: 'unmute_server', detail: { accountMuted: { untilMs: null } } },
      '🔔 <@U1> unmuted *web-1*: it stays silent, as the whole account is muted',
    ],
    [
      { act: 'unmute_server', ...many },
      `🔔 <@U1> unmuted *2 servers* (web-1, web-2): they ${silent.replace('stays', 'stay')}`,
    ],
    [{ act: 'undo_mute', detail: silenced }, `🔔 <@U1> undid the mute of *web-1*: it ${silent}`],
    [
      { act: 'undo_mute', ...many },
      `🔔 <@U1> undid the mutes of *2 servers* (web-1, web-2): they ${silent.replace('stays', 'stay')}`,
    ],
    [
      { act: 'end_mute', userId: null, ...many },
      `🔔 The mutes of *2 servers* (web-1, web-2) have ended: they ${silent.replace('stays', 'stay')}`,
    ],
  ])('in one line: %j', (over, line) => {
    expect(words({ kind: 'notice', topic: 'change_notice', entry: anEntry(over) })).toEqual([line])
  })

  test.each<[Partial<Mute>, string]>([
    [{ endedBy: 'deadline' }, `The mute of *web-1* has ended: it ${silent}.`],
    [{ endedBy: 'healthy' }, `The mute of *web-1* has ended: nothing was open for 15 min; it ${silent}.`],
    [{ endedBy: 'person', endedByUserId: 'U3' }, `<@U3> unmuted *web-1*: it ${silent}.`],
    [{ endedBy: 'undo', endedByUserId: 'U3' }, `<@U3> undid the mute of *web-1*: it ${silent}.`],
  ])('by the end of its mute: %j', (over, line) => {
    const mute = aMute({ state: 'ended', ...over })
    expect(words({ kind: 'mute_ended', mute, ...silenced, ...none })[0]).toBe(`🔔 ${line}\nNo open alerts.`)
  })

  test.each<[Partial<Mute>, string]>([
    [{ state: 'ended', confirmation: 'waiting' }, `🔔 The mute of *web-1* is ending: it ${silent}.`],
    [{ state: 'ended', endedBy: 'deadline' }, `🔔 The mute of *web-1* has ended: it ${silent}.`],
    [{ state: 'ended', endedByUserId: 'U3' }, `🔔 <@U3> ended the mute of *web-1*: it ${silent}.`],
  ])('by what became of a hand-back: %j', (over, line) => {
    expect(words(handback(over, silenced))).toEqual([line])
  })
})

/** Lines that people type, and what each must do: it means something, or changes nothing and offers the whole command. */
import { describe, expect, test } from 'vitest'
import { type Ask, Refusal } from '../../../src/bot/acts/action.ts'
import { type MuteWish, readMute, readUnmute } from '../../../src/bot/acts/grammar/mute-words.ts'
import { alertMeant, plainWords, type Target } from '../../../src/bot/acts/grammar/targets.ts'
import type { When } from '../../../src/bot/acts/grammar/time.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import { duration, headlineWords } from '../../../src/bot/view/words.ts'
import { World } from '../../../src/bot/world/world.ts'
import { alertOf, policyOf, postOf } from '../worlds/builders.ts'

/** A Saturday, 14:10 in Berlin. */
const nowMs = Date.UTC(2026, 10, 28, 13, 10)

type Row = readonly [typed: string, means: string]

table('how long', 'mute web-2 ', [
  ['', 'web-2'],
  ['1h', '1 h'],
  ['90m', '1 h 30 min'],
  ['1h30', '1 h 30 min'],
  ['1h30m', '1 h 30 min'],
  ['1h 30m', '1 h 30 min'],
  ['1 hr', '1 h'],
  ['2 hours', '2 h'],
  ['30 min', '30 min'],
  ['1.5h', '1 h 30 min'],
  ['for 1h', '1 h'],
  ['90s', '1 min'],
  ['2d', '2 days'],
  ['1w moving', '7 days · moving'],
  ['400d', '366 days'],
  ['2h deploying', '2 h · deploying'],
  ['30 min the new disk', '30 min · the new disk'],
  ['2 hours: ana’s deploy', "2 h · ana's deploy"],
  ['2h — 3 disks', '2 h · 3 disks'],
  ['2h, then we look again', '2 h · then we look again'],
  ['for 2h because of the deploy', '2 h · because of the deploy'],
])

table('nearly how long', 'mute web-2 ', [
  ['30', "I don't understand `30`. → 30m"],
  ['2', "I don't understand `2`. → 2m | 2h"],
  ['for 30', "I don't understand `for 30`. → 30m"],
  ['30mn', "I don't understand `30mn`. → 30m"],
  ['1,5h', "I don't understand `1,5h`. → 1.5h"],
  ['1h 30', 'Minutes need a unit. → 1h30m'],
  ['–1h', "I don't understand `-1h`. → 1h"],
  ['0m', 'It takes at least a minute. → 1m'],
  ['30s x', 'It takes at least a minute. → 1m x'],
  ['1M', "I don't understand `1M`. → 1m"],
  ['for ever', "I don't understand `for ever`. → until ended"],
  ['forever broken', "I don't understand `forever broken`. → until ended broken"],
  ['for', "I don't understand `for`."],
  ['indefinitely', "I don't understand `indefinitely`. → until ended"],
  ['half an hour', "I don't understand `half an hour`. → 30m"],
  ['an hour x', "I don't understand `an hour x`. → 1 hour x"],
  ['2 months', 'I don\'t understand `2`. → 60d | 1h "2 months"'],
  ['0', "I don't understand `0`."],
  ['disk at 95%', 'disk at 95%'],
  ['5xx errors', 'I don\'t understand `5xx`. → 1h "5xx errors"'],
  [
    '3 disks replaced',
    'I don\'t understand `3`. → 3m disks replaced | 3h disks replaced | 1h "3 disks replaced"',
  ],
])

table('until when', 'mute web-2 ', [
  ['until 15:00', 'until Sat 28, 15:00'],
  ['until 9:05', 'until Sun 29, 09:05'],
  ['until 15:00 backup', 'until Sat 28, 15:00 · backup'],
  ['Until 15:00, backup', 'until Sat 28, 15:00 · backup'],
  ['until today 18:00', 'until Sat 28, 18:00'],
  ['until tomorrow 9:00', 'until Sun 29, 09:00'],
  ['until monday 9:00', 'until Mon 30, 09:00'],
  ['until mon 09:00 handover', 'until Mon 30, 09:00 · handover'],
  ['until 2026-12-01 22:00', 'until Tue 1, 22:00'],
  ['until 24:00', 'until Sun 29, 00:00'],
  ['until fine', 'until fine'],
  ['until fine new kernel', 'until fine · new kernel'],
  ['until ended', 'until ended'],
])

table('nearly until when', 'mute web-2 ', [
  ['until 6', 'I take 24 hours. → until 06:00 | until 18:00'],
  ['until 13', 'I take 24 hours. → until 13:00'],
  ['until 6pm', 'I take 24 hours. → until 18:00'],
  ['until 3:30 pm', 'I take 24 hours. → until 15:30'],
  ['until 1530', "I don't understand `until 1530`. → until 15:30"],
  ['until 15.30', "I don't understand `until 15.30`. → until 15:30"],
  ['until 14:00', '14:00 has just passed. → until tomorrow 14:00'],
  ['until 14:10', '14:10 has just passed. → until tomorrow 14:10'],
  ['until today 9:00', 'today 9:00 has passed. → until tomorrow 9:00'],
  ['until sat 9:00', 'sat 9:00 has passed. → until 2026-12-05 9:00'],
  ['until 2026-11-01 9:00', '2026-11-01 9:00 has passed.'],
  ['until 25:00', "I don't understand `until 25:00`."],
  ['until 15:00 tomorrow', 'The day goes before the time. → until tomorrow 15:00'],
  ['until tomorrow', 'Until what time? → until tomorrow 09:00 | until tomorrow 18:00'],
  ['until monday', 'Until what time? → until monday 09:00 | until monday 18:00'],
  ['until mondey', "I don't understand `until mondey`. → until monday 09:00"],
  ['until 2h', "I don't understand `until 2h`. → 2h"],
  ['untill fine', "I don't understand `untill fine`. → until fine"],
  ['till 15:00', "I don't understand `till 15:00`. → until 15:00"],
  ['til fine', "I don't understand `til fine`. → until fine"],
  ['until healthy', "I don't understand `until healthy`. → until fine"],
  ["until it's ok", "I don't understand `until it's ok`. → until fine"],
  ['until unmuted', "I don't understand `until unmuted`. → until ended"],
  ['until closed', "I don't understand `until closed`. → until fine | until ended"],
  ['until further notice', "I don't understand `until further notice`. → until ended"],
  ['until', "I don't understand `until`."],
  ['until 15:00 utc', 'Times are in your own time zone, Europe/Berlin.'],
  ['until finee', "I don't understand `until finee`. → until fine"],
])

table('later', 'mute web-2 ', [
  ['from 22:00 to 02:00', 'Sat 28, 22:00 – Sun 29, 02:00'],
  ['from 22:00-02:00', 'Sat 28, 22:00 – Sun 29, 02:00'],
  ['from 22:00 – 02:00 patching', 'Sat 28, 22:00 – Sun 29, 02:00 · patching'],
  ['from 22:00 until 02:00', 'Sat 28, 22:00 – Sun 29, 02:00'],
  ['from tomorrow 22:00 for 2h', 'Sun 29, 22:00 – Mon 30, 00:00'],
  ['from sat 22:00 to mon 06:00 the move', 'Sat 28, 22:00 – Mon 30, 06:00 · the move'],
  ['from 2026-12-01 22:00 for 2h', 'Tue 1, 22:00 – Wed 2, 00:00'],
  ['from 9:00 for 8h', 'Sun 29, 09:00 – Sun 29, 17:00'],
  ['every day 02:00-04:00', 'on days 0123456, first Sun 29, 02:00 – Sun 29, 04:00'],
  ['every weekday 22:00-02:00 backup', 'on days 12345, first Mon 30, 22:00 – Tue 1, 02:00 · backup'],
  ['every mon,tue 02:00-04:00', 'on days 12, first Mon 30, 02:00 – Mon 30, 04:00'],
  ['every tuesday and thursday 02:00 to 04:00', 'on days 24, first Tue 1, 02:00 – Tue 1, 04:00'],
  ['every sun 22:00 for 1h', 'on days 0, first Sun 29, 22:00 – Sun 29, 23:00'],
])

table('nearly later: nothing begins now', 'mute web-2 ', [
  ['22:00-02:00', "I don't understand `22:00-02:00`. → from 22:00-02:00"],
  ['22:00 for 2h', "I don't understand `22:00 for 2h`. → from 22:00 for 2h"],
  ['22:00', "I don't understand `22:00`. → until 22:00 | from 22:00 for 1h"],
  ['from 22:00', 'Until when? → from 22:00 for 1h | from 22:00 for 2h'],
  ['from 22:00 2h', "I don't understand `from 22:00 2h`. → from 22:00 for 2h"],
  ['from now for 2h', "I don't understand `from now for`. → 2h"],
  ['from today 9:00 for 2h', 'today 9:00 has passed.'],
  ['from monday', "I don't understand `from monday`."],
  ['from 22', "I don't understand `from 22`."],
  ['at 22:00 for 2h', "I don't understand `at 22:00 for`. → from 22:00 for 2h"],
  ['on monday 22:00 for 2h', "I don't understand `on monday 22:00`. → from monday 22:00 for 2h"],
  ['tomorrow 22:00 for 2h', "I don't understand `tomorrow 22:00 for`. → from tomorrow 22:00 for 2h"],
  ['monday 9:00 for 2h', "I don't understand `monday 9:00 for`. → from monday 9:00 for 2h"],
  ['tomorrow', 'I don\'t understand `tomorrow`. → 1h "tomorrow"'],
  ['mon-fri 02:00-04:00', "I don't understand `mon-fri 02:00-04:00`. → every mon-fri 02:00-04:00"],
  ['when the deploy starts', 'I don\'t understand `when the deploy`. → 1h "when the deploy starts"'],
  ['nightly', 'I don\'t understand `nightly`. → 1h "nightly"'],
  ['at night it is slow', 'I don\'t understand `at night it`. → 1h "at night it is slow"'],
  ['over the weekend', 'I don\'t understand `over the weekend`. → 1h "over the weekend"'],
  ['in ten minutes', 'I don\'t understand `in ten minutes`. → 1h "in ten minutes"'],
  ['on the 3rd', 'I don\'t understand `on the 3rd`. → 1h "on the 3rd"'],
  ['later', 'I don\'t understand `later`. → 1h "later"'],
  ['deploy tomorrow', 'I don\'t understand `deploy tomorrow`. → 1h "deploy tomorrow"'],
  ['this weekend', 'I don\'t understand `this weekend`. → 1h "this weekend"'],
  ['till tomorrow', 'Until what time? → until tomorrow 09:00 | until tomorrow 18:00'],
  ['between 22:00 and 23:00', "I don't understand `between 22:00 and`. → from 22:00 to 23:00"],
  ['monday', 'I don\'t understand `monday`. → 1h "monday"'],
  ['tonight', 'I don\'t understand `tonight`. → 1h "tonight"'],
  ['in 2h', 'I don\'t understand `in 2h`. → 1h "in 2h"'],
  ['next week', 'I don\'t understand `next week`. → 1h "next week"'],
  ['each day 02:00-04:00', "I don't understand `each day 02:00-04:00`. → every day 02:00-04:00"],
  ['daily 02:00-04:00', "I don't understand `daily 02:00-04:00`. → every day 02:00-04:00"],
  [
    'every weekend 02:00-04:00',
    "I don't understand `every weekend 02:00-04:00`. → every sat,sun 02:00-04:00",
  ],
  ['every 1st sun 02:00-04:00', 'I don\'t understand `every 1st sun`. → 1h "every 1st sun 02:00-04:00"'],
  ['every night', 'I don\'t understand `every night`. → 1h "every night"'],
  ['2h from 22:00', 'There is a second time, `from 22:00`. → from 22:00 for 2h | 2h "from 22:00"'],
  ['2h tomorrow', 'There is a second time, `tomorrow`. → 2h "tomorrow"'],
  ['1h 10pm-11pm', 'There is a second time, `10pm-11pm`. → 1h "10pm-11pm"'],
  ['2h starting in an hour', 'There is a second time, `starting in`. → 2h "starting in an hour"'],
  ['2h after deploy', 'There is a second time, `after deploy`. → 2h "after deploy"'],
  ['2h from now', 'There is a second time, `from now`. → 2h "from now"'],
  ['1h at 10pm', 'There is a second time, `at 10pm`. → 1h "at 10pm"'],
  ['1h deploy at 22', 'There is a second time, `deploy at`. → 1h "deploy at 22"'],
  ['1h deploy starts 22h', 'There is a second time, `deploy starts`. → 1h "deploy starts 22h"'],
  ['1h between 22 and 23', 'There is a second time, `between 22`. → 1h "between 22 and 23"'],
  ['1h load at 3.5', '1 h · load at 3.5'],
  ['2h every day', 'There is a second time, `every day`. → 2h "every day"'],
  [
    '2h 22:10 incident',
    'There is a second time, `22:10`. → from 22:10 for 2h incident | 2h "22:10 incident"',
  ],
  ['1h 2h', 'There is a second time, `2h`. → 1h "2h"'],
  ['30m 2h', 'There is a second time, `2h`. → 30m "2h"'],
  ['until 18:00 2h', 'There is a second time, `2h`. → until 18:00 "2h"'],
  ['2h 3 disks at 22:00', 'There is a second time, `at 22:00`. → 2h "3 disks at 22:00"'],
  ['2h deploy 22:00', 'There is a second time, `deploy 22:00`. → 2h "deploy 22:00"'],
  ['2h deploy tomorrow', 'There is a second time, `deploy tomorrow`. → 2h "deploy tomorrow"'],
  ['2h "3 disks at 22:00"', '2 h · 3 disks at 22:00'],
  ['2h until 18:00', 'There is a second time, `until 18:00`. → 2h "until 18:00"'],
  [
    'from 22:00 for 2h every day',
    'There is a second time, `every day`. → every day 22:00 for 2h | from 22:00 for 2h "every day"',
  ],
  ['every tue 02:00-04:00 and thu', 'There is a second time, `and thu`. → every tue 02:00-04:00 "and thu"'],
  [
    'every tue 02:00-04:00 for 3 weeks',
    'There is a second time, `for 3`. → every tue 02:00-04:00 "for 3 weeks"',
  ],
])

table('reasons', 'mute web-2 ', [
  ['deploying', 'deploying'],
  ['on it', 'on it'],
  ['from the vendor', 'from the vendor'],
  ['weekly backup', 'weekly backup'],
  ['in a bad state', 'in a bad state'],
  ['"every host is slow"', 'every host is slow'],
  ['2h every 5 minutes a 502', '2 h · every 5 minutes a 502'],
  ['2h from 3 vendors', '2 h · from 3 vendors'],
  ['2h next release', '2 h · next release'],
  ['2h web-1 is next', '2 h · web-1 is next'],
  ['every host is slow', 'I don\'t understand `every host is`. → 1h "every host is slow"'],
  ['next release', 'I don\'t understand `next release`. → 1h "next release"'],
  ['deploy 2h', 'The time goes before the reason. → 2h deploy | 1h deploy 2h'],
  ['deploying for 2h', 'The time goes before the reason. → for 2h deploying | 1h deploying for 2h'],
  [
    'deploying until 15:00',
    'The time goes before the reason. → until 15:00 deploying | 1h deploying until 15:00',
  ],
  [
    'deploy at 22:00 for 1h',
    'The time goes before the reason. → from 22:00 for 1h deploy | 1h deploy at 22:00 for 1h',
  ],
])

table('servers', '', [
  ['mute host web-2 1h', 'web-2 · 1 h'],
  ['mute WEB-2 1h', 'web-2 · 1 h'],
  ['mute shop 1h', 'shop-1.internal · 1 h'],
  ['mute “web-2” 1h', 'web-2 · 1 h'],
  ['mute *web-2* 1h', 'web-2 · 1 h'],
  ['mute <http://web-2.co|web-2.co> 1h', 'web-2.co · 1 h'],
  ['mute web-1,web-2 1h', 'web-1+web-2 · 1 h'],
  ['mute web-1, web-2 1h', 'web-1+web-2 · 1 h'],
  ['mute web-1 , web-2,web-3', 'web-1+web-2+web-3'],
  ['mute web-* 1h', 'web-1+web-2+web-3 · 1 h'],
  ['mute web-1,db-* 1h', 'web-1+db-1+db-2 · 1 h'],
  ['mute host account 2h', 'account · 2 h'],
  ['mute host web-1, web-2 2h', 'web-1+web-2 · 2 h'],
  ['mute new-server-7 1h', 'new-server-7 · 1 h'],
  ['mute 10.0.0.1 1h', '10.0.0.1 · 1 h'],
  ['mute next-1 1h', 'next-1 · 1 h'],
  ['mute /mon', "`/mon` can't be a server's name."],
])

table('nearly servers', '', [
  ['mute web2 1h', 'No server web2. → mute web-2 1h | mute "web2" 1h'],
  [
    'mute wbe-1 2h deploying',
    'No server wbe-1. → mute web-1 2h deploying | mute db-1 2h deploying | mute "wbe-1" 2h deploying',
  ],
  ['mute "web2" 1h', 'web2 · 1 h'],
  ['mute web-9 1h', 'web-9 · 1 h'],
  ['mute CPU busy on web-2', 'No server CPU. → mute #8398 | mute web-2'],
  ['mute Memory used on web-2 1h', 'No server Memory. → mute host Memory 1h used on web-2 1h'],
  ['mute web-1 web-2', 'Put commas between servers. → mute web-1,web-2 | mute web-1 1h web-2'],
  [
    'mute web-1 and web-2 1h',
    'Put commas between servers. → mute web-1,web-2 1h | mute web-1 1h and web-2 1h',
  ],
  ['mute web-1,nope 1h', 'No server nope.'],
  ['mute nope-* 1h', 'No server matches `nope-*`.'],
  ['mute the account', 'Leave out `the`. → mute account'],
  ['mute server web-2 1h', 'Leave out `server`. → mute web-2 1h'],
  ['mute web-9,web-1 1h', 'No server web-9.'],
  ['mute', 'Name what to mute first:'],
  ['mute 1h', 'Name what to mute first:'],
  ['mute 1h web-2', 'Name what to mute first: → mute web-2 1h'],
  ['mute for 1h', 'Name what to mute first:'],
  ['mute .. 1h', "`..` can't be a server's name."],
])

table('alerts, labels, the account', '', [
  ['mute #8398 1h', 'cpu busy on web-2 · 1 h'],
  ['mute #98 1h', 'cpu busy on web-2 · 1 h'],
  ['mute 8398 1h', 'Alerts are written with `#`. → mute #8398 1h'],
  ['mute #7700 1h', 'No open alert `#7700`.'],
  ['mute #4 1h', 'cpu busy on web-1 · 1 h'],
  ['mute account 1h network work', 'everything · 1 h · network work'],
  ['mute account until 15:00 network work', 'everything · until Sat 28, 15:00 · network work'],
  ['mute acount 1h network', 'No server acount. → mute account 1h network'],
  ['mute * 1h', 'Everything is the account. → mute account 1h'],
  ['mute all', 'Everything is the account. → mute account'],
  ['mute all but web-1 1h', "I can't leave servers out."],
  ['mute web-* except web-1 1h', "I can't leave servers out."],
  ['mute web-2 off', 'Mute it, or unmute it? → mute web-2 1h | unmute web-2'],
  ['mute "" 1h', "That can't be a server's name."],
  ['mute #8398,#2874 1h', 'Name one alert at a time. → mute #8398 1h | mute #2874 1h'],
  ['mute web-2, 2h', 'web-2 · 2 h'],
  ['mute namespace=pay-* 2h', 'Labels can be muted only in front of an Alertmanager.'],
  ['mute namespace=pay 1h', 'Labels can be muted only in front of an Alertmanager.'],
])

table('unmute', '', [
  ['unmute web-2', 'web-2'],
  ['unmute host web-2', 'web-2'],
  ['unmute web-*', 'web-1+web-2+web-3'],
  ['unmute web-1, web-2', 'web-1+web-2'],
  ['unmute web-1 web-2', "I don't understand `web-2`. → unmute web-1,web-2"],
  ['unmute “account”', 'account'],
  ['unmute account', 'everything'],
  ['unmute web-2 now', "I don't understand `now`. → unmute web-2"],
  ['unmute', 'Name what to unmute:'],
])

table('alerts by number, server and title', '', [
  ['ack #8398', '#8398'],
  ['ack 8398', '#8398'],
  ['ack web-2', '#8398'],
  ['ack CPU busy on web-2', '#8398'],
  ['ack “web-2”', '#8398'],
  ['ack #001', 'Several alerts end in 001. → ack #77001 | ack #88001'],
  ['ack db-1', 'db-1 has 2 open alerts. → ack #77001 | ack #88001'],
  ['ack web2', 'No open alert `web2`. → ack web-2'],
  ['ack web-2 web-1', "I don't understand `web-1`. → ack web-2"],
  ['ack #9999', 'No open alert `#9999`.'],
  ['ack', 'Which alert?'],
  ['note web-2 don’t touch — it is “mine”', '#8398 · don\'t touch - it is "mine"'],
  ['note cpu busy on web-2 rotating logs', '#8398 · rotating logs'],
  ['hand web-2 @ben please look', '#8398 · @ben please look'],
  ['hand #8398 Ben Miller now', '#8398 · Ben Miller now'],
])

describe('in the thread of a card nothing has to be named', () => {
  const thread = (line: string, shown: readonly string[]) => {
    const scene = sceneOf()
    const post = postOf({ shows: shown.map((alert) => ({ alert, isQuiet: false, atMs: 0 })) })
    scene.world.put('posts', post)
    return meaningOf(line, scene, askOf(post.id))
  }
  const rows: readonly Row[] = [
    ['mute 1h', 'web-2 · 1 h'],
    ['mute', 'web-2'],
    ['mute until fine new disk', 'web-2 · until fine · new disk'],
    ['mute web-1 1h', 'web-1 · 1 h'],
    ['ack', '#8398'],
    ['ack web-1', '#2874'],
    ['note rotating logs', '#8398 · rotating logs'],
    ['note #2874 rotating logs', '#2874 · rotating logs'],
    ['note #9999 rotating logs', 'No open alert `#9999`.'],
    ['hand Ben please', '#8398 · Ben please'],
    ['ack please', 'No open alert `please`. → ack #8398'],
    ['snooze until 16:00', '#8398 · until 16:00'],
    ['hand to Ben please', '#8398 · to Ben please'],
    ['mute this 1h', 'Leave out `this`. → mute 1h'],
    ['mute deploying', 'No server deploying. → mute web-2 1h deploying'],
  ]
  test.each(rows)('%s', (typed, means) => {
    expect(thread(typed, ['8398@0'])).toBe(means)
  })

  test('of a storm it asks which', () => {
    const offers = 'note #2874 slow | note #8398 slow'
    expect(thread('note slow', ['2874@0', '8398@0'])).toBe(`Several alerts stand here. → ${offers}`)
    const servers = 'mute web-1 1h | mute web-2 1h'
    expect(thread('mute 1h', ['2874@0', '8398@0'])).toBe(`Several servers stand here. → ${servers}`)
  })
})

describe('labels, in front of an Alertmanager', () => {
  const rows: readonly Row[] = [
    ['mute namespace=pay-* 2h', 'namespace=pay-* · 2 h'],
    ['mute namespace="pay eu",namespace=x 2h', 'namespace=pay eu and namespace=x · 2 h'],
    ['mute namespac=pay 2h', 'No alert here has the label `namespac`.'],
    ['mute namespace=~"pay.*" 2h', 'Write labels as `namespace=pay-*,team="red team"`.'],
  ]
  test.each(rows)('%s', (typed, means) => {
    expect(meaningOf(typed, sceneOf(true))).toBe(means)
  })
})

describe('clocks that leap', () => {
  const at = (iso: string, typed: string) =>
    meaningOf(typed, { ...sceneOf(), nowMs: Date.parse(iso) }, askOf())
  const rows: readonly (readonly [iso: string, typed: string, means: string])[] = [
    ['2026-03-28T20:00:00Z', 'mute web-2 until 02:30', 'web-2 · until Sun 29, 03:30'],
    ['2026-03-28T20:00:00Z', 'mute web-2 from 22:00 to 06:00', 'web-2 · Sat 28, 22:00 – Sun 29, 06:00'],
    ['2026-10-24T20:00:00Z', 'mute web-2 until tomorrow 09:00', 'web-2 · until Sun 25, 09:00'],
    ['2026-10-24T20:00:00Z', 'mute web-2 until 02:30', 'web-2 · until Sun 25, 02:30'],
  ]
  test.each(rows)('%s %s', (iso, typed, means) => {
    expect(at(iso, typed)).toBe(means)
  })
})

test('a refusal shows how it is written, with tomorrow as the day', () => {
  const hint = 'Try `from 2026-11-29 22:00 for 2h`; a reason goes into quotes'
  const read = () => readMute('web-2 tomorrow', sceneOf(), askOf())
  expect(read).toThrow(`I don't understand \`tomorrow\`. ${hint}`)
})

/** `before`: what stands before each line, and before each command that is offered. */
function table(about: string, before: string, rows: readonly Row[]): void {
  describe(about, () => {
    test.each(rows)(`${before}%s`, (typed, means) => {
      const said = meaningOf(`${before}${typed}`)
      const [, offers] = said.split(' → ')
      for (const one of offers?.split(' | ') ?? []) expect(meaningOf(one)).not.toContain("I don't understand")
      expect(before === '' ? said : said.replace(/^web-2 · /, '').replaceAll(before, '')).toBe(means)
    })
  })
}

function sceneOf(canMuteAlerts = false): Scene {
  const world = new World()
  const open = (number: string, host: string, over: object = {}) =>
    world.put('alerts', alertOf({ number, host, server: host, ...over }))
  open('2874', 'web-1')
  open('8398', 'web-2')
  open('77001', 'db-1')
  open('88001', 'db-1', { plugin: 'disk', metric: 'disk_used_percent', title: 'Disk used 95%' })
  open('5', 'shop-1.internal', { server: 'Shop' })
  open('6', 'pay-1', { details: { ...alertOf().details, labels: { namespace: 'pay-eu' } } })
  // The policy ignores it.
  open('9300', 'web-2', { plugin: 'noise' })
  open('9400', 'web-1', { closedMs: nowMs - 60_000 })
  world.setFact('roles', { atMs: 0, servers: { web: ['web-1', 'web-2', 'web-3'], db: ['db-1', 'db-2'] } })
  return {
    world,
    policy: policyOf({ ignore: [{ plugin: ['noise'] }] }),
    nowMs,
    defaultChannel: 'C0',
    replicaName: 'test',
    pager: null,
    canMuteAlerts,
  }
}

function askOf(threadPost: string | null = null): Ask {
  const names = { id: 'UANA', name: 'ana', realName: 'Ana', email: null }
  const person = { ...names, zone: 'Europe/Berlin', isBot: false, isDeleted: false, readMs: 0 }
  const key = 'request-1'
  return { key, person, channel: 'C0', threadTs: null, threadPost, triggerId: null, via: 'mention' }
}

/** What a line means: `web-2 · 1 h · deploying`; or the refusal, and behind an arrow what its buttons type. */
function meaningOf(typed: string, scene = sceneOf(), ask = askOf()): string {
  const [, command = '', words = ''] = /^(\S+)\s*(.*)$/s.exec(plainWords(typed)) ?? []
  try {
    if (command === 'mute') return muteWords(readMute(words, scene, ask))
    if (command === 'unmute') return targetWords(readUnmute(words, scene, ask))
    const rules = ['note', 'hand', 'snooze'].includes(command) ? ({ hasText: true } as const) : {}
    const { alert, rest } = alertMeant(words, scene, ask, `${command} {}`, rules)
    return [`#${alert.number}`, rest].filter((part) => part !== '').join(' · ')
  } catch (error) {
    if (error instanceof Refusal) return refusalWords(error)
    throw error
  }
}

function muteWords({ target, when, reason }: MuteWish): string {
  const words = [targetWords(target), when === null ? '' : whenWords(when), reason]
  return words.filter((part) => part !== '').join(' · ')
}

function refusalWords({ message, offers }: Refusal): string {
  const [sentence = ''] = /^.*?[.?:](?=\s|$)/.exec(message) ?? [message]
  const commands = offers.map(({ command }) => command)
  return commands.length === 0 ? sentence : `${sentence} → ${commands.join(' | ')}`
}

function targetWords(target: Target): string {
  if (target.kind === 'servers') return target.servers.map(({ host }) => host).join('+')
  if (target.kind === 'alert') return headlineWords(target.alert)
  if (target.kind === 'account') return 'everything'
  return target.matchers.map(({ label, glob }) => `${label}=${glob}`).join(' and ')
}

function whenWords(when: When): string {
  if (when.kind === 'length') return duration(when.ms)
  if (when.kind === 'until') return `until ${clock(when.atMs)}`
  if (when.kind !== 'window') return `until ${when.kind}`
  const window = `${clock(when.fromMs)} – ${clock(when.untilMs)}`
  return when.every === undefined ? window : `on days ${when.every.days.join('')}, first ${window}`
}

const berlin = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

function clock(ms: number): string {
  return berlin.format(ms)
}

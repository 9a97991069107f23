/** How planned mutes are typed, and that nothing else changes its meaning. */
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../../src/bot/domain/command/commands.ts'
import { parseEvery, parseFrom } from '../../../src/bot/domain/command/plan-text.ts'

function read(text: string): unknown {
  const parsed = parseCommand(text)
  if (!parsed.ok) return parsed.refusal.why
  const { intent } = parsed
  return intent.kind === 'plan_mute'
    ? { of: intent.of, plan: intent.plan, reason: intent.reason }
    : intent.kind
}

const web = { of: 'servers', servers: [{ by: 'name', name: 'web-*' }] }
const hourMs = 3_600_000
const once = { is: 'once', day: null, minute: 22 * 60, length: { ms: 2 * hourMs } }
const weekly = { is: 'weekly', days: [2], nth: null, minute: 120, length: { untilMinute: 240 } }

describe('once', () => {
  test.each([
    ['from 22:00 for 2h', once, ''],
    ['from 22:00 2h new kernel', once, 'new kernel'],
    ['from 10pm for 2h: new kernel', once, 'new kernel'],
    ['From at 22:00 for 2h - new', once, 'new'],
    ['from 22:00 until 02:00', { ...once, length: { untilMinute: 120 } }, ''],
    ['from 22:00-02:00 x', { ...once, length: { untilMinute: 120 } }, 'x'],
    ['from 22:00 – 24:00', { ...once, length: { untilMinute: 0 } }, ''],
    ['from today 22:00 for 2h', { ...once, day: { inDays: 0 } }, ''],
    ['from tomorrow at 22:00 for 2h', { ...once, day: { inDays: 1 } }, ''],
    ['from sat 22:00 for 2h', { ...once, day: { weekday: 6 } }, ''],
    ['from next Saturday 22:00 for 2h', { ...once, day: { weekday: 6 } }, ''],
    ['from 2026-12-01 22:00 for 2h', { ...once, day: { dateMs: Date.UTC(2026, 11, 1) } }, ''],
    ['from 2026-12-01T22:00 for 2h', { ...once, day: { dateMs: Date.UTC(2026, 11, 1) } }, ''],
  ])('%s', (text, plan, reason) => {
    expect(read(`mute web-* ${text}`)).toEqual({ of: web, plan, reason })
  })
})

describe('a time to begin is understood without from', () => {
  const until = (untilMinute: number) => ({ length: { untilMinute } })
  test.each([
    ['tomorrow 22:00 for 2h deploy', { ...once, day: { inDays: 1 } }, 'deploy'],
    ['tonight 22:00 for 2h', { ...once, day: { inDays: 0 } }, ''],
    ['at 22:00 for 2h', once, ''],
    ['starting 22:00 for 2h', once, ''],
    ['start 22:00 for 2h patch', once, 'patch'],
    ['between 22:00 and 23:00 deploy', { ...once, ...until(23 * 60) }, 'deploy'],
    ['on 2026-12-24 from 22:00 for 2h', { ...once, day: { dateMs: Date.UTC(2026, 11, 24) } }, ''],
    ['2026-12-24 22:00 for 2h', { ...once, day: { dateMs: Date.UTC(2026, 11, 24) } }, ''],
    ['friday 22:00 for 2h', { ...once, day: { weekday: 5 } }, ''],
    ['next friday 22:00 for 2h', { ...once, day: { weekday: 5 } }, ''],
    ['from noon until midnight', { ...once, minute: 12 * 60, ...until(0) }, ''],
    ['noon-14:00 backup', { ...once, minute: 12 * 60, ...until(14 * 60) }, 'backup'],
    ['midday–2pm', { ...once, minute: 12 * 60, ...until(14 * 60) }, ''],
    ['midnight-02:00', { ...once, minute: 0, ...until(120) }, ''],
    ['from midnight-2am', { ...once, minute: 0, ...until(120) }, ''],
    ['weekdays noon-1pm', { ...weekly, days: [1, 2, 3, 4, 5], minute: 12 * 60, ...until(13 * 60) }, ''],
    ['daily midnight-02:00', { ...weekly, days: [0, 1, 2, 3, 4, 5, 6], minute: 0, ...until(120) }, ''],
    [
      'daily at noon for 2h backup',
      { ...weekly, days: [0, 1, 2, 3, 4, 5, 6], minute: 12 * 60, length: { ms: 2 * hourMs } },
      'backup',
    ],
    [
      'nightly from midnight to 2am backup',
      { ...weekly, days: [0, 1, 2, 3, 4, 5, 6], minute: 0, ...until(120) },
      'backup',
    ],
    ['daily 02:00-04:00 backup', { ...weekly, days: [0, 1, 2, 3, 4, 5, 6] }, 'backup'],
    ['weekdays 02:00-04:00', { ...weekly, days: [1, 2, 3, 4, 5] }, ''],
    ['mondays 02:00-04:00', { ...weekly, days: [1] }, ''],
    ['on tuesdays 02:00-04:00', weekly, ''],
    ['the first sunday 02:00-04:00 patch', { ...weekly, days: [0], nth: 1 }, 'patch'],
    ['each tue 02:00-04:00', weekly, ''],
    ['mon-fri 02:00-04:00', { ...weekly, days: [1, 2, 3, 4, 5] }, ''],
    ['on mon and wed 02:00-04:00 weekly backup', { ...weekly, days: [1, 3] }, 'weekly backup'],
  ])('%s', (text, plan, reason) => {
    expect(read(`mute web-* ${text}`)).toEqual({ of: web, plan, reason })
  })
})

describe('again and again', () => {
  test.each([
    ['every tue 02:00-04:00 backup', weekly, 'backup'],
    ['every Tuesday 2am to 4am', weekly, ''],
    ['every tue 02:00 until 04:00', weekly, ''],
    ['every tuesdays at 02:00 for 2h', { ...weekly, length: { ms: 2 * hourMs } }, ''],
    ['every day 02:00-04:00', { ...weekly, days: [0, 1, 2, 3, 4, 5, 6] }, ''],
    ['every weekday 02:00-04:00', { ...weekly, days: [1, 2, 3, 4, 5] }, ''],
    ['every weekend 02:00-04:00', { ...weekly, days: [6, 0] }, ''],
    ['every mon, wed and fri 02:00-04:00', { ...weekly, days: [1, 3, 5] }, ''],
    ['every mon-fri 02:00-04:00', { ...weekly, days: [1, 2, 3, 4, 5] }, ''],
    ['every fri-mon 02:00-04:00', { ...weekly, days: [0, 1, 5, 6] }, ''],
    ['every 1st sun 02:00-04:00', { ...weekly, days: [0], nth: 1 }, ''],
    ['every last fri 02:00-04:00', { ...weekly, days: [5], nth: 'last' }, ''],
  ])('%s', (text, plan, reason) => {
    expect(read(`mute web-* ${text}`)).toEqual({ of: web, plan, reason })
  })
})

test('alerts, labels, several servers and the account are planned alike', () => {
  expect(read('mute #123 from 22:00 for 2h')).toEqual({
    of: { of: 'alert', alert: '#123' },
    plan: once,
    reason: '',
  })
  expect(read('mute team=pay from 22:00 for 2h')).toMatchObject({
    of: { of: 'alert', alert: null, matchers: ['team="pay"'] },
  })
  expect(read('mute a, b every tue 02:00-04:00')).toMatchObject({
    of: { servers: [{ name: 'a' }, { name: 'b' }] },
  })
  expect(read('mute account from 22:00 for 2h moving')).toEqual({
    of: { of: 'account' },
    plan: once,
    reason: 'moving',
  })
  expect(read('mute "from" from 22:00 for 2h')).toMatchObject({ of: { servers: [{ name: 'from' }] } })
})

describe('how often may follow the time, and is no reason', () => {
  const workdays = { ...weekly, days: [1, 2, 3, 4, 5], minute: 9 * 60, length: { untilMinute: 17 * 60 } }
  const nights = { ...weekly, days: [0, 1, 2, 3, 4, 5, 6], minute: 22 * 60, length: { ms: 2 * hourMs } }
  test.each([
    ['from 09:00 to 17:00 on weekdays', workdays, ''],
    ['from 09:00 to 17:00 weekdays only', workdays, ''],
    ['from 09:00 to 17:00 on weekdays office hours', workdays, 'office hours'],
    ['from 09:00 to 17:00 mon-fri: office hours', workdays, 'office hours'],
    ['from 09:00 to 17:00 monday to friday', workdays, ''],
    ['from 22:00 for 2h daily', nights, ''],
    ['from 22:00 for 2h, daily: backup', nights, 'backup'],
    ['at 22:00 for 2h nightly', nights, ''],
    ['from 22:00 for 2h each day', nights, ''],
    ['from 22:00 for 2h every night backup', nights, 'backup'],
    ['between 2am and 4am on tuesdays', weekly, ''],
    ['from 02:00 to 04:00 every tue', weekly, ''],
    ['from 02:00 to 04:00 on the first sun of the month', { ...weekly, days: [0], nth: 1 }, ''],
    ['from 02:00 to 04:00 the first sun', { ...weekly, days: [0], nth: 1 }, ''],
    ['every 1st sun of each month 02:00-04:00', { ...weekly, days: [0], nth: 1 }, ''],
    // It is of what is done.
    ['from 22:00 for 2h weekly backup of mondays dump', once, 'weekly backup of mondays dump'],
    ['from 22:00 for 2h daily backup', once, 'daily backup'],
    ['from 22:00 for 2h deploy in utc zone of db', once, 'deploy in utc zone of db'],
    ['from 22:00 for 2h in Europe', once, 'in Europe'],
    ['from 22:00 for 2h in the west/east swap', once, 'in the west/east swap'],
    ['from 22:00 for 2h "weekly"', once, '"weekly"'],
    ['from 22:00 for 2h 3 disks replaced', once, '3 disks replaced'],
    ['from 22:00 for 2h and reboot', once, 'and reboot'],
    ['from 22:00 for 2h "every tue."', once, '"every tue."'],
    ['from 22:00 for 2h (test: every tue)', once, '(test: every tue)'],
    ['from 22:00 for 2h everything is new', once, 'everything is new'],
    ['from 22:00 for 2h mon/itor move', once, 'mon/itor move'],
    ['from 22:00 for 2h first disk', once, 'first disk'],
    ['from 22:00 for 2h wetware', once, 'wetware'],
    ['from 22:00 for 2h et al.', once, 'et al.'],
    ['from 22:00 for 2h london link', once, 'london link'],
    ['from 22:00 for 2h west wing power', once, 'west wing power'],
    ['from 22:00 for 2h +2 disks', once, '+2 disks'],
    ['from 22:00 for 2h not urgent', once, 'not urgent'],
    ['from 22:00 for 2h without failover', once, 'without failover'],
    ['from 22:00 for 2h for the new kernel', once, 'for the new kernel'],
    ['from 22:00 for 2h to marvel at', once, 'to marvel at'],
    ['every tue 02:00-04:00 "but sunday"', weekly, '"but sunday"'],
    ['every tue 02:00-04:00 for backups', weekly, 'for backups'],
    ['every tue 02:00-04:00 to rotate logs', weekly, 'to rotate logs'],
    ['every tue 02:00-04:00 in marketing', weekly, 'in marketing'],
    ['every tue 02:00-04:00 butane plant', weekly, 'butane plant'],
    ['from 22:00 for 2h release 12.1', once, 'release 12.1'],
    ['from 22:00 for 2h 1.5 TB move', once, '1.5 TB move'],
    ['from 22:00 for 2h 3 marketing hosts', once, '3 marketing hosts'],
    ['from 22:00 for 2h 2nd disk', once, '2nd disk'],
    ['from 22:00 for 2h us/eu link', once, 'us/eu link'],
    ['from 22:00 for 2h th-01 move', once, 'th-01 move'],
    ['every tue 02:00-04:00 not urgent', weekly, 'not urgent'],
    ['every tue 02:00-04:00 from vendor', weekly, 'from vendor'],
    ['every tue 02:00-04:00 end of month jobs', weekly, 'end of month jobs'],
    ['every tue 02:00-04:00 2 weeks of cleanup', weekly, '2 weeks of cleanup'],
  ])('%s', (text, plan, reason) => {
    expect(read(`mute web-* ${text}`)).toEqual({ of: web, plan, reason })
  })
})

describe('24:00 and midnight begin no day that is named: they would be a day early', () => {
  const midnight = { ...once, minute: 0 }
  const everyDay = { ...weekly, days: [0, 1, 2, 3, 4, 5, 6] }
  test.each([
    'from tomorrow 24:00 for 2h',
    'from tomorrow midnight for 2h',
    'from tonight midnight for 2h',
    'from sat 24:00 for 2h',
    'sat midnight for 2h',
    'from sat 24:00-02:00',
    'from 2026-12-01 24:00 for 2h',
    'every sat 24:00 for 2h',
    'every sat midnight-02:00',
    'every weekday 24:00-02:00',
    'from 24:00 for 2h on weekdays',
    '2h sat midnight',
  ])('%s', (text) => {
    expect(read(`mute web-1 ${text}`)).toBe('invalid')
    if (text.startsWith('2h')) return
    const expected = '00:00 or another time: the midnight after Saturday is sun 00:00'
    expect(parseCommand(`mute web-1 ${text}`)).toMatchObject({
      refusal: { expected: expect.stringContaining(expected) },
    })
  })

  test.each([
    ['from 24:00 for 2h', midnight],
    ['from midnight for 2h', midnight],
    ['from 24:00-02:00', { ...midnight, length: { untilMinute: 120 } }],
    ['from sat 00:00 for 2h', { ...midnight, day: { weekday: 6 } }],
    ['from sat 12am for 2h', { ...midnight, day: { weekday: 6 } }],
    ['from sat 12pm for 2h', { ...once, minute: 12 * 60, day: { weekday: 6 } }],
    ['from sat 23:59 for 2h', { ...once, minute: 24 * 60 - 1, day: { weekday: 6 } }],
    ['from sat 22:00-24:00', { ...once, day: { weekday: 6 }, length: { untilMinute: 0 } }],
    ['from sat 22:00 to 0:00', { ...once, day: { weekday: 6 }, length: { untilMinute: 0 } }],
    ['from sat 22:00 until midnight', { ...once, day: { weekday: 6 }, length: { untilMinute: 0 } }],
    ['every day 22:00-24:00', { ...everyDay, minute: 22 * 60, length: { untilMinute: 0 } }],
    ['every day 24:00 for 2h', { ...everyDay, minute: 0, length: { ms: 2 * hourMs } }],
    ['every night midnight-02:00', { ...everyDay, minute: 0, length: { untilMinute: 120 } }],
  ])('%s says which', (text, plan) => {
    expect(read(`mute web-* ${text}`)).toEqual({ of: web, plan, reason: '' })
  })

  test.each(['24:01', '24:30', '25:00', '24', '13pm', '0:60'])('%s is no time', (text) => {
    expect(read(`mute web-* from ${text} for 2h`)).toBe('invalid')
    expect(read(`mute web-* from 22:00 to ${text}`)).toBe('invalid')
    expect(parseEvery(`sat 22:00-${text}`)).toBeNull()
  })

  test('a day from one midnight to the next is too long, in any words', () => {
    for (const times of ['00:00-24:00', '24:00-24:00', 'midnight to midnight', '24:00-0:00'])
      expect(read(`mute web-* every day ${times}`)).toBe('invalid')
  })
})

describe('what is no plan stays what it was', () => {
  test.each([
    'mute from 2h',
    'mute every 2h',
    'mute "from" 2h deploying',
    'mute web-1 2h from tomorrow 22:00 on it is gone',
    'mute web-1 2h tomorrow it is gone',
    'mute web-1 2h "tomorrow backup"',
    'mute web-1 2h db failover 22:10 incident',
    'mute web-1 2h 22:10 incident',
    'mute web-1 2h 3 disks replaced',
    'mute web-1 2h from 3 vendors',
    'mute web-1 2h for 3 disks',
    'mute web-1 2h in 3 zones',
    'mute web-1 2h every 5 minutes a 502',
    'mute web-1 2h weekly backup',
    'mute web-1 the first disk',
    'mute web-1 start of the migration',
    'mute web-1 until 15:00 every day is too often',
    'mute web-1 from the vendor',
    'mute web-1 every host is slow',
    'mute web-1 weekly backup',
    'mute web-1 next release',
    'mute web-1 on call handover',
    'mute web-1 at 95 % of its memory',
    "mute web-1 monday's deploy",
    'mute web-1 in a bad state',
    'mute web-1 now',
    'mute web-1 from now for 2h deploying',
  ])('%s', (text) => {
    expect(read(text)).toBe('mute_server')
  })
})

describe('what is half a plan, or later in other words, is refused, and nothing is muted at once', () => {
  test.each([
    'in 2h for 1h deploy',
    'in half an hour',
    'monthly 02:00-04:00',
    'next week for 2d migration',
    'tonight',
    'this weekend',
    'over the weekend',
    'saturday',
    'later',
    'at night',
    'at noon',
    'after 22:00',
    'on the 24th',
    '24 december 10:00 for 2h',
    'tomorrow',
    'from tuesdays 02:00-04:00',
    'at 22 for 1h',
    'at 2200 for 1h backup',
    'at 22.00 for 1h backup',
    'at 22h until 23h',
    'at 2200 to 2300',
    'at 22h30 for 1h',
    'from 22:00 for 2h tomorrow',
    'from 22:00 for 2h and again tomorrow',
    'from 22:00 for 2h, then 04:00 for 1h',
    'from 22:00 for 2h until 2026-12-31',
    'from tomorrow 22:00 for 2h daily',
    'from sat 09:00 to 17:00 on weekends',
    'from 09:00 to 17:00 (weekdays)',
    'from 22:00 for 2h weekly',
    'from 22:00 for 2h (monthly)',
    'from 22:00 for 2h each evening',
    'from 22:00 for 2h every other day',
    'from 22:00 for 2h for 3 weeks',
    'from 22:00 for 2h through friday',
    'from 22:00 for 2h but not fri',
    'from 22:00 for 2h starting dec 8',
    'from 22:00 for 2h twice a week',
    'from 22:00 for 2h in december',
    'from 22:00 for 2h every 1st tue of december',
    'every day 22:00-23:00 but sunday',
    'every day 22:00-23:00 not sunday',
    'every day 22:00-23:00 (not sunday)',
    'every day 22:00-23:00 without holidays',
    'every day 22:00-23:00 w/o sunday',
    'every day 22:00-23:00 unless holiday',
    'every day 22:00-23:00 skip holidays',
    'every day 22:00-23:00 other than sunday',
    'every day 22:00-23:00 apart from sunday',
    'every day 22:00-23:00 for 1w',
    'every day 22:00-23:00 for a week',
    'every day 22:00-23:00 for the rest of the week',
    'every tue 02:00-04:00 for 3 weeks',
    'every tue 02:00-04:00 for december',
    'every tue 02:00-04:00 through 2026-12-25',
    'every tue 02:00-04:00 to 2026-12-25',
    'every tue 02:00-04:00 to december',
    'every tue 02:00-04:00 up to 2026-12-25',
    'every tue 02:00-04:00 ending 2026-12-25',
    'every tue 02:00-04:00 starting dec 8',
    'every tue 02:00-04:00 starting next week',
    'every tue 02:00-04:00 from dec 8',
    'every tue 02:00-04:00 as of next month',
    'every tue 02:00-04:00 or thu',
    'every tue 02:00-04:00 + thu',
    'every tue 02:00-04:00 only in winter',
    'every tue 02:00-04:00 even weeks',
    'every tue 02:00-04:00 on odd weeks',
    'every tue 02:00-04:00 in alternate weeks',
    'every tue 02:00-04:00 in december',
    'every tue 02:00-04:00 once a month',
    ...'no sundays; excl. sunday; before dec 8; after dec 8; by dec 8; starts dec 8; in dec.; during december'
      .split('; ')
      .map((limit) => `every tue 02:00-04:00 ${limit}`),
    ...'2 weeks; 3 times; once; over the next 2 weeks; / 05:00-06:00; / thu'
      .split('; ')
      .map((limit) => `every tue 02:00-04:00 ${limit}`),
    ...'except sunday; excl. sunday; until dec 8; for 3 weeks; (utc); & sunday'
      .split('; ')
      .map((limit) => `from 22:00 for 2h daily ${limit}`),
    ...'nightly mon-fri; weekly tue; weekly on tue; twice weekly; quarterly; week days; working days'
      .split('; ')
      .map((often) => `from 22:00 for 2h ${often}`),
    ...'this friday; coming friday; day after tomorrow; 8th; 08-12-2026; 2026/12/08; dec. 8; mon|wed; mo-fr'
      .split('; ')
      .map((day) => `from 22:00 for 2h ${day}`),
    ...'weeknights; all week; 1st of the month; on the first sun deploy; 1st sun deploy'
      .split('; ')
      .map((days) => `from 22:00 for 2h ${days}`),
    ...'weekly tue; weekly on tue; monthly first sun; first sun of december; nightly mon-fri; tue/thu'
      .split('; ')
      .map((days) => `${days} 02:00-04:00 backup`),
    ...'daily except sunday; this friday; coming friday; the day after tomorrow; weeknights'
      .split('; ')
      .map((days) => `${days} 22:00 for 2h patch`),
    'every midnight for 1h backup',
    'every noon for 1h backup',
    'every 1st tue 02:00-04:00 of december',
    'every 1st tue 02:00-04:00 of each quarter',
    'from 22:00 for 2h every tue.',
    'from 22:00 for 2h every tue!',
    'from 22:00 for 2h (every tue)',
    'from 22:00 for 2h every tue/thu',
    'from 22:00 for 2h every mon+wed',
    'from 22:00 for 2h tue/thu',
    'from 22:00 for 2h on tue/thu',
    'from 22:00 for 2h tue + thu',
    'from 22:00 for 2h 1st and 3rd tue',
    'from 22:00 for 2h on the first & third tue',
    'from 22:00 for 2h weekdays patch',
    'from 22:00 for 2h on workdays patch',
    'from 22:00 for 2h weekdays except fri',
    'from 22:00 for 2h everyday',
    'from 22:00 for 2h everyday backup',
    'from 22:00 for 2h every two weeks',
    'from 22:00 for 2h only tue',
    'from 22:00 for 2h 01.12.2026',
    'from 22:00 for 2h on 01.12. patch',
    'from 22:00 for 2h 12/1 patch',
    'every tue 02:00-04:00 every two weeks',
    'from 22:00 for 2h utc',
    'from 22:00 for 2h in utc',
    'from 22:00 for 2h (UTC)',
    'from 22:00 for 2h UTC+2',
    'from 22:00 for 2h in Europe/Berlin: deploy',
    'from 22:00 for 2h America/Argentina/Buenos_Aires',
    'from 22:00 for 2h CET deploy',
    ...'EEST AEST NZDT MSK WET HST AKST AWST SGT (ET) PT z zulu +02:00 -5:30 +0200 +2 UTC+5:30 US/Eastern CET/CEST'
      .split(' ')
      .map((zone) => `from 22:00 for 2h ${zone}`),
    'from 22:00 for 2h in london time',
    'from 22:00 for 2h london time',
    'from 22:00 for 2h (New York time)',
    'from 22:00 for 2h local time',
    'every tue 02:00-04:00 eastern time: backup',
    'every tue 02:00-04:00 in UTC',
    'every tue 02:00-04:00 weekly',
    'every tue 02:00-04:00 and thu 02:00-04:00',
    'every tue 02:00-04:00 except holidays',
    'from 02:00 to 04:00 every tue 05:00-06:00',
    'weekly',
    '2h weekly',
    'until 15:00 in utc',
    'until 15:00 Europe/Berlin',
    'every tue 02:00-04:00 UTC backup',
    '2h from 22:00',
    '2h tomorrow',
    ...'22:00; 22:00-24:00; 22:00-24:00 backup; from 2200; at 22h; from 22:00 backup; every tue 22:00 backup'
      .split('; ')
      .map((time) => `2h ${time}`),
    ...'tomorrow backup; next week; this weekend; in 2h; until 15:00; for 1h backup'
      .split('; ')
      .map((time) => `2h ${time}`),
    '22h for 2h',
    'until 15:00 for 2h',
    '2h on friday',
    '2h every tue 02:00-04:00',
    'until 15:00 every day',
    'now for 2h tomorrow',
    'from 22:00',
    'from 22:00 deploying',
    'from 22 for 2h',
    'from 25:00 for 2h',
    'from 22:000 for 2h',
    'from tmorrow 22:00 for 2h',
    'from tomorrow for 2h',
    'from 2026-02-30 22:00 for 2h',
    'from 2026-12-01 for 2h',
    'from 22:00 until healthy',
    'from 22:00 until 22:00',
    'from 22:00 for 2',
    'every tue',
    'every tue 02:00',
    'every tue 2-4',
    'every thusday 02:00-04:00',
    'every 1st 02:00-04:00',
    'every 1st mon,tue 02:00-04:00',
    'every 5th mon 02:00-04:00',
    'every other tue 02:00-04:00',
    'every hour 02:00-04:00',
    'every month 02:00-04:00',
    'every tue 02:00-04:00-06:00',
  ])('%s', (text) => {
    expect(read(`mute web-1 ${text}`)).toBe('invalid')
  })

  test('with an example', () => {
    const parsed = parseCommand('mute web-1 every tue at night')
    expect(parsed).toMatchObject({
      ok: false,
      refusal: {
        why: 'invalid',
        expected: expect.stringContaining('every tue 02:00-04:00'),
        came: 'every tue at night',
        topic: 'mute',
      },
    })
  })

  test.each([
    ['from tomorrow 22:00 for 2h daily', 'every day 22:00 for 1h'],
    ['from 22:00 for 2h weekly', 'every tue 02:00-04:00'],
    ['from 22:00 for 2h tue/thu', 'every mon,wed'],
    ['from 22:00 for 2h in utc', 'in your time zone'],
  ])('%s: with what to write instead', (text, expected) => {
    const parsed = parseCommand(`mute web-1 ${text}`)
    expect(parsed).toMatchObject({ refusal: { expected: expect.stringContaining(expected), came: text } })
  })
})

test('the policy file takes the same, but no reason and no day that moves', () => {
  expect(parseEvery('tue 02:00-04:00')).toEqual(weekly)
  expect(parseEvery('tue 02:00-04:00 patch day')).toBeNull()
  expect(parseFrom('2026-12-01 22:00')).toEqual({ dateMs: Date.UTC(2026, 11, 1), minute: 22 * 60 })
  expect(parseFrom('2026-12-01 00:00')).toEqual({ dateMs: Date.UTC(2026, 11, 1), minute: 0 })
  for (const text of ['2026-12-01 24:00', '2026-12-01 midnight', '2026-12-01 24:01'])
    expect(parseFrom(text)).toBeNull()
  expect(parseEvery('sat 24:00 for 2h')).toBeNull()
  expect(parseEvery('mon-fri midnight-02:00')).toBeNull()
  expect(parseEvery('sat 22:00-24:00')).toMatchObject({ days: [6], length: { untilMinute: 0 } })
  expect(parseEvery('day 24:00 for 2h')).toMatchObject({ minute: 0 })
  for (const text of ['22:00', 'tomorrow 22:00', '2026-12-01', '2026-12-01 22:00 for 2h', ''])
    expect(parseFrom(text)).toBeNull()
})

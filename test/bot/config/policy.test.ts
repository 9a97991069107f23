/** The policy file: what it may say, what holds without it, and what is wrong with it, by line and column. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { day, hour, minute } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { defaultPolicy, readPolicy } from '../../../src/bot/config/policy.ts'

function policyIn(source: string): Policy {
  const read = readPolicy(source, 'policy.yml')
  if (!read.ok) throw new Error(read.problems.join('\n'))
  return read.policy
}

test('the example holds what holds without a file', () => {
  expect(policyIn(readFileSync('policy.example.yml', 'utf8'))).toEqual(defaultPolicy())
})

test('the example says each part that there is, and each of its commented lines is valid too', () => {
  const source = readFileSync('policy.example.yml', 'utf8')
  const open = source
    .replaceAll(/^(\w+): \[\]$/gm, '$1:')
    .replaceAll(
      /^# ((?:show_labels|investigate|oncall|report| {2}pagerduty| {2}people| {2}handoff).*)$/gm,
      '$1',
    )
    .replace('"https://…", secret: whsec_…', `"https://a/x", secret: whsec_${'A'.repeat(32)}`)
    .replaceAll(/^#( {2,3}\S.*)$/gm, '$1')
    .replaceAll(/^ {2}# (mute_account.*)$/gm, '  $1')
  const policy = policyIn(open)
  const refused = readPolicy('part: 1', '')
  const [, parts = ''] = /one of (.+);/.exec(refused.ok ? '' : (refused.problems[0] ?? '')) ?? []
  for (const part of parts.split(', ')) expect(open).toMatch(new RegExp(`^${part}:`, 'm'))
  expect(policy.routes).toHaveLength(3)
  expect(policy.reminders.map(({ page }) => page)).toEqual([false, false, false, false, true])
  expect(policy.onCall?.people).toEqual({ 'ana@example.com': 'U0ANA', Ben: 'U0BEN' })
  expect(policy.permissions.mute_account).toEqual(['S0LEADS'])
  expect(policy.maintenance).toHaveLength(2)
})

test('without a file: everyone may all but delete, one reminder, an account mute of four hours', () => {
  const policy = defaultPolicy()
  expect(Object.entries(policy.permissions).filter(([, who]) => who !== 'everyone')).toEqual([
    ['delete_server', 'nobody'],
    ['delete_metric', 'nobody'],
  ])
  expect(policy).toMatchObject({
    isAccountMuteUnset: true,
    limits: { muteDefaultMs: hour, muteMaxMs: 30 * day, accountMuteMaxMs: 4 * hour },
    reminders: [{ afterMs: 15 * minute, match: null, mention: null, channel: null, page: false }],
    ...{ flapSettleMs: 2 * minute, forgottenAfterMs: 4 * hour, lifecycle: 'flip', board: true, images: true },
    ignore: [{ severity: ['none'] }],
  })
})

test.each<[source: string, part: Partial<Policy>]>([
  ['reminders: never', { reminders: [] }],
  ['flap_settle: never', { flapSettleMs: null }],
  ['board: off', { board: false }],
  ['board: false', { board: false }],
  ['images: off', { images: false }],
  ['lifecycle: pair', { lifecycle: 'pair' }],
  ['ignore: []', { ignore: [] }],
  ['permissions: { mute_account: everyone }', { isAccountMuteUnset: false }],
  [
    'routes: [{ match: { server: [a, "b-*"], labels: { x: y } }, channel: C1 }]',
    { routes: [{ match: { server: ['a', 'b-*'], labels: { x: ['y'] } }, channel: 'C1', mention: null }] },
  ],
  [
    'report: { at: "mon, thu 09:30", channel: C1 }',
    { report: { days: [1, 4], atMinutes: 9 * 60 + 30, channel: 'C1' } },
  ],
  [
    'report: { at: every weekday 08:00, channel: C1 }',
    { report: { days: [1, 2, 3, 4, 5], atMinutes: 8 * 60, channel: 'C1' } },
  ],
])('%s', (source, part) => {
  expect(policyIn(source)).toMatchObject(part)
})

test.each([
  ['"tue 02:00-04:00"', [2], 2 * 60, 2 * hour],
  ['"day 22:00-02:00"', [0, 1, 2, 3, 4, 5, 6], 22 * 60, 4 * hour],
  ['"mon,wed 22:00-24:00"', [1, 3], 22 * 60, 2 * hour],
  ['"sun 02:00 for 90m"', [0], 2 * 60, 90 * minute],
])('maintenance every %s', (every, days, atMinutes, lengthMs) => {
  const [entry] = policyIn(
    `timezone: Europe/Berlin\nmaintenance: [{ mute: "a, b-*", every: ${every} }]`,
  ).maintenance
  expect(entry).toMatchObject({
    mute: ['a', 'b-*'],
    every: { days, atMinutes, lengthMs, zone: 'Europe/Berlin' },
    fromMs: null,
  })
})

test('maintenance once is by the clock of its zone, and known again by what it plans', () => {
  const source = (length: string, reason: string) =>
    `maintenance: [{ mute: a, from: 2026-12-01 22:00, for: ${length}, zone: America/New_York, reason: ${reason} }]`
  const [once, reworded, longer] = [source('2h', 'x'), source('2h', 'y'), source('3h', 'x')].map(
    (text) => policyIn(text).maintenance[0],
  )
  const fromMs = Date.UTC(2026, 11, 2, 3)
  expect(once).toMatchObject({ fromMs, untilMs: fromMs + 2 * hour, every: null })
  expect(reworded?.id).toBe(once?.id)
  expect(longer?.id).not.toBe(once?.id)
})

test.each([
  [
    'routes:\n  - { match: {}, channel: general }',
    'policy.yml:2:27 routes[0].channel: expected a channel id',
  ],
  ['routes: [{ channel: C1 }]', 'routes[0].match: expected a mapping of role, server'],
  ['routes: [{ match: {}, channel: C1 }, { match: { role: a }, channel: C2 }]', 'expected to be the last'],
  ['routes: [{ match: { hots: a }, channel: C1 }]', 'came the unknown key "hots"'],
  ['routes: [{ match: {}, channel: C1, mention: "@ops" }]', 'expected a mention in Slack notation'],
  ['ignore: [{ match: {} }]', 'would leave out every alert'],
  ['reminders: [{ after: 0 }]', 'or page: true beside it'],
  ['reminders: [{ after: 1h }, { after: 30m }]', 'a longer time than that of the reminder before it'],
  ['reminders: [{ after: 15 }]', 'expected a duration with a unit'],
  ['lifecycle: auto', 'lifecycle: expected one of flip, pair'],
  ['limits: { mute_default: 2d, mute_max: 1d }', 'limits.mute_default: expected at most mute_max'],
  ['timezone: +02:00', 'expected an IANA time zone'],
  ['links: [{ match: {}, text: a, url: "https://{server}/" }]', 'may stand behind its host'],
  ['links: [{ match: {}, text: a, url: "javascript:x" }]', 'expected an http:// or https:// address'],
  ['links: [{ match: {}, text: a, url: "https://a/{host}" }]', 'may stand behind its host'],
  ['oncall: { ical: "https://a/x", pagerduty: PABC123 }', 'expected one of ical and pagerduty'],
  ['maintenance: [{ mute: a, every: "1st sun 02:00 for 2h" }]', 'expected days and times'],
  ['maintenance: [{ mute: a, every: "tue 02:00-02:00" }]', 'expected days and times'],
  ['maintenance: [{ mute: a, from: 2026-02-30 22:00, for: 1h }]', 'expected a day and a time'],
  ['maintenance: [{ mute: a, from: 2026-12-01 22:00 }]', 'a duration beside from'],
  ['maintenance: [{ mute: a }]', 'either every, or from with for'],
  [' \n', 'policy.yml: expected a policy; came an empty file'],
  ['routes: a', 'routes: expected a list; came "a"'],
  ['routes: [a, b', 'expected YAML'],
])('%s is refused', (source, problem) => {
  const read = readPolicy(source, 'policy.yml')
  expect(read.ok ? [] : read.problems.join('\n')).toContain(problem)
})

test('all problems are told at once, and none of them a secret', () => {
  const read = readPolicy(
    'oncall: { ical: "http://a.example/hush" }\nlifecycle: x\nboard: xoxb-hush\ninvestigate: { url: "hush", secret: hush }',
    'p.yml',
  )
  const problems = read.ok ? [] : read.problems
  expect(problems).toHaveLength(5)
  expect(problems.join()).not.toContain('hush')
})

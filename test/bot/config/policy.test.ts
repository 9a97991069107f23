/** The policy file: strict keys, and every problem with its line and column. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readPolicy } from '../../../src/bot/config/policy.ts'
import { Secret } from '../../../src/bot/config/secret.ts'
import { readLimited } from '../../../src/shared/limited-file.ts'

const policyOf = (source: string) => {
  const { policy, problems } = readPolicy(source, 'p.yaml', [])
  expect(problems).toEqual([])
  if (policy === null) throw new Error('no policy and no problem')
  return policy
}

const problemsOf = (source: string, secrets: readonly string[] = []) => {
  const { policy, problems } = readPolicy(source, 'p.yaml', secrets)
  expect(policy).toBeNull()
  return problems.map(({ setting, expected, came }) => `${setting} | ${expected} | ${came}`)
}

const tooLong = 'p.yaml | a YAML file of at most 256000 characters | more'

test('a whole policy is read', () => {
  const policy = policyOf(`
routes:
  - match: { role: db, server: 'db-*', plugin: MySQL, metric: Load, title: '*full?', lifecycle: oneoff }
    channel: C0DB
    mention: '<!subteam^S123> <@U1>'
  - match: {}
    channel: G0REST
permissions:
  mute_account: [S0LEADS, U1]
  delete_server: everyone
limits: { mute_default: 90s, mute_max: 1h30m, account_mute_max: 2 hours }
reminders: [{ after: 45m }, { after: 90m, mention: "<!subteam^S1>" }, { after: 2h, channel: C0LEADS }]
flap_settle: 30s
forgotten_after: never
board: off
lifecycle: pair
images: off
`)
  expect(policy.routes).toEqual([
    {
      match: {
        role: 'db',
        server: 'db-*',
        plugin: 'MySQL',
        metric: 'Load',
        title: '*full?',
        lifecycle: 'oneoff',
      },
      channel: 'C0DB',
      mention: '<!subteam^S123> <@U1>',
    },
    { match: {}, channel: 'G0REST', mention: null },
  ])
  expect(policy.permissions).toMatchObject({
    mute_account: ['S0LEADS', 'U1'],
    delete_server: 'everyone',
    delete_metric: 'nobody',
  })
  expect(policy.limits).toEqual({ muteDefaultMs: 90_000, muteMaxMs: 5_400_000, accountMuteMaxMs: 7_200_000 })
  expect(policy.reminders).toEqual({
    steps: [
      { afterMs: 45 * 60_000, mention: null, channel: null },
      { afterMs: 90 * 60_000, mention: '<!subteam^S1>', channel: null },
      { afterMs: 120 * 60_000, mention: null, channel: 'C0LEADS' },
    ],
    flapSettleMs: 30_000,
    staleAckAfterMs: null,
  })
  expect(policy.board).toBe(false)
  expect(policy.lifecycle).toBe('pair')
  expect(policy.images).toBe('off')
})

test('an empty file gives the defaults', () => {
  expect(policyOf('')).toEqual(policyOf('# nothing but a remark\n'))
  expect(policyOf('').routes).toEqual([])
  expect(policyOf('')).toMatchObject({
    reminders: {
      steps: [{ afterMs: 15 * 60_000, mention: null, channel: null }],
      flapSettleMs: 2 * 60_000,
      staleAckAfterMs: 4 * 60 * 60_000,
    },
    board: true,
    images: 'auto',
    timezone: 'UTC',
    maintenance: [],
  })
})

test.each([
  ['on', true],
  ['true', true],
  ['"on"', true],
  ['off', false],
  ['false', false],
])('a board that is %s', (value, isOn) => {
  expect(policyOf(`board: ${value}`).board).toBe(isOn)
})

test.each(['0', '"0"', '0s', '0m', '0 m'])('a reminder after %s that pages does so at once', (after) => {
  const { steps } = policyOf(
    `reminders: [{ after: ${after}, page: true, match: { severity: critical } }]`,
  ).reminders
  const match = { severity: 'critical' }
  expect(steps).toEqual([{ afterMs: 0, mention: null, channel: null, page: true, match }])
})

test('what the file plans is by the clock of the channels, or of a zone of its own', () => {
  const { maintenance } = policyOf(`
timezone: Europe/Berlin
maintenance:
  - { mute: "web-*, db-1", every: "tue 02:00-04:00", reason: patch day }
  - { mute: lb-1, from: 2026-12-01 22:00, for: 2h, zone: America/New_York }
`)
  const startMs = Date.UTC(2026, 11, 2, 3)
  expect(maintenance).toEqual([
    {
      names: ['web-*', 'db-1'],
      rule: { is: 'weekly', days: [2], nth: null, minute: 120, length: { untilMinute: 240 } },
      zone: 'Europe/Berlin',
      reason: 'patch day',
    },
    {
      names: ['lb-1'],
      rule: { is: 'once', startMs, endMs: startMs + 2 * 60 * 60_000 },
      zone: 'America/New_York',
      reason: '',
    },
  ])
})

test.each(['never', '[]'])('nobody is reminded by reminders: %s', (value) => {
  expect(policyOf(`reminders: ${value}`).reminders.steps).toEqual([])
})

test.each([
  ['reminders: { unacknowledged_after: 15m }', 'a list such as [{ after: 15m }, { after: 30m, mention:'],
  ['reminders: [{ after: 15 }]', 'or 30d, or 0 beside page: true | 15'],
  [
    'reminders: [{ after: 0m }]',
    'a longer time, or page: true beside it: the card itself tells people at once | "0m"',
  ],
  ['reminders: [{ after: 0 }]', 'the card itself tells people at once | 0'],
  [
    'reminders: [{ after: 1m }, { after: 0, page: true }]',
    'a longer time than that of the reminder before it | 0',
  ],
  [
    'reminders: [{ after: 0, page: true }, { after: 0s, page: true }]',
    'a longer time than that of the reminder before it',
  ],
  ['reminders: [{ after: -1, page: true }]', 'or 0 beside page: true | -1'],
  ['reminders: [{ after: 1m, page: yes }]', 'true or false | "yes"'],
  ['reminders: [{ after: 1m, match: { color: red } }]', 'one of role, server,'],
  ['reminders: [{ mention: "<!here>" }]', 'or 0 beside page: true | '],
  ['reminders: [{ after: 1h }, { after: 30m }]', 'a longer time than that of the reminder before it | "30m"'],
  ['reminders: [{ after: 1h }, { after: 1h }]', 'a longer time than that of the reminder before it | "1h"'],
  ['reminders: [{ after: 1h, mention: "@ana" }]', 'a mention in Slack notation'],
  [
    'reminders: [{ after: 1h, channel: "#leads" }]',
    'a channel id such as C0123456789, or the id of a person such as U0123456789 | "#leads"',
  ],
  ['reminders: [{ after: 1h, at: 3 }]', 'one of after, match, page, mention, channel | the unknown key "at"'],
  [`reminders: [${Array.from({ length: 11 }, (_, n) => `{ after: ${n + 1}m }`).join(', ')}]`, 'at most 10'],
  ['flap_settle: 2', 'or 30d, or never | 2'],
  ['forgotten_after: soon', 'or 30d, or never | "soon"'],
  ['board: maybe', 'on or off | "maybe"'],
  ['board: 1', 'on or off | 1'],
  ['images: drawn', 'one of auto, off | "drawn"'],
  ['timezone: Berlin', 'an IANA time zone such as UTC or Europe/Berlin | "Berlin"'],
  ['timezone: "+02:00"', 'an IANA time zone such as UTC or Europe/Berlin | "+02:00"'],
  ['maintenance: { mute: web-1 }', 'a list such as [{ mute: "web-*", every:'],
  ['maintenance: [{ mute: web-1 }]', 'either every, or from with for'],
  ['maintenance: [{ mute: web-1, every: "tue 02:00-04:00", for: 2h }]', 'either every, or from with for'],
  ['maintenance: [{ mute: web-1, from: 2026-12-01 22:00 }]', 'either every, or from with for'],
  [
    'maintenance: [{ mute: web-1, from: tomorrow 22:00, for: 2h }]',
    'a day and a time, such as 2026-12-01 22:00',
  ],
  [
    'maintenance: [{ mute: web-1, from: 2026-12-01 24:00, for: 2h }]',
    'a day and a time, such as 2026-12-01 22:00, from 00:00 on (24:00 is only an end)',
  ],
  [
    'maintenance: [{ mute: web-1, every: "sat 24:00 for 2h" }]',
    '"1st sun 02:00 for 2h", from 00:00 on (24:00 is only an end)',
  ],
  [
    'maintenance: [{ mute: web-1, every: "thusday 02:00-04:00" }]',
    'days and times, such as "tue 02:00-04:00"',
  ],
  ['maintenance: [{ mute: web-1, every: "day 02:00 for 24h" }]', 'days and times, such as "tue 02:00-04:00"'],
  ['maintenance: [{ mute: "", every: "tue 02:00-04:00" }]', 'servers between commas'],
  ['maintenance: [{ mute: web-1 web-2, every: "tue 02:00-04:00" }]', 'servers between commas'],
  ['maintenance: [{ mute: web-1, every: "tue 02:00-04:00", zone: Berlin }]', 'an IANA time zone such as'],
  [
    'maintenance: [{ mute: web-1, every: "tue 02:00-04:00", who: ana }]',
    'one of mute, every, from, for, zone, reason',
  ],
  [
    'limits: { mute_default: 30m, mute_max: 1h }\nmaintenance: [{ mute: web-1, every: "tue 02:00-04:00" }]',
    'a window that is not longer than mute_max',
  ],
  ['timezone: 1', 'an IANA time zone such as UTC or Europe/Berlin | 1'],
])('%s is refused', (source, words) => {
  const problems = problemsOf(source)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(words)
})

test('severities and links are read', () => {
  const policy = policyOf(`
severity:
  - { match: { plugin: "Disk *" }, is: critical }
  - { match: {}, is: info }
links:
  - { match: {}, text: Runbook, url: "https://wiki.example/{plugin}?host={server}" }
  - { match: { severity: critical, role: db }, text: Dashboard, url: "http://grafana:3000/d/1" }
routes:
  - { match: { severity: critical }, channel: C1, mention: "<!here>" }
`)
  expect(policy.severity).toEqual([
    { match: { plugin: 'Disk *' }, is: 'critical' },
    { match: {}, is: 'info' },
  ])
  expect(policy.links).toMatchObject([{ match: {}, text: 'Runbook' }, { match: { severity: 'critical' } }])
  expect(policy.routes).toMatchObject([{ match: { severity: 'critical' } }])
})

test('without a word about it, only what the API calls none is ignored', () => {
  expect(policyOf('board: on').ignore).toEqual([{ match: { severity: 'none' } }])
  expect(policyOf('ignore: []').ignore).toEqual([])
  const rule = { match: { plugin: 'Watchdog', labels: { cluster: 'test' } } }
  expect(policyOf(`ignore: ${JSON.stringify([rule])}`).ignore).toEqual([rule])
})

test('the labels that cards show are read; without them they are the usual ones', () => {
  expect(policyOf('show_labels: [team, namespace]').showLabels).toEqual(['team', 'namespace'])
  expect(policyOf('show_labels: []').showLabels).toEqual([])
  expect(policyOf('board: on').showLabels).toBeNull()
})

const linkOf = (text: string, url: string) => `links: [{ match: {}, text: ${text}, url: "${url}" }]`
const wiki = 'https://wiki.example/'

test.each([
  ['severity: critical', 'a list of rules of severity | "critical"'],
  ['routes: [{ match: { labels: {} }, channel: C1 }]', 'match.labels | 1 to 40 labels'],
  ['routes: [{ match: { labels: [pay] }, channel: C1 }]', 'match.labels | 1 to 40 labels'],
  [
    'routes: [{ match: { labels: { shard: 3 } }, channel: C1 }]',
    'labels.shard | text of 1 to 200 characters | 3',
  ],
  [
    'links: [{ match: { labels: { pod: "" } }, text: a, url: "https://a.example" }]',
    'text of 1 to 200 characters',
  ],
  ['severity: [{ match: {}, is: bad }]', 'severity[0].is | one of critical, warning, info | "bad"'],
  [
    'severity: [{ match: { severity: info }, is: info }]',
    'one of role, server, plugin, metric, title, lifecycle, labels |',
  ],
  ['severity: [{ match: {}, is: info }, { match: { role: db }, is: info }]', 'to be the last rule, because'],
  ['routes: [{ match: { severity: high }, channel: C1 }]', 'one of critical, warning, info | "high"'],
  ['links: {}', 'a list of links'],
  [
    'ignore: [{ match: {} }]',
    'ignore[0].match | a match that names something: {} would leave out every alert',
  ],
  ['ignore: Watchdog', 'a list of rules such as { match: { plugin: Watchdog } } | "Watchdog"'],
  ['ignore: [{ match: { severity: low } }]', 'one of critical, warning, info, none | "low"'],
  ['show_labels: pod', 'a list of at most 10 names of labels | "pod"'],
  ['show_labels: [1]', 'text of 1 to 200 characters | 1'],
  [`show_labels: [${'pod,'.repeat(11)}]`, 'at most 10 names of labels'],
  [linkOf('""', wiki), 'links[0].text | text of 1 to 75 characters'],
  [linkOf('x'.repeat(76), wiki), 'text of 1 to 75 characters'],
  [linkOf('Runbook', `${wiki}{host}`), 'no other braces than {server}, {plugin}, {metric}, {alert} | '],
  [
    linkOf('Runbook', 'ftp://wiki.example/'),
    'links[0].url | an address that begins with https:// or http:// | "ftp',
  ],
  [linkOf('Runbook', wiki + 'x'.repeat(1_000)), 'an address of at most 1000 characters'],
  [`links: [${'{ match: {}, text: a, url: "https://b.c/" },'.repeat(21)}]`, 'links | at most 20 links'],
])('%s is refused with what is known', (source, words) => {
  const problems = problemsOf(source)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(words)
})

test('an unknown key is a problem at its own line, with the keys that exist', () => {
  expect(problemsOf('lifecycle: flip\nrouts: []\n')).toEqual([
    'p.yaml:2:1 | one of routes, severity, ignore, links, show_labels, permissions, limits, reminders, flap_settle, forgotten_after, oncall, board, report, lifecycle, images, timezone, maintenance | the unknown key "routs"',
  ])
  expect(problemsOf('routes:\n  - match: { rol: db }\n    channel: C1\n')).toEqual([
    'p.yaml:2:14 routes[0].match | one of role, server, plugin, metric, title, lifecycle, labels, severity | the unknown key "rol"',
  ])
  expect(problemsOf('__proto__: { a: 1 }')[0]).toContain('the unknown key "__proto__"')
  expect(problemsOf('permissions: { constructor: nobody }')[0]).toContain('the unknown key "constructor"')
})

test('every problem of the file is told at once', () => {
  const problems = problemsOf('lifecycle: maybe\nimages: 3\nroutes:\n  - match: {}\n    channel: alerts\n')
  expect(problems).toHaveLength(3)
  expect(problems).toContain('p.yaml:5:5 routes[0].channel | a channel id such as C0123456789 | "alerts"')
})

test.each([
  ['90', 'a number has no unit'],
  ['"90"', 'parse-duration alone would take 90 ms'],
  ['-1h', 'parse-duration alone would take it'],
  ['0h', 'not a wait at all'],
  ['0.4ms', 'nothing, once it is whole milliseconds'],
  ['1M', 'a month to its writer, a minute to parse-duration'],
  ['1h and a bit', 'parse-duration alone would take the hour'],
  ['1h30', 'the second unit is missing'],
  ['400d', 'longer than a year'],
  ['[1h]', 'not text'],
  ['~', 'nothing'],
])('a limit of %s is refused (%s)', (value) => {
  expect(problemsOf(`limits:\n  mute_max: ${value}\n`)[0]).toMatch(
    /^p\.yaml:2:3 limits\.mute_max \| a duration with a unit/,
  )
})

test('a default mute that is longer than the longest is refused', () => {
  expect(problemsOf('limits: { mute_default: 2d, mute_max: 1d }')).toEqual([
    'p.yaml:1:11 limits.mute_default | a duration that is not longer than mute_max | "2d"',
  ])
})

test('a route that hides the ones after it is refused', () => {
  const problems = problemsOf(
    'routes:\n  - { match: {}, channel: C1 }\n  - { match: { role: db }, channel: C2 }\n',
  )
  expect(problems[0]).toMatch(/^p\.yaml:2:5 routes\[0\] \| to be the last route/)
})

test.each([
  ['match: { server: "" }', 'routes[0].match.server'],
  [`match: { title: ${'x'.repeat(201)} }`, 'routes[0].match.title'],
  ['match: { lifecycle: end }', 'routes[0].match.lifecycle'],
  ['match: { role: 7 }', 'routes[0].match.role'],
  ['match: {}, mention: "@here"', 'routes[0].mention'],
  ['match: {}, mention: "<https://evil.example|x>"', 'routes[0].mention'],
])('a route with %s is refused', (part, name) => {
  const problems = problemsOf(`routes:\n  - { channel: C1, ${part} }\n`)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(` ${name} | `)
})

test.each(['[]', 'anyone', '[C1]', '[u1]'])('a permission of %s is refused', (value) => {
  expect(problemsOf(`permissions: { add_note: ${value} }`)[0]).toContain('user group (S…) ids')
})

test('broken YAML is told with its line and column', () => {
  expect(problemsOf('lifecycle: flip\nlifecycle: pair\n')).toEqual([
    'p.yaml:2:1 | YAML | "Map keys must be unique"',
  ])
  expect(problemsOf('images: "off')[0]).toMatch(/^p\.yaml:1:13 \| YAML/)
})

test('aliases are refused before they are followed, and so is a file without end', () => {
  const bomb = `a: &a [x]\n${'bcdefghij'.replace(/./g, (c) => `${c}: &${c} [*a, *a, *a]\n`)}`
  expect(problemsOf(bomb)[0]).toBe('p.yaml:2:8 | a value | a YAML alias')
  expect(problemsOf('#'.repeat(256_001))).toEqual([tooLong])
  expect(problemsOf(readLimited('/dev/zero'))).toEqual([tooLong])
})

test('an empty file gives the defaults, and the longest one that is allowed is read whole, whatever its letters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-policy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'policy.yaml')
  writeFileSync(path, '')
  expect(policyOf(readLimited(path))).toEqual(policyOf(''))
  expect(policyOf(readLimited('/dev/null'))).toEqual(policyOf(''))
  const longest = `images: off #${'€'.repeat(255_987)}`
  writeFileSync(path, longest)
  expect(readLimited(path)).toBe(longest)
  expect(policyOf(longest).images).toBe('off')
  writeFileSync(path, `${longest}€`)
  expect(problemsOf(readLimited(path))).toEqual([tooLong])
})

test('a secret that got into the file is not repeated', () => {
  const secret = 'hunter2-hunter2'
  expect(problemsOf(`lifecycle: ${secret}\nimages: xoxb-hunter2\n`, [secret]).join()).not.toContain('hunter2')
})

test.each([
  'oncall: { ical:https://calendar.example/hunter2 }',
  'oncall:\n  "https://calendar.example/hunter2":\n  handoff: true\n',
  'oncall:\n  ical:https://calendar.example/hunter2\n  handoff: true\n',
  'ical:https://calendar.example/hunter2: 1',
  'https://calendar.example/hunter2',
])('the address of a calendar is not repeated where a space is missing: %j', (source) => {
  expect(problemsOf(source).join()).not.toContain('hunter2')
})

test('a schedule beside a calendar is a problem at its line, and neither is shown', () => {
  expect(problemsOf('oncall:\n  ical: https://calendar.example/hunter2\n  pagerduty: PABC123\n')).toEqual([
    'p.yaml:3:3 oncall.pagerduty | nothing beside ical (there is one calendar) | a value of 7 characters',
  ])
})

test('a secret shows itself only when asked to', () => {
  const secret = new Secret('hunter2')
  const shown = [`${secret}`, JSON.stringify({ secret }), inspect({ secret }), String(secret)]
  expect(shown.join()).not.toContain('hunter2')
  expect(shown.every((text) => text.includes('[secret]'))).toBe(true)
  expect(secret.reveal()).toBe('hunter2')
})

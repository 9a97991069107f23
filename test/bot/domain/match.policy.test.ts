/** What the policy says of an alert: how bad it is, where it is told, and what its card links to, whatever names from outside are. */
import { describe, expect, test } from 'vitest'
import { gradeOf, type Route, route } from '../../../src/bot/domain/alert/match.ts'
import { severityOf, worstFirst } from '../../../src/bot/domain/alert/severity.ts'
import { formatDuration, ordinal } from '../../../src/bot/domain/base/duration.ts'
import { linkProblem, linksOf } from '../../../src/bot/domain/card/links.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'

test.each([
  ['critical', 'critical'],
  [' CRIT ', 'critical'],
  ['Error', 'critical'],
  ['high', 'critical'],
  ['P1', 'critical'],
  ['SEV-1', 'critical'],
  ['warn', 'warning'],
  ['Medium', 'warning'],
  ['information', 'info'],
  ['ok', 'info'],
  ['P5', 'info'],
  ['', null],
  ['not ok', null],
  ['non-critical', null],
  ['critical warning', null],
  ['constructor', null],
  ['критично', null],
])('%j means %j', (word, severity) => {
  expect(severityOf(word)).toBe(severity)
})

const disks = { match: { plugin: 'Disk *' }, is: 'critical' } as const
const databases = { match: { role: 'db' }, is: 'info' } as const

test.each([
  ['a rule wins over what the API says', { plugin: 'Disk /', saidSeverity: 'info' }, 'critical'],
  ['the first of two rules wins', { plugin: 'Disk /', roles: ['db'] }, 'critical'],
  ['a rule by role', { plugin: 'CPU', roles: ['db'] }, 'info'],
  ['without a rule the API says it', { plugin: 'CPU', saidSeverity: 'critical' }, 'critical'],
  ['without either it is a warning', { plugin: 'CPU' }, 'warning'],
] as const)('%s', (_, over, severity) => {
  expect(gradeOf(anAlert('1', over), [disks, databases])).toBe(severity)
})

test('critical ones come first, and those that are equally bad stay in their order', () => {
  const alerts = (['info', 'warning', 'critical', 'warning', 'critical'] as const).map((severity, n) =>
    anAlert(`${n}`, { severity }),
  )
  expect(worstFirst(alerts).map(({ alertId }) => alertId)).toEqual(['2', '4', '1', '3', '0'])
})

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

test.each([
  [-5, '0 s'],
  [0, '0 s'],
  [45 * secondMs, '45 s'],
  [59_600, '1 min'],
  [90 * secondMs, '1 min 30 s'],
  [12 * minuteMs + 20 * secondMs, '12 min'],
  [hourMs, '1 h'],
  [hourMs + 5 * minuteMs, '1 h 5 min'],
  [23 * hourMs + 59 * minuteMs, '23 h 59 min'],
  [76 * hourMs, '3 d 4 h'],
  [48 * hourMs, '2 d'],
])('%i ms is %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

test('ordinals', () => {
  const words = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal)
  expect(words.join(' ')).toBe('1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th')
})

describe('routes', () => {
  const alert = anAlert('1', {
    hostname: 'db-1.example',
    serverName: 'Primary DB',
    plugin: 'Disk /',
    metric: 'used_percent',
    title: 'Last minute met or exceeded 95.00 %',
    roles: ['db', '__proto__'],
    severity: 'critical',
    details: someDetails({ labels: { namespace: 'pay-eu', team: 'Payments', empty: '', '*': 'star' } }),
  })
  const table: [string, Route['match'], boolean][] = [
    ['everything', {}, true],
    ['its role', { role: 'db' }, true],
    ['another role', { role: 'web' }, false],
    ['a role with a name of the language', { role: '__proto__' }, true],
    ['its hostname', { server: 'db-*' }, true],
    ['its display name, in any case', { server: 'primary ?b' }, true],
    ['part of a hostname is not all of it', { server: 'db' }, false],
    ['a dot is a dot', { server: 'db-1xexample' }, false],
    ['its plugin', { plugin: 'Disk /' }, true],
    ['all plugins that begin so', { plugin: 'disk *' }, true],
    ['part of a plugin is not all of it', { plugin: 'Disk' }, false],
    ['its metric', { metric: 'used_percent' }, true],
    ['all metrics that end so', { metric: '*_percent' }, true],
    ['as bad as it is', { severity: 'critical' }, true],
    ['not as bad as it is', { severity: 'warning' }, false],
    ['its title', { title: '*exceeded*%' }, true],
    ['an open alert', { lifecycle: 'start' }, true],
    ['a one-off', { lifecycle: 'oneoff' }, false],
    ['a label', { labels: { namespace: 'pay-eu' } }, true],
    ['a label by a glob, in any case', { labels: { namespace: 'pay-*', team: 'payment?' } }, true],
    ['part of a label is not all of it', { labels: { namespace: 'pay' } }, false],
    ['all labels must match', { labels: { namespace: 'pay-*', team: 'shop' } }, false],
    ['a label that it does not have matches no glob', { labels: { pod: '*' } }, false],
    ['nor does an empty one, which Prometheus takes for none', { labels: { empty: '*' } }, false],
    ['a label with a name of the language', { labels: { constructor: '*' } }, false],
    ['the name of a label is no glob', { labels: { 'name*': 'pay-eu' } }, false],
    ['a label beside another part', { labels: { namespace: 'pay-*' }, plugin: 'CPU' }, false],
    ['all parts must match', { role: 'db', plugin: 'CPU' }, false],
  ]
  test.each(table)('%s', (_, match, matches) => {
    const found = route(alert, [{ match, channel: 'C2', mention: '<@U1>' }], 'C1')
    expect(found).toEqual(matches ? { channel: 'C2', mention: '<@U1>' } : { channel: 'C1', mention: null })
  })

  test('an alert without a metric matches no glob of metrics', () => {
    const any = [{ match: { metric: '*' }, channel: 'C2', mention: null }]
    expect(route({ ...alert, metric: null }, any, 'C1')?.channel).toBe('C1')
  })

  test('an alert of the plain API matches no label', () => {
    const { details: _, ...plain } = alert
    const any = [{ match: { labels: { namespace: '*' } }, channel: 'C2', mention: null }]
    expect(route(plain, any, 'C1')?.channel).toBe('C1')
  })

  test('labels make an alert worse, and link to their runbook', () => {
    const match = { labels: { namespace: 'pay-*' } }
    expect(gradeOf(alert, [{ match, is: 'info' }])).toBe('info')
    expect(linksOf(alert, [{ match, text: 'Runbook', url: 'https://wiki.example/' }])).toHaveLength(1)
  })

  test('the first match wins, and without one and without a default there is none', () => {
    const routes = [
      { match: { role: 'db' }, channel: 'C2', mention: null },
      { match: {}, channel: 'C3', mention: null },
    ]
    expect(route(alert, routes, null)?.channel).toBe('C2')
    expect(route({ ...alert, roles: [] }, routes, null)?.channel).toBe('C3')
    expect(route({ ...alert, roles: [] }, routes.slice(0, 1), null)).toBeNull()
  })
})

const linked = anAlert('42~2', { hostname: 'web-1', plugin: 'Disk /', metric: 'used percent' })

const urlOf = (url: string, over: Parameters<typeof anAlert>[1] = {}) =>
  linksOf({ ...linked, ...over }, [{ match: {}, text: 'Runbook', url }])[0]?.url ?? null

test.each([
  ['https://wiki.example/cpu?host={server}', 'https://wiki.example/cpu?host=web-1'],
  ['http://grafana:3000/d/{plugin}/{metric}#{alert}', 'http://grafana:3000/d/Disk%20%2F/used%20percent#42'],
  ['https://wiki.example/{server}/{server}', 'https://wiki.example/web-1/web-1'],
  ['https://wiki.example/', 'https://wiki.example/'],
])('%s becomes %s', (url, filled) => {
  expect(linkProblem(url)).toBeNull()
  expect(urlOf(url)).toBe(filled)
})

test.each([
  ['https://wiki.example/{host}', 'no other braces than {server}, {plugin}, {metric}, {alert}'],
  ['https://wiki.example/{server', 'no other braces'],
  ['https://wiki.example/{}', 'no other braces'],
  ['https://{server}.example/', 'host is fixed'],
  ['https://wiki.example:{alert}/', 'https:// or http://'],
  ['https://wiki{server}?a', 'host is fixed'],
  ['javascript:alert(1)', 'https:// or http://'],
  ['wiki.example/cpu', 'https:// or http://'],
  ['https:wiki.example', 'https:// or http://'],
  ['{server}', 'https:// or http://'],
  ['https://ana:secret@wiki.example/', 'without a user'],
  ['https://wiki.example/a/../{server}', 'without the steps'],
])('%s is refused: %s', (url, words) => {
  expect(linkProblem(url)).toContain(words)
})

const hostile = [
  '..',
  '.',
  '../../admin',
  '..\\admin',
  '//evil.example',
  '@evil.example',
  'https://evil.example',
  'a?b=c#d',
  'a&admin=1',
  '%2e%2e',
  '%2F..',
  '|click>',
  '\'"<script>',
  'a\nb\tc',
  '\u202egnp',
  '\ud800',
]

test.each(hostile)('a server called %j changes neither the host nor the shape of the address', (hostname) => {
  const filled = urlOf('https://wiki.example/of/{server}/cpu?host={server}&x=1#{server}', { hostname })
  if (filled === null) return expect(['.', '..']).toContain(hostname)
  const { origin, pathname, searchParams } = new URL(filled)
  expect(origin).toBe('https://wiki.example')
  expect(pathname.split('/').length).toBe(4)
  expect(pathname).toMatch(/^\/of\/[^/]+\/cpu$/)
  expect([...searchParams.keys()]).toEqual(['host', 'x'])
  expect(searchParams.get('host')).toBe(hostname.toWellFormed())
  expect(filled).not.toMatch(/[|<>\s]/)
})

test('at the end of a path, too, a server called .. takes no step up', () => {
  expect(urlOf('https://wiki.example/of/{server}', { hostname: '..' })).toBeNull()
  expect(urlOf('https://wiki.example/{server}', { hostname: '..' })).toBeNull()
  expect(urlOf('https://wiki.example/of/{server}', { hostname: '.' })).toBeNull()
  expect(urlOf('https://wiki.example/of/host-{server}', { hostname: '..' })).not.toBeNull()
})

test('a link that needs what the alert does not have is left out, and so is one that is too long', () => {
  expect(urlOf('https://wiki.example/{metric}', { metric: null })).toBeNull()
  expect(urlOf('https://wiki.example/{plugin}', { plugin: '' })).toBeNull()
  expect(urlOf('https://wiki.example/{server}', { hostname: 'x'.repeat(10_000) })).toBeNull()
})

test('the links of the alert stand before those of the policy, which repeat none of them', () => {
  const url = 'https://wiki.example/cpu'
  const own = [
    { text: 'Runbook', url: 'https://wiki.example/own' },
    { text: 'Mine', url },
    { text: 'Too long once it is written out', url: `https://wiki.example/${'é'.repeat(900)}` },
  ]
  const alert = { ...linked, details: someDetails({ links: own }) }
  expect(
    linksOf(alert, [
      { match: {}, text: 'Policy', url },
      { match: {}, text: 'More', url: `${url}2` },
    ]),
  ).toEqual([
    { text: 'Runbook', url: 'https://wiki.example/own' },
    { text: 'Mine', url },
    { text: 'More', url: `${url}2` },
  ])
})

test('all links that match stand in the order of the policy', () => {
  const url = 'https://wiki.example/'
  const rules = [
    { match: { plugin: 'disk *' }, text: 'Disks', url },
    { match: { plugin: 'CPU' }, text: 'CPUs', url },
    { match: { severity: 'critical' }, text: 'Criticals', url },
    { match: {}, text: 'Everything', url },
  ] as const
  const textsOf = (severity: 'critical' | 'warning') =>
    linksOf({ ...linked, severity }, rules).map(({ text }) => text)
  expect(textsOf('warning')).toEqual(['Disks', 'Everything'])
  expect(textsOf('critical')).toEqual(['Disks', 'Criticals', 'Everything'])
})

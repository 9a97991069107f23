/** When an alert of Prometheus opens and closes: what is not listed is over only where that is proven. */
import { expect, test } from 'vitest'
import { resentMs } from '../../../src/service/prometheus/alerts.ts'
import type { ManagedAlert } from '../../../src/service/prometheus/records.ts'
import {
  calm,
  engineAlert,
  firing,
  load,
  managed,
  openAlertTown as openTown,
  ruleOf,
  startMs,
} from './made.ts'

test('an alert opens with its server, rule, metric, value, limit and the time at which it began there', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  expect(town.log.list('start', 0)).toMatchObject([
    {
      hostname: 'web-1',
      plugin: 'LoadHigh',
      metric: 'last_minute',
      value: 5,
      limit: 4,
      title: 'node_load1 > 4',
      timeMs: Date.UTC(2026, 10, 22, 9, 59),
      lifecycle: 'start',
    },
  ])
})

test('the value of a silence is the time for which its rule has held, and that of any other alert is its own', () => {
  const labels = { ...load, alertname: 'Down' }
  const down = ruleOf('Down', {
    query: 'up == 0',
    duration: 300,
    alerts: [{ ...engineAlert(labels, 'firing', '0'), activeAt: '2026-11-22T09:54:00Z' }],
  })
  const silent = openTown(['web-1'])
  silent.read([down], [managed(labels)])
  expect(silent.log.list('start', 0)).toMatchObject([
    { metric: 'seconds_since_report', value: 300, limit: null },
  ])
  const answering = openTown()
  answering.read([down], [managed(labels)])
  expect(answering.log.list('start', 0)).toMatchObject([{ metric: 'Down', value: 0 }])
  // Its labels are the rule's, not those of what it read.
  const renamed = openTown(['web-1'])
  renamed.read([{ ...down, labels: { instance: 'web-1:9100' } }], [managed(labels)])
  expect(renamed.log.list('start', 0)).toMatchObject([{ metric: 'Down', value: 0 }])
})

test('an alert closes when two readings say that its rule does not hold any more, and not at the first', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  town.read([calm], [])
  expect(town.open()).toEqual(['LoadHigh on web-1'])
  town.read([calm], [])
  expect([town.open(), town.over()]).toEqual([[], ['LoadHigh on web-1']])
})

test('an alert that was away in one reading only goes on, and needs two more to close', () => {
  const town = openTown()
  for (const listed of [[managed(load)], [], [managed(load)], []]) {
    town.read([listed.length === 0 ? calm : firing], listed)
  }
  expect(town.open()).toEqual(['LoadHigh on web-1'])
})

test.each([
  ['still fires', [firing]],
  ['is on its way', [ruleOf('LoadHigh', { alerts: [engineAlert(load, 'pending')] })]],
  ['could not be evaluated', [ruleOf('LoadHigh', { health: 'err' })]],
  ['could not be read whole', [ruleOf('LoadHigh', { health: 'unreadable' })]],
  [
    'was not evaluated yet',
    [ruleOf('LoadHigh', { health: 'unknown', lastEvaluation: '0001-01-01T00:00:00Z' })],
  ],
  ['has a namesake that could not be evaluated', [calm, ruleOf('LoadHigh', { query: 'x', health: 'err' })]],
])('an alert that no list holds stays open while its rule %s', (_, rules) => {
  const town = openTown()
  town.read([firing], [managed(load)])
  // One of another kind is listed, so that the list is not merely empty.
  for (let at = 0; at < 10; at += 1) town.read(rules, [managed({ alertname: 'Other' })])
  expect(town.open()).toContain('LoadHigh on web-1')
})

test("an alert of another sender stays open while the Alertmanager has just been started, and closes when that one's list says something", () => {
  const town = openTown()
  const other = managed({ alertname: 'Backup', instance: 'db-1' })
  town.read([], [other])
  for (let at = 0; at < 5; at += 1) town.read([], [], at * 1_000)
  expect(town.open()).toEqual(['Backup on db-1'])
  town.read([], [], resentMs)
  town.read([], [], resentMs)
  expect(town.open()).toEqual([])
})

const hidden = (given: Partial<ManagedAlert>) => [managed(load, { state: 'suppressed', ...given })]

test('what is silenced, or inhibited by another alert, stays open under its id and title and says so, until it ends or is over', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  const [first] = town.log.list('start', 0)
  const mutesWith = (...listed: readonly ManagedAlert[]) => {
    for (let at = 0; at < 3; at += 1) town.read([firing], listed)
    return town.mutes()
  }
  expect(mutesWith(...hidden({ silencedBy: ['ours-1'] }))).toEqual([['ours-1']])
  expect(mutesWith(...hidden({ silencedBy: ['ours-1', 'theirs'] }))).toEqual([['ours-1', 'theirs']])
  const inhibited = hidden({ silencedBy: ['ours-1'], inhibitedBy: ['another'] })
  expect(mutesWith(...inhibited)).toEqual([['ours-1', 'another']])
  expect(first?.title).toBe('node_load1 > 4')
  expect(town.log.list('start', 0)).toMatchObject([{ id: first?.id, title: first?.title }])
  // A restarted Alertmanager lists nothing for a while: what was known stands.
  expect(mutesWith()).toEqual([['ours-1', 'another']])
  expect(mutesWith(managed(load))).toEqual([[]])
  expect(mutesWith(...hidden({ silencedBy: ['theirs'] }))).toEqual([['theirs']])
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.log.list('all', 0)).toMatchObject([{ id: first?.id, lifecycle: 'end', title: first?.title }])
})

test('what was silenced from the start is listed with what mutes it, and is the same alert when that ends', () => {
  const town = openTown()
  for (let at = 0; at < 3; at += 1) town.read([firing], hidden({ silencedBy: ['theirs'] }))
  const [first] = town.log.list('start', 0)
  expect([town.open(), town.mutes()]).toEqual([['LoadHigh on web-1'], [['theirs']]])
  town.read([firing], [managed(load)])
  expect(town.mutes()).toEqual([[]])
  expect(town.log.list('all', 0).map(({ id }) => id)).toEqual([first?.id])
})

test('a title whose numbers change with each evaluation stays as it was when the alert opened', () => {
  const town = openTown()
  town.read([firing], [managed(load, { annotations: { summary: 'load is 5' } })])
  town.read([firing], [managed(load, { annotations: { summary: 'load is 6' } })])
  expect(town.log.list('start', 0)).toMatchObject([{ title: 'load is 5' }])
})

test('an Alertmanager that lists another start for an alert that was never away does not make it another one', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  const [first] = town.log.list('start', 0)
  town.read([firing], [managed(load, { startsAtMs: startMs + 60_000 })])
  expect(town.log.list('start', 0)).toEqual([first])
})

test('an alert whose sender has a clock that is an hour ahead began now, under an id that is the same in another run', () => {
  const [first, second] = [0, 20_000].map((waitedMs) => {
    const town = openTown()
    town.later(waitedMs)
    town.read([firing], [managed(load, { startsAtMs: startMs + 3_600_000 })])
    return town.log.openAlerts()
  })
  expect(first).toMatchObject([{ timeMs: startMs + 5_000, openedMs: startMs + 5_000 }])
  expect(second?.map(({ id }) => id)).toEqual(first?.map(({ id }) => id))
})

test('ids are the same in another run, in the order of time, and below 2^53; two hundred of one second do not meet', () => {
  const all = Array.from({ length: 200 }, (_, at) => managed({ ...load, instance: `web-${at}` }))
  const ids = [1, 2].map(() => {
    const town = openTown()
    town.read([], all)
    return Array.from({ length: 4 }, (_, page) =>
      town.log.list('start', page * 50).map(({ id }) => id),
    ).flat()
  })
  expect(ids[0]).toEqual(ids[1])
  expect(new Set(ids[0]).size).toBe(200)
  expect(Math.max(...(ids[0] ?? []))).toBeLessThan(2 ** 53)
  const town = openTown()
  town.read([], [managed(load)])
  town.read([], [managed(load), managed({ ...load, instance: 'web-2' }, { startsAtMs: startMs + 1_000 })])
  expect(town.log.list('start', 0).map(({ hostname }) => hostname)).toEqual(['web-2', 'web-1'])
})

test('alerts that differ in one label more are two, also where the labels of one are part of those of the other', () => {
  const town = openTown()
  town.read([], [managed(load)])
  town.read([], [managed(load), managed({ ...load, mountpoint: '/data' })])
  expect(town.open()).toHaveLength(2)
})

test('an alert that was read from the engine is the same one when it comes to the Alertmanager with the external labels', () => {
  const town = openTown()
  town.read([firing], null)
  const [first] = town.log.list('start', 0)
  town.read([firing], [managed({ ...load, cluster: 'eu' })])
  town.read([firing], [managed({ ...load, cluster: 'eu' })])
  expect(town.log.list('all', 0)).toEqual([first])
})

test('an alert that has fired for forty days is listed', () => {
  const town = openTown()
  town.read([firing], [managed(load, { startsAtMs: startMs - 40 * 86_400_000 })])
  expect(town.open()).toEqual(['LoadHigh on web-1'])
})

test.each([
  [{ alertname: 'A', instance: '[::1]:9100' }, '[::1]'],
  [
    { alertname: 'A', instance: 'https://shop.example/health', job: 'blackbox' },
    'https://shop.example/health',
  ],
  [{ alertname: 'A', job: 'shop' }, 'shop'],
  [{ alertname: 'A' }, 'global'],
  [{ alertname: 'A', instance: 'x'.repeat(300), job: 'shop' }, 'shop'],
  [{ alertname: 'A', instance: 'a\nb' }, 'global'],
  [{ alertname: 'A', instance: 'wéb "1" <!channel>' }, 'wéb "1" <!channel>'],
])('%j is about %s', (labels, hostname) => {
  const town = openTown()
  town.read([], [managed(labels)])
  expect(town.log.list('start', 0)).toMatchObject([{ hostname }])
})

test('a server that was deleted has no alerts, though they fire', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  town.delete('web-1')
  for (let at = 0; at < 2; at += 1) town.read([firing], [managed(load)])
  expect(town.open()).toEqual([])
})

test.each([
  ['global', { alertname: 'CertExpires' }],
  ['shop', { alertname: 'CertExpires', job: 'shop' }],
])('after %s was deleted, later alerts without a server were invisible', (hostname, labels) => {
  const town = openTown()
  town.delete(hostname)
  for (let at = 0; at < 3; at += 1) town.read([], [managed(labels), managed({ ...load, instance: hostname })])
  expect(town.open()).toEqual([`CertExpires on ${hostname}`])
})

test('5,000 alerts open, go on and close', () => {
  const town = openTown()
  const all = Array.from({ length: 5_000 }, (_, at) => ({
    ...load,
    instance: `web-${at % 2_000}`,
    shard: `${at}`,
  }))
  const rules = [ruleOf('LoadHigh', { alerts: all.map((labels) => engineAlert(labels)) })]
  const listed = all.map((labels) => managed(labels))
  for (let at = 0; at < 2; at += 1) town.read(rules, listed)
  expect(town.log.openAlerts()).toHaveLength(5_000)
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.open()).toEqual([])
})

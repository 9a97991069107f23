/** What the service says of an alert beyond the plain API: each field at its limits, after a restart, and of older ledgers. */
import { expect, test } from 'vitest'
import { openAlertLog, type UpstreamDraft } from '../../src/service/alerts/alert-log.ts'
import { detailsOf, labelsLeftOut } from '../../src/service/alerts/details.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'
import { firing, load, managed, openAlertTown } from './prometheus/made.ts'

const nowMs = Date.UTC(2026, 10, 22, 10)

const draft: UpstreamDraft = {
  hostname: 'db-1',
  serverName: 'db-1',
  title: 'Disk full',
  plugin: 'DiskFull',
  metric: 'DiskFull',
  value: 96,
  key: { type: 'plugin', source: 'DiskFull', metric: 'DiskFull' },
  limit: 90,
  limitSide: 'high',
  triggerId: null,
  closesAtMs: null,
  timeMs: nowMs,
  upstream: {
    fingerprint: 'f',
    labels: { alertname: 'DiskFull', instance: 'db-1:9100' },
    rule: null,
    units: '%',
    description: 'of db-1',
    links: [{ text: 'Runbook', url: 'https://runbooks.example/' }],
  },
}

const openLog = () =>
  openAlertLog({ ledger: memoryLedger(), form: 'flip', order: 'newest', nowMs: () => nowMs })
const detailsWith = (upstream: Partial<UpstreamDraft['upstream']>, given: Partial<UpstreamDraft> = {}) => {
  const record = openLog().openUpstream({ ...draft, ...given, upstream: { ...draft.upstream, ...upstream } })
  return { ...detailsOf(record), leftOut: labelsLeftOut([record]) }
}
const labelsWith = (labels: Record<string, string>) => {
  const { labels: told = {}, leftOut } = detailsWith({ labels })
  return [Object.keys(told).length, leftOut]
}
const several = (count: number, chars: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`l${String(at).padStart(3, '0')}`, 'x'.repeat(chars)]),
  )

test('an alert of a rule has all that is known of it', () => {
  expect(detailsWith({})).toEqual({
    labels: { alertname: 'DiskFull', instance: 'db-1:9100' },
    description: 'of db-1',
    links: [{ text: 'Runbook', url: 'https://runbooks.example/' }],
    trouble: expect.stringMatching(/^[0-9a-f]{32}$/),
    units: '%',
    limit: 90,
    limit_side: 'high',
    leftOut: 0,
  })
})

test('what is not known is absent', () => {
  const bare = { units: '', description: '', links: [] }
  expect(Object.keys(detailsWith(bare, { limit: null, limitSide: undefined })).sort()).toEqual([
    'labels',
    'leftOut',
    'trouble',
  ])
})

test.each([
  ['no label', {}, [0, 0]],
  ['40 labels', several(40, 1), [40, 0]],
  ['41 labels', several(41, 1), [40, 1]],
  ['a value of 256 characters', { l: 'x'.repeat(256) }, [1, 0]],
  ['a value of 257 characters', { l: 'x'.repeat(257), m: 'x' }, [1, 1]],
  ['a name of 257 characters', { ['l'.repeat(257)]: 'x' }, [0, 1]],
  ['4,096 bytes', several(16, 252), [16, 0]],
  [
    '4,097 bytes, of which a small label finds room',
    { ...several(15, 252), m: 'é'.repeat(128), n: '' },
    [16, 1],
  ],
  ['a label called __proto__', JSON.parse('{"__proto__":"x"}'), [1, 0]],
])('of %s, so many are told and left out', (_, labels, told) => {
  expect(labelsWith(labels)).toEqual(told)
})

test.each([
  [299, 299],
  [300, 300],
  [301, 300],
])('of a description of %i characters a list has %i', (chars, told) => {
  const { description = '' } = detailsWith({ description: 'x'.repeat(chars) })
  expect([description.length, description.endsWith('…')]).toEqual([told, chars > told])
})

const mute = { kind: 'silence', id: 's', by: 'ana', untilMs: nowMs, why: 'x', isOurs: true } as const

test('what mutes an alert is told while it is open, and each part of it only where it is known', () => {
  const log = openLog()
  const { id } = log.openUpstream(draft)
  const mutes = () => {
    const record = log.get(id)
    return record && detailsOf(record).muted_by
  }
  const trouble = () => detailsOf(log.get(id) as never).trouble
  const before = trouble()
  expect(mutes()).toBeUndefined()
  const nothing = { kind: 'inhibition', id: null, by: null, untilMs: null, why: null, isOurs: false } as const
  log.note(id, { upstream: { mutedBy: [mute, nothing] } })
  expect(mutes()).toEqual([
    { kind: 'silence', id: 's', by: 'ana', until: '2026-11-22T10:00:00.000Z', why: 'x', ours: true },
    { kind: 'inhibition', ours: false },
  ])
  expect(trouble()).toBe(before)
  log.close(id)
  expect(mutes()).toBeUndefined()
})

test('all of it is there after a restart, while the alert is open and when it is over', () => {
  const file = newFile()
  const opened = () => {
    const ledger = openLedgerFile(file)
    const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs: () => nowMs })
    return { ledger, log }
  }
  const first = opened()
  const { id } = first.log.openUpstream({
    ...draft,
    upstream: { ...draft.upstream, bearing: { reporter: ['a'] } },
  })
  first.log.note(id, { upstream: { mutedBy: [mute] } })
  const before = detailsOf(first.log.get(id) as never)
  first.ledger.close()
  const second = opened()
  expect(detailsOf(second.log.get(id) as never)).toEqual(before)
  second.log.close(id)
  second.ledger.close()
  const third = opened()
  const { muted_by: _, ...lasting } = before
  expect(detailsOf(third.log.get(id) as never)).toEqual(lasting)
  third.ledger.close()
})

test('an alert that an earlier version opened goes on under its title, and gets what is known at the next reading', () => {
  const ledger = openLedgerFile(newFile())
  const { limitSide: _, key, ...rest } = draft
  const labels = { ...load }
  const earlier = { openedMs: nowMs, isOpen: true, endedMs: null, lifecycle: 'start', ...rest, key, id: 5 }
  const upstream = { fingerprint: JSON.stringify(labels), labels, rule: 'node_load1 > 4' }
  const remark = 'silenced by ana until 15:04 UTC'
  ledger.put('alert', '5', { ...earlier, upstream: { ...upstream, remark } })
  ledger.put('alert', '6', { ...earlier, id: 6, isOpen: false, lifecycle: 'end', upstream })
  const town = openAlertTown([], ledger)
  expect(town.log.get(5)?.title).toBe('Disk full')
  const annotations = { summary: 'Load is high', description: 'on web-1', runbook_url: 'https://a.example/' }
  for (let at = 0; at < 2; at += 1) town.read([firing], [managed(load, { annotations })])
  const [open, ...more] = town.log.list('start', 0)
  expect([open?.id, open?.title, more]).toEqual([5, 'Disk full', []])
  expect(open && detailsOf(open)).toMatchObject({
    labels,
    description: 'on web-1',
    links: [{ text: 'Runbook', url: 'https://a.example/' }],
    limit: 90,
    limit_side: 'high',
  })
  const closed = town.log.get(6)
  expect(closed && detailsOf(closed)).toEqual({ labels, trouble: open && detailsOf(open).trouble })
  ledger.close()
})

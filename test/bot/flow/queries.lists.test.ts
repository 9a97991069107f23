/** Lists that people ask for: what stands on a page, what a name means, and what is said where it means nothing. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { type AskWorld, askWorld } from '../../support/ask-world.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'
import { aMute, anEntry } from '../slack/card-views.ts'

const minuteMs = 60_000
const alerts = (
  over: {
    state?: 'open' | 'closed' | 'all'
    isMine?: true
    server?: string | null
    labels?: readonly { name: string; value: string }[]
    page?: number
  } = {},
) => ({ kind: 'alerts', state: 'open', server: null, page: 1, ...over }) as const
const at = (minutes: number) => Date.UTC(2026, 10, 21, 3, minutes, 0)

async function listed(world: AskWorld, over: Parameters<typeof alerts>[0]) {
  const { list } = await world.answerTo<'alerts'>(alerts(over))
  return { ...list, items: list.items.map(({ alertId }) => alertId) }
}

/** Twelve open alerts, the latest is 11; and one on db-1 that closed. */
const some: readonly Alert[] = [
  ...Array.from({ length: 12 }, (_, n) => anAlert(String(n), { hostname: `web-${n % 2}`, startedMs: at(n) })),
  anAlert('db', { hostname: 'db-1', state: 'closed', closedMs: at(9), closedBy: 'record', startedMs: at(8) }),
]

describe('alerts', () => {
  test('come ten a page, the newest first', async () => {
    const world = await askWorld()
    await world.knows({ alerts: some })
    expect(await listed(world, {})).toEqual({
      items: ['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'],
      page: 1,
      pages: 2,
      total: 12,
    })
    expect((await listed(world, { page: 2 })).items).toEqual(['1', '0'])
  })

  test('of a page that has gone, because the list grew shorter, show the last page', async () => {
    const world = await askWorld()
    await world.knows({ alerts: some })
    expect(await listed(world, { page: 9 })).toMatchObject({ items: ['1', '0'], page: 2 })
  })

  test('of mine are those that the asker has, with the same filters and pages', async () => {
    const world = await askWorld()
    const owners = ['U1', 'U2', null]
    await world.knows({
      alerts: some.map((alert, n) => ({ ...alert, ackedBy: owners[n % owners.length] ?? null })),
    })
    const [userId] = owners
    const mine = some.filter((_, n) => owners[n % owners.length] === userId && n < 12)
    expect((await listed(world, { isMine: true })).total).toBe(mine.length)
    const here = mine.filter(({ hostname }) => hostname === 'web-1')
    expect((await listed(world, { isMine: true, server: 'web-1' })).total).toBe(here.length)
  })

  test.each([
    ['its name', { server: 'web-1' }, 6],
    ['its name in other letters', { server: 'WEB-1' }, 6],
    ['a glob', { server: 'web-*' }, 12],
    ['a glob over what is over', { server: '*', state: 'closed' }, 1],
    ['a server that nothing is open on', { server: 'db-1' }, 0],
    ['a server that only a role knows', { server: 'cache-1' }, 0],
  ] as const)('are found by %s', async (_name, over, total) => {
    const world = await askWorld({ roles: new Map([['cache', ['cache-1']]]) })
    await world.knows({ alerts: some })
    expect((await listed(world, over)).total).toBe(total)
  })

  const inPay = {
    details: someDetails({
      labels: { namespace: 'pay-eu', team: 'Red 100 % [a]', empty: '', 'app.io/name': 'x' },
    }),
  }
  const labelled: readonly Alert[] = [
    anAlert('1', { ...inPay, hostname: 'web-1' }),
    anAlert('2', { ...inPay, hostname: 'web-2', state: 'closed', closedMs: at(9) }),
    anAlert('3', { hostname: 'web-1', details: someDetails({ labels: { namespace: 'shop' } }) }),
    anAlert('4', { hostname: 'web-1' }),
    anAlert('5', { ...inPay, hostname: 'web-1', state: 'unreported' }),
  ]
  const label = (name: string, value: string) => ({ name, value })

  test.each([
    ['a label', [label('namespace', 'pay-eu')], {}, ['1']],
    ['a glob, in any case', [label('namespace', 'PAY-*')], {}, ['1']],
    ['one character of a glob', [label('namespace', 'pay-e?')], {}, ['1']],
    ['several labels, all of them', [label('namespace', 'pay-*'), label('team', 'red*')], {}, ['1']],
    ['several, of which one does not match', [label('namespace', 'pay-*'), label('team', 'blue')], {}, []],
    ['two globs for one label', [label('namespace', 'pay-*'), label('namespace', '*-eu')], {}, ['1']],
    ['a part of a value, which is not all of it', [label('namespace', 'pay')], {}, []],
    ['a label that none has', [label('pod', '*')], {}, []],
    ['an empty label, which is none', [label('empty', '*')], {}, []],
    ['signs that mean something to the database', [label('team', 'red 100 % [a]')], {}, ['1']],
    ['no wildcard of the database', [label('namespace', 'pay_eu')], {}, []],
    ['nor another', [label('namespace', '%')], {}, []],
    ['a name with dots', [label('app.io/name', 'x')], {}, ['1']],
    ['a label and a state', [label('namespace', 'pay-*')], { state: 'all' }, ['5', '2', '1']],
    ['a label and a server', [label('namespace', '*')], { server: 'web-1' }, ['3', '1']],
  ] as const)('are found by %s', async (_name, labels, over, found) => {
    const world = await askWorld()
    await world.knows({ alerts: labelled })
    expect((await listed(world, { labels, ...over })).items).toEqual(found)
  })

  test('that are lost are counted among those of the labels', async () => {
    const world = await askWorld()
    await world.knows({ alerts: labelled })
    const lostWith = async (value: string) =>
      (await world.answerTo<'alerts'>(alerts({ labels: [label('namespace', value)] }))).lost
    expect([await lostWith('pay-*'), await lostWith('shop')]).toEqual([1, 0])
  })

  test('of a server that nobody knows are refused, with names that are close', async () => {
    const world = await askWorld({ roles: new Map([['web', ['web-10']]]) })
    await world.knows({ alerts: some })
    expect(await world.asks(alerts({ server: 'wbe-1' }))).toEqual({
      kind: 'refused',
      refusal: {
        why: 'unknown_server',
        server: 'wbe-1',
        similar: ['web-1', 'web-0', 'web-10'],
        unread: null,
      },
    })
    expect(await world.asks(alerts({ server: 'clsoed' }))).toMatchObject({ refusal: { similar: ['closed'] } })
    expect(await world.asks(alerts({ server: 'mail-*' }))).toEqual({
      kind: 'refused',
      refusal: { why: 'no_match', pattern: 'mail-*', unread: null },
    })
  })

  test('can be read while the API is away', async () => {
    const world = await askWorld()
    await world.knows({ alerts: some })
    world.goAway()
    expect((await listed(world, { server: 'web-1' })).total).toBe(6)
  })

  test('come with the mutes, so that it can be said which are muted', async () => {
    const world = await askWorld()
    await world.knows({ alerts: some, mutes: [aMute()] })
    const answer = await world.answerTo<'alerts'>(alerts())
    expect(answer.mutes.map(({ subject: hostname }) => hostname)).toEqual(['web-1'])
  })
})

test('mutes come with the account first, then what ends next, last what has no end', async () => {
  const world = await askWorld()
  const mute = (hostname: string | null, untilMs: number | null) =>
    aMute({ muteId: `m${hostname}`, subject: hostname, untilMs, mode: untilMs === null ? 'open' : 'timed' })
  await world.knows({
    mutes: [mute('open', null), mute('late', at(90)), mute('soon', at(70)), mute(null, at(80))],
  })
  const { list } = await world.answerTo<'mutes'>({ kind: 'mutes', page: 1 })
  expect(list.items.map((one) => 'muteId' in one && one.subject)).toEqual([null, 'soon', 'late', 'open'])
})

describe('roles', () => {
  const many = Array.from({ length: 120 }, (_, n) => `web-${n}`)
  const roles = new Map([
    ['web', many],
    ['db', ['db-1']],
    ['edge', ['web-1']],
    ['__proto__', []],
  ])
  const about = (what: string | null, page = 1) => ({ kind: 'roles', about: what, page }) as const

  test('all of them by name, one of them a page of servers at a time, and those of a server', async () => {
    const world = await askWorld({ roles })
    const all = await world.answerTo<'roles'>(about(null))
    expect(all.list.items.map(({ role }) => role)).toEqual(['__proto__', 'db', 'edge', 'web'])

    const one = await world.answerTo<'roles'>(about('WEB', 2))
    expect(one.ask.about).toBe('web')
    expect(one.list).toMatchObject({ page: 2, pages: 2, total: 120 })
    expect(one.list.items[0]?.servers).toEqual(many.slice(80))

    const ofServer = await world.answerTo<'roles'>(about('web-1'))
    expect(ofServer.list.items.map(({ role }) => role)).toEqual(['edge', 'web'])
  })

  test('a name that is neither a role nor a server is refused with what is close to it', async () => {
    const world = await askWorld({ roles })
    expect(await world.asks(about('edgy'))).toEqual({
      kind: 'refused',
      refusal: { why: 'unknown_server', server: 'edgy', similar: ['edge'], mayBeRole: true },
    })
  })

  test('are not told from memory while the API is away', async () => {
    const world = await askWorld({ roles })
    await world.asks(about(null))
    world.goAway()
    expect(await world.asks(about(null))).toEqual({
      kind: 'failed',
      doing: 'roles',
      words: 'the monitoring API could not be reached',
      isUnknown: false,
    })
    expect(world.logger.events()).toContain('ask:failed')
  })
})

test('triggers are filtered by what stands in their condition or metric, in any letters', async () => {
  const trigger = { triggerId: '1', maxValue: 3, lowValue: null, durationSeconds: 60 }
  const world = await askWorld({
    triggers: [
      { ...trigger, condition: 'Disk used met or exceeded 90', metric: 'used' },
      { ...trigger, condition: 'Met or exceeded 3', metric: 'DISK_reads' },
      { ...trigger, condition: 'Met or exceeded 9', metric: 'load' },
    ],
  })
  const found = await world.answerTo<'triggers'>({ kind: 'triggers', filter: 'disk', page: 1 })
  expect(found.list.items.map(({ metric }) => metric)).toEqual(['used', 'DISK_reads'])
  expect((await world.answerTo<'triggers'>({ kind: 'triggers', filter: null, page: 1 })).list.total).toBe(3)
})

describe('audit', () => {
  const about = (server: string | null, page = 1) => ({ kind: 'audit', server, page }) as const
  const entry = (n: number, hostname: string | null) =>
    anEntry({ auditId: `a${n}`, atMs: at(0) + n * minuteMs, hostname })

  test('the newest first, of everything or of one server, also of one that is gone', async () => {
    const world = await askWorld()
    await world.knows({ audit: [entry(1, 'web-1'), entry(2, 'gone-1'), entry(3, null)] })
    const ids = async (server: string | null) =>
      (await world.answerTo<'audit'>(about(server))).list.items.map(({ auditId }) => auditId)
    expect(await ids(null)).toEqual(['a3', 'a2', 'a1'])
    expect(await ids('gone-1')).toEqual(['a2'])
  })

  test('of a server without any is empty, and of one that nobody knows is refused', async () => {
    const world = await askWorld({ roles: new Map([['web', ['web-1']]]) })
    expect((await world.answerTo<'audit'>(about('web-1'))).list.total).toBe(0)
    expect(await world.asks(about('wbe-1'))).toMatchObject({
      refusal: { why: 'unknown_server', similar: ['web-1'] },
    })
  })
})

test('roles and triggers that cannot be read are counted beside those that can', async () => {
  const world = await askWorld({ roles: new Map([['web', ['web-1']]]), skipped: 2 })
  for (const about of [null, 'web', 'web-1'])
    expect(await world.answerTo<'roles'>({ kind: 'roles', about, page: 1 })).toMatchObject({ unreadable: 2 })
  const found = await world.answerTo<'triggers'>({ kind: 'triggers', filter: null, page: 1 })
  expect(found).toMatchObject({ unreadable: 2, list: { total: 0 } })
})

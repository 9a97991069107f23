/** What somebody silenced at a real Alertmanager, or another alert inhibits: open, and told with what mutes it. */
import { expect, test } from 'vitest'
import { openMutedBy } from '../../../src/service/prometheus/muted-by.ts'
import { namingByLabel } from '../../../src/service/prometheus/naming.ts'
import type { ManagedAlert, Silence } from '../../../src/service/prometheus/records.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { patienceMs } from '../../support/patience.ts'
import { openEngine, staysOpen, waiting } from './engine-town.ts'
import { openFront } from './front.ts'
import { managed, settings, startMs } from './made.ts'
import { lacks, run } from './programs.ts'

const soon = { timeout: patienceMs, interval: 200 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

story(
  'what somebody silences elsewhere stays open and says who, until when and why, also when the service is started anew, and is itself again afterwards',
  async (t) => {
    const { shop, managers, manager, at } = await openEngine(t, { alertmanagers: 2 })
    const first = await openFront(t, at)
    let front = first
    const amtool = (...args: string[]) => run('amtool', ['--alertmanager.url', manager.url, ...args])
    const told = async () =>
      (await front.alerts('all')).map(({ id, lifecycle, title, muted_by }) => [
        id,
        lifecycle,
        title,
        muted_by?.map(({ until, ...rest }) => ({ ...rest, ...(until && { until: instant.test(until) }) })),
      ])
    shop.set('orders_waiting', 120)
    await expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    const [[id, , title] = []] = await told()
    const itself = [[id, 'start', title, undefined]]
    expect(await told()).toEqual(itself)
    await front.ask('/servers/shop-1', { notifications: 'false' })
    const ours = expect.objectContaining({ kind: 'silence', ours: true })
    await expect.poll(told, soon).toEqual([[id, 'start', title, [ours]]])

    const silence = (
      await amtool(
        'silence',
        'add',
        'alertname=OrdersWaiting',
        '--comment=x',
        '--author=ben',
        '--duration=2h',
      )
    ).trim()
    const theirs = { kind: 'silence', id: silence, by: 'ben', until: true, why: 'x', ours: false }
    const mutes = async () => ((await told())[0]?.[3] as object[] | undefined)?.length
    await expect.poll(mutes, soon).toBe(2)
    expect((await told())[0]?.[3]).toEqual(expect.arrayContaining([ours, theirs]))
    managers[1]?.signal('SIGSTOP')
    expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    managers[1]?.signal('SIGCONT')
    await front.ask('/servers/shop-1', { notifications: 'true' })
    expect(await amtool('silence', 'query')).not.toContain('monbot')
    const said = [[id, 'start', title, [theirs]]]
    await expect.poll(told, soon).toEqual(said)
    // With what it knew, and knowing nothing: then it is one that was silenced before anybody looked.
    for (const file of [first.file, null]) {
      await front.service.close()
      front = await openFront(t, at, file === null ? {} : { file })
      await expect.poll(told, soon).toEqual(said)
    }
    await amtool('silence', 'expire', silence)
    await expect.poll(told, soon).toEqual(itself)
  },
)

story('what another alert inhibits stays open and says which one, from the start too', async (t) => {
  const config = {
    route: { receiver: 'nobody' },
    receivers: [{ name: 'nobody' }],
    inhibit_rules: [
      { source_matchers: ['alertname="Outage"'], target_matchers: ['alertname=~"OrdersWaiting|Late"'] },
    ],
  }
  const { shop, prometheus, at } = await openEngine(t, { config })
  const front = await openFront(t, at)
  shop.set('orders_waiting', 120)
  await expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
  const told = async () =>
    Object.fromEntries((await front.alerts('start')).map((one) => [one.plugin_name, one.muted_by]))
  const outage = { alert: 'Outage', expr: 'orders_waiting > 110' }
  const late = { alert: 'Late', expr: 'orders_waiting > 50' }
  await prometheus.change({ rules: [waiting, outage] })
  const byOutage = [{ kind: 'inhibition', by: 'Outage on shop-1', ours: false }]
  await expect.poll(told, soon).toEqual({ OrdersWaiting: byOutage, Outage: undefined })
  await prometheus.change({ rules: [waiting, outage, late] })
  await expect.poll(told, soon).toEqual({ OrdersWaiting: byOutage, Outage: undefined, Late: byOutage })
  expect(await staysOpen(front.open)).toHaveLength(1)
  shop.set('orders_waiting', 105)
  await expect.poll(told, soon).toEqual({ OrdersWaiting: undefined, Late: undefined })
  shop.set('orders_waiting', 1)
  await expect.poll(told, soon).toEqual({})
})

const silenceOf = (id: string, given: Partial<Silence> = {}): Silence => ({
  id,
  state: 'active',
  createdBy: 'ana',
  comment: 'disk is being replaced',
  matchers: [],
  startsAtMs: startMs,
  endsAtMs: startMs + 3_600_000,
  updatedAtMs: startMs,
  ...given,
})

async function mutesOf(
  silences: readonly Silence[] | null,
  given: Partial<ManagedAlert>,
  others: readonly ManagedAlert[] = [],
) {
  const one = managed({ alertname: 'A' }, { state: 'suppressed', ...given })
  const mutedBy = openMutedBy({
    managers: {
      async silences() {
        if (silences === null) throw new Refusal(503, 'away')
        return silences
      },
    },
    ownOf: (id) => (id.startsWith('ours') ? { id: `mute-${id}`, by: 'ben', untilMs: startMs + 1 } : null),
    naming: namingByLabel(settings),
    nowMs: () => startMs,
  })
  return (await mutedBy.read([one, ...others]))(one)
}

const nothing = { id: null, by: null, untilMs: null, why: null, isOurs: false }

test('an alert that is not suppressed is muted by nothing', async () => {
  expect(await mutesOf([], { state: 'active' })).toEqual([])
  expect(await mutesOf([], { state: 'unprocessed' })).toEqual([])
})

test('what suppresses it may be unreadable, and it is muted all the same', async () => {
  expect(await mutesOf([], {})).toEqual([{ ...nothing, kind: 'silence' }])
  for (const silences of [null, []]) {
    expect(await mutesOf(silences, { silencedBy: ['gone'] })).toEqual([
      { ...nothing, kind: 'silence', id: 'gone' },
    ])
  }
  const odd = silenceOf('odd', { createdBy: ' \n', comment: '', endsAtMs: 0 })
  expect(await mutesOf([odd], { silencedBy: ['odd'] })).toEqual([{ ...nothing, kind: 'silence', id: 'odd' }])
  expect(await mutesOf([], { inhibitedBy: ['not-listed'] })).toEqual([{ ...nothing, kind: 'inhibition' }])
})

test('of many the five are told that end last, silences before inhibitions, and one of ours until it ends itself', async () => {
  const silences = [1, 2, 3, 4, 5].map((hours) =>
    silenceOf(`s${hours}`, { endsAtMs: startMs + hours * 3_600_000 }),
  )
  const silencedBy = ['ours-1', ...silences.map(({ id }) => id)]
  const idsOf = async (given: Partial<ManagedAlert>) =>
    (await mutesOf(silences, given)).map(({ id, kind }) => id ?? kind)
  expect(await idsOf({ silencedBy })).toEqual(['s5', 's4', 's3', 's2', 's1'])
  expect(await idsOf({ silencedBy: silencedBy.slice(0, 4), inhibitedBy: ['x'] })).toEqual([
    's3',
    's2',
    's1',
    'mute-ours-1',
    'inhibition',
  ])
  expect(await mutesOf([], { silencedBy: ['ours-1'] })).toEqual([
    { ...nothing, kind: 'silence', id: 'mute-ours-1', by: 'ben', untilMs: startMs + 1, isOurs: true },
  ])
})

test.each([
  [{ alertname: 'NodeDown', instance: 'node-3:9100' }, 'NodeDown on node-3'],
  [{ alertname: 'ClusterDown' }, 'ClusterDown'],
  [{ instance: 'node-3' }, 'an alert on node-3'],
  [{ alertname: 'A\n\u0000B', job: 'shop' }, 'A B on shop'],
])('an alert with %j that inhibits is %s', async (labels, by) => {
  const others = ['f1', 'f2'].map((fingerprint) => managed(labels, { fingerprint }))
  expect(await mutesOf([], { inhibitedBy: ['f1', 'f2'] }, others)).toEqual([
    { ...nothing, kind: 'inhibition', by },
  ])
})

test('names and reasons of others are one line of at most so many characters', async () => {
  const long = silenceOf('s', { createdBy: 'a'.repeat(101), comment: `x\n\t y ${'z'.repeat(300)}` })
  const [{ by, why } = { by: '', why: '' }] = await mutesOf([long], { silencedBy: ['s'] })
  expect([by?.length, why?.length]).toEqual([100, 300])
  expect([by, why]).toEqual([expect.stringMatching(/^a{99}…$/), expect.stringMatching(/^x y z+…$/)])
})

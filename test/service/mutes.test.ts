/** Mutes in front of an Alertmanager: silences that are made, renewed and ended, and what people do with them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Identity, troubleOf } from '../../src/service/prometheus/identity.ts'
import { matchersOfAlert, matching, parseMatcher } from '../../src/service/prometheus/matchers.ts'
import { Naming } from '../../src/service/prometheus/naming.ts'
import { type FakeSilence, type Front, type Labels, openFront } from './worlds/engines.ts'
import { day, minute, openTown } from './worlds/town.ts'

const hour = 60 * minute

/** Two servers with an alert each. */
async function openMuted(): Promise<Front & { ids: number[] }> {
  const town = await openFront()
  const rule = town.engine.rule('Busy')
  for (const instance of ['web-1:9100', 'web-2:9100']) town.fire(rule, { instance, severity: 'critical' })
  await town.rounds(1)
  const alerts = await town.alerts()
  const ids = ['web-1', 'web-2'].map((name) => alerts.find((one) => one.server_name === name).id as number)
  return { ...town, ids }
}

const textsOf = ({ matchers }: FakeSilence) =>
  matchers
    .map(
      ({ name, value, isRegex, isEqual }) =>
        `${name}${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}${value}`,
    )
    .sort()
const aheadMin = (town: Front, { endsAt }: FakeSilence) => (Date.parse(endsAt) - town.clock.nowMs()) / minute
const switched = (town: Front, isOn: boolean, path = '/servers/web-1') =>
  town.form('POST', path, { notifications: String(isOn) })
/** For a day, whatever is busy. */
const silencedBy = ({ manager, clock }: Front, createdBy: string, comment: string) =>
  manager.post({
    matchers: [{ name: 'alertname', value: 'Busy', isRegex: false, isEqual: true }],
    startsAt: new Date(clock.nowMs()).toISOString(),
    endsAt: new Date(clock.nowMs() + day).toISOString(),
    createdBy,
    comment,
  })
const muted = async (town: Front) =>
  (await town.alerts())
    .filter((one) => one.muted_by)
    .map((one) => one.server_name)
    .sort()

describe('a server', () => {
  test('is silenced by all of its names, an hour ahead, renewed under the same id, and ended', async () => {
    const town = await openMuted()
    expect((await switched(town, false)).status).toBe(200)
    const [silence, ...others] = town.manager.silences
    expect(others).toEqual([])
    expect(silence).toMatchObject({
      createdBy: 'monbot',
      comment: expect.stringMatching(/^the API: web-1 is muted \(monbot \w{12} [\w-]{16}\)$/),
    })
    const absent =
      'cluster cronjob daemonset deployment horizontalpodautoscaler host job_name namespace node nodename persistentvolumeclaim pod server statefulset'
    const wanted = [
      ...absent.split(' ').map((name) => `${name}=`),
      'instance=~web-1(?::[0-9]+)?',
      'severity!=none',
    ]
    expect(textsOf(silence as FakeSilence)).toEqual(wanted.sort())
    await town.rounds(1)
    expect(await muted(town)).toEqual(['web-1'])
    const { startsAt } = silence as FakeSilence
    for (let passed = 0; passed < 200; passed += 1) {
      town.clock.pass(minute)
      await town.rounds(1)
      expect(aheadMin(town, town.manager.silences[0] as FakeSilence)).toBeGreaterThan(14)
    }
    expect(town.manager.silences).toMatchObject([{ id: 'silence-1', startsAt }])
    expect((await switched(town, true)).status).toBe(200)
    expect(town.manager.active()).toEqual([])
  })

  test('that is called otherwise later is silenced that way too; of a workload whatever pod it has', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Restarts')
    const pods = ['web-7c9d8b6f5-x2x4z', 'web-7c9d8b6f5-bbbbb', 'web-admin-7c9d8b6f5-x2x4z']
    town.fire(rule, { namespace: 'pay', pod: pods[0] ?? '' })
    await town.rounds(1)
    await switched(town, false, '/servers/pay%2Fweb')
    for (const pod of pods.slice(1)) town.fire(rule, { namespace: 'pay', pod })
    town.fire(town.engine.rule('Replicas'), { namespace: 'pay', deployment: 'web' })
    await town.rounds(2)
    expect(await muted(town)).toEqual(['pay/web', 'pay/web', 'pay/web'])
    expect(town.manager.active()).toHaveLength(2)
  })

  test('that nobody knows an alert of yet is silenced by what is scraped of it, and by what was', async () => {
    const town = await openFront()
    town.engine.up = [{ instance: '10.0.0.7:9100', host: 'db-1', job: 'node' }]
    await town.rounds(1)
    await switched(town, false, '/servers/db-1')
    expect(textsOf(town.manager.active()[0] as FakeSilence)).toContain('host=~db-1(?::[0-9]+)?')
    town.engine.up = []
    await town.rounds(2)
    expect(town.manager.active()).toMatchObject([{ id: 'silence-1' }])
  })

  test('keeps to itself: the end of another server’s mute ends all of that', async () => {
    const town = await openMuted()
    for (const path of ['/servers/web-1', '/servers/web-2']) await switched(town, false, path)
    await town.rounds(1)
    await switched(town, true, '/servers/web-2')
    await town.rounds(1)
    expect(await muted(town)).toEqual(['web-1'])
  })

  test('two requests at once, and a round between them, make one silence', async () => {
    const town = await openMuted()
    await Promise.all([
      switched(town, false),
      town.service.tick(),
      switched(town, false),
      town.service.tick(),
    ])
    expect(town.manager.silences).toHaveLength(1)
  })

  test('a restart goes on with its silence', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'monbot-service-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'monitor.db')
    const town = await openFront({ file })
    town.fire(town.engine.rule('Busy'), { instance: 'web-1:9100' })
    await town.rounds(1)
    await switched(town, false)
    await town.service.close()
    town.clock.pass(50 * minute)
    const again = await openTown({ prometheus: town.options, nowMs: town.clock.nowMs, file })
    await again.pass(2)
    expect(town.manager.silences).toHaveLength(1)
    expect(aheadMin(town, town.manager.silences[0] as FakeSilence)).toBeGreaterThan(59)
  })
})

test('the account: everything but what is for machines; what ends last is said first', async () => {
  const town = await openMuted()
  town.manager.add({ alertname: 'Watchdog', severity: 'none' })
  silencedBy(town, 'ana', 'moving')
  await switched(town, false, '/account')
  await town.rounds(1)
  expect(await muted(town)).toEqual(['web-1', 'web-2'])
  const busy = (await town.alerts()).find(({ plugin_name: plugin }) => plugin === 'Busy')
  expect(busy.muted_by).toMatchObject([{ ours: true }, { by: 'ana', ours: false }])
  await switched(town, true, '/account')
  expect(town.manager.active()).toMatchObject([{ createdBy: 'ana' }])
})

describe('one alert', () => {
  const mute = (town: Front, fields: Record<string, string>) =>
    town.form('POST', '/mutes.json', { id: 'm1', by: 'ana', why: 'disk', ...fields })

  test('is muted alone, by its own labels, until its time, and said so', async () => {
    const town = await openMuted()
    const until = new Date(town.clock.nowMs() + 3 * hour).toISOString()
    expect(await mute(town, { alert: String(town.ids[0]), until })).toMatchObject({
      status: 200,
      body: {
        message: 'm1 hides 1 open alert',
        result: {
          id: 'm1',
          hides: 1,
          alerts: [town.ids[0]],
          trouble: expect.any(String),
          matchers: ['alertname="Busy"', 'instance="web-1:9100"', 'severity="critical"'],
        },
      },
    })
    await town.rounds(1)
    const [alert] = (await town.alerts()).filter((one) => one.muted_by)
    expect(alert.muted_by).toEqual([
      { kind: 'silence', id: 'silence-1', by: 'ana', until, why: 'disk', ours: true },
    ])
    expect((await town.api('/mutes.json')).body.results).toMatchObject([
      { id: 'silence-1', ours: true, by: 'ana', until, why: 'disk', hides: 1, alerts: [town.ids[0]] },
    ])
    town.clock.pass(3 * hour)
    await town.rounds(2)
    expect([town.manager.active(), await muted(town)]).toEqual([[], []])
    expect(town.manager.silences.every(({ endsAt }) => endsAt <= until)).toBe(true)
  })

  test('a preview changes nothing; the same name again changes the same mute', async () => {
    const town = await openMuted()
    expect((await mute(town, { alert: String(town.ids[0]), preview: 'true' })).body.message).toBe(
      'm1 would hide 1 open alert',
    )
    expect(town.manager.silences).toEqual([])
    await mute(town, { alert: String(town.ids[0]) })
    const until = new Date(town.clock.nowMs() + 10 * minute).toISOString()
    await mute(town, { until })
    expect(town.manager.silences).toMatchObject([{ id: 'silence-1', endsAt: until }])
    await mute(town, { matchers: 'instance=~"web-.*"\nseverity!="none"' })
    expect(town.manager.active().map(textsOf)).toEqual([['instance=~web-.*', 'severity!=none']])
    expect(await town.form('DELETE', '/mutes/m1.json')).toMatchObject({
      status: 200,
      body: { message: 'm1 was ended' },
    })
    expect(town.manager.active()).toEqual([])
  })

  test.each([
    ['no alert and no matchers', {}, 422, /^alert: expected the number of an alert, or matchers/],
    ['an alert that is none', { alert: '5' }, 404, /^alert: no alert has the number 5/],
    [
      'a time that has passed',
      { alert: '5', until: '2020-01-01T00:00:00Z' },
      422,
      /^until: expected a time to come/,
    ],
    ['a time that is none', { until: 'tomorrow' }, 422, /^until: expected a time such as/],
    ['a name that is none', { id: 'a b' }, 422, /^id: expected/],
    ['matchers that are none', { matchers: 'web' }, 422, /^matchers: expected lines such as/],
    ['a value with a broken quote', { matchers: 'a="\\x"' }, 422, /^matchers: expected/],
  ] as const)('%s is refused', async (_, fields, status, message) => {
    const town = await openMuted()
    expect(await mute(town, fields)).toMatchObject({
      status,
      body: { message: expect.stringMatching(message) },
    })
    expect(town.manager.silences).toEqual([])
  })

  test('what the Alertmanager refuses is said in its words, and nothing is muted', async () => {
    const town = await openMuted()
    town.manager.faults = { POST: 400 }
    expect(await mute(town, { matchers: 'a=~"("' })).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^Alertmanager at \S+ answered 400: on purpose$/) },
    })
    town.manager.faults = {}
    await town.rounds(2)
    expect(town.manager.silences).toEqual([])
  })

  test('what fails for another mute fails no request, and is reported', async () => {
    const town = await openMuted()
    await switched(town, false)
    await mute(town, { alert: String(town.ids[1]) })
    town.clock.pass(50 * minute)
    town.manager.faults = { POST: 503 }
    expect((await town.form('DELETE', '/mutes/m1.json')).status).toBe(200)
    expect(town.reported).toEqual([])
    await town.rounds(1)
    expect(town.reported).toEqual([expect.stringContaining('answered 503')])
  })

  test('what cannot be asked is not muted; what cannot be ended ends as soon as it can', async () => {
    const town = await openMuted()
    town.manager.faults = { silence: 503 }
    expect((await mute(town, { alert: String(town.ids[0]) })).status).toBe(502)
    expect((await switched(town, false)).status).toBe(502)
    town.manager.faults = {}
    await town.rounds(2)
    expect(town.manager.silences).toEqual([])
    await mute(town, { alert: String(town.ids[0]) })
    town.manager.faults = { silence: 503 }
    expect((await town.form('DELETE', '/mutes/m1.json')).status).toBe(502)
    town.manager.faults = {}
    await town.rounds(1)
    expect(town.manager.active()).toEqual([])
  })

  test('of two Alertmanagers one that takes it is enough', async () => {
    const town = await openFront({ managers: 2 })
    town.manager.faults = { silences: 503 }
    expect((await town.form('POST', '/account', { notifications: 'false' })).status).toBe(200)
    expect(town.managers[1]?.active()).toHaveLength(1)
  })
})

describe('people at the Alertmanager', () => {
  const edit = (town: Front, change: Partial<FakeSilence>) => {
    town.clock.pass(minute)
    const { updatedAt: _, ...silence } = { ...(town.manager.active()[0] as FakeSilence), ...change }
    town.manager.post(silence)
  }
  const isOn = (town: Front) =>
    town.service.control.state().servers.find(({ host }) => host === 'web-1')?.notifications

  test('whoever ends a silence of ours ends the mute', async () => {
    const town = await openMuted()
    await switched(town, false)
    await town.rounds(1)
    town.clock.pass(minute)
    town.manager.expire('silence-1')
    await town.rounds(2)
    expect([town.manager.active(), isOn(town)]).toEqual([[], true])
    expect(town.reported).toEqual(['the mute server:web-1 was ended at the Alertmanager'])
    expect((await switched(town, false)).status).toBe(200)
    expect(town.manager.active()).toHaveLength(1)
  })

  test.each([
    ['its end', (town: Front) => ({ endsAt: new Date(town.clock.nowMs() + 5 * hour).toISOString() })],
    [
      'an earlier end',
      (town: Front) => ({ endsAt: new Date(town.clock.nowMs() + 10 * minute).toISOString() }),
    ],
    ['its author', () => ({ createdBy: 'ana' })],
    ['its words', () => ({ comment: 'mine' })],
  ])('whoever edits %s takes it over: it is neither renewed nor ended', async (_, change) => {
    const town = await openMuted()
    await switched(town, false)
    await town.rounds(2)
    edit(town, change(town))
    const silence = { ...town.manager.silences[0] }
    await town.rounds(5)
    expect(town.manager.silences).toEqual([silence])
    expect(isOn(town)).toBe(true)
    expect((await town.api('/mutes.json')).body.results).toMatchObject([{ ours: false }])
  })

  test('one that ran out while the service was away is made again', async () => {
    const town = await openMuted()
    await switched(town, false)
    await town.rounds(1)
    town.clock.pass(2 * hour)
    await town.rounds(1)
    expect(town.manager.silences).toHaveLength(2)
    expect([town.manager.active().length, isOn(town)]).toEqual([1, false])
  })

  test('theirs are listed, left alone, and can be ended from here; one that is over is no error', async () => {
    const town = await openMuted()
    const { silenceID } = silencedBy(town, 'monbot', 'x (monbot otherservice abcdefghijklmnop)')
    await switched(town, false)
    await switched(town, true)
    await town.rounds(3)
    expect(town.manager.active().map(({ id }) => id)).toEqual([silenceID])
    const { results } = (await town.api('/mutes.json')).body
    expect(results).toMatchObject([{ id: silenceID, ours: false, hides: 2, matchers: ['alertname="Busy"'] }])
    town.manager.faults = { DELETE: 503 }
    expect((await town.form('DELETE', `/mutes/${silenceID}.json`)).status).toBe(502)
    town.manager.faults = {}
    expect((await town.form('DELETE', `/mutes/${silenceID}.json`)).body.message).toBe(
      `${silenceID} was ended`,
    )
    expect((await town.form('DELETE', `/mutes/${silenceID}.json`)).body.message).toBe(
      `${silenceID} is not there any more`,
    )
  })
})

describe('matchers', () => {
  const own = {
    alertname: 'A',
    severity: 'page',
    namespace: 'pay',
    pod: 'web-7c9d8b6f5-x2x4z',
    instance: '10.0.0.1:80',
    uid: 'u',
  }
  const matched = (labels: Labels, others: Labels[]) => {
    return [labels, ...others].map(matching(matchersOfAlert(labels, others).map(parseMatcher)))
  }

  test.each<[string, Labels, Labels, boolean]>([
    [
      'the same pod anew',
      own,
      { ...own, pod: 'web-7c9d8b6f5-bbbbb', instance: '10.0.0.9:80', uid: 'v' },
      true,
    ],
    ['a pod of a later version', own, { ...own, pod: 'web-5dd8c6b4f7-bbbbb' }, true],
    ['a twin of another severity', own, { ...own, severity: 'warning' }, false],
    ['a pod of another workload', own, { ...own, pod: 'web-admin-7c9d8b6f5-x2x4z' }, false],
    ['the same in another cluster', { ...own, cluster: 'eu' }, { ...own, cluster: 'us' }, false],
    ['one that is more exact', { alertname: 'A' }, { alertname: 'A', device: 'sda' }, false],
    ['one that is less exact', { alertname: 'A', device: 'sda' }, { alertname: 'A' }, false],
  ])('of one alert: %s is matched, and the same trouble: %#', (_, labels, other, isHidden) => {
    expect(matched(labels, [other])).toEqual([true, isHidden])
    const [trouble, others] = [labels, other].map((one) => troubleOf(new Identity([]).keyOf(one)))
    expect(others === trouble).toBe(isHidden)
  })

  test('no more empty ones than tell it apart', () => {
    const others = [
      { alertname: 'A', device: 'sda', fstype: 'ext4' },
      { alertname: 'A', fstype: 'ext4', device: 'sdb' },
    ]
    expect(matchersOfAlert({ alertname: 'A' }, others)).toEqual(['alertname="A"', 'device=""'])
  })

  test('of a server find what has its name by the same template, and nothing with another name', () => {
    const naming = new Naming([])
    const all: Labels[] = [
      { namespace: 'pay', deployment: 'web' },
      { namespace: 'pay', pod: 'web-7c9d8b6f5-x2x4z' },
      { namespace: 'pay', pod: 'web-admin-7c9d8b6f5-x2x4z' },
      { node: 'n1' },
      { node: 'n1', namespace: 'pay', pod: 'web-7c9d8b6f5-x2x4z' },
      { instance: 'web-1:9100' },
      { instance: 'web-10:9100' },
      { instance: 'web-1', namespace: 'pay', deployment: 'x' },
      { nodename: 'web-1' },
      { cluster: 'us', instance: 'web-1:9100' },
      { job: 'web-1' },
      { namespace: 'pay' },
      {},
    ]
    for (const labels of all) {
      const { host, matchers } = naming.nameOf(labels)
      const isFound = matching(matchers.map(parseMatcher))
      const found = all.filter((one) => isFound({ alertname: 'A', ...one }))
      expect(found).toContain(labels)
      for (const one of found) expect([host, naming.nameOf(one).host]).toEqual([host, host])
    }
  })
})

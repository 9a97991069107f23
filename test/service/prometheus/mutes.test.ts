/** Mutes of single alerts over the API, in front of a real Prometheus and a real Alertmanager. */
import { expect, test } from 'vitest'
import { openService } from '../../../src/service/service.ts'
import { patienceMs } from '../../support/patience.ts'
import { type Front, openFront, openShop } from './front.ts'
import { settingsOf } from './made.ts'
import { type Ending, lacks, run } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const soon = { timeout: patienceMs, interval: 250 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test

const rules = [
  { alert: 'QueueLong', expr: 'queue > 100', labels: { severity: 'warning' } },
  { alert: 'QueueLong', expr: 'queue > 1000', labels: { severity: 'critical' } },
]

type Mute = {
  readonly id: string
  readonly ours: boolean
  readonly by: string | null
  readonly until: string | null
  readonly why: string | null
  readonly matchers: readonly string[]
  readonly alerts: readonly number[]
  readonly hides: number
}

async function openTown(t: Ending) {
  const shop = await openShop(t)
  const [manager] = await openAlertmanagers(t)
  const url = manager?.url ?? ''
  const prometheus = await openPrometheus(t, {
    jobs: [{ job: 'shop', targets: [shop.url], instance: 'shop-1:9100' }],
    rules,
    alertmanagers: [url],
    externalLabels: { cluster: 'eu', prometheus_replica: 'a' },
  })
  const at = { prometheus: prometheus.url, alertmanagers: [url] }
  const front = await openFront(t, at)
  const amtool = (...args: string[]) => run('amtool', ['--alertmanager.url', url, ...args])
  /** What notifies somebody at the Alertmanager. */
  const loud = async () => {
    const listed = JSON.parse(await amtool('alert', 'query', '--active', '-o', 'json')) as {
      labels: Record<string, string>
    }[]
    return listed
      .map(({ labels }) => [labels.queue, labels.team, labels.severity].filter(Boolean).join(' '))
      .sort()
  }
  const comments = async () =>
    (JSON.parse(await amtool('silence', 'query', '-o', 'json')) as { comment: string; createdBy: string }[])
      .map(({ comment, createdBy }) => `${createdBy}: ${comment.replace(/monbot \S+\)$/, 'monbot …)')}`)
      .sort()
  return { shop, manager, prometheus, at, front, amtool, loud, comments }
}

const mutesOf = async (front: Front): Promise<readonly Mute[]> => {
  const { status, body } = await front.ask('/mutes.json')
  if (status !== 200) throw new Error(`${status}: ${body.message}`)
  return body.results as readonly Mute[]
}

story(
  'one alert is muted, and its neighbours of the same name, with fewer labels, and of another severity are not',
  async (t) => {
    const { shop, front, loud, comments, amtool, manager, prometheus } = await openTown(t)
    shop.set('queue{queue="pay"}', 200)
    shop.set('queue{queue="pay",team="a"}', 200)
    shop.set('queue{queue="stock"}', 200)
    await expect.poll(loud, soon).toEqual(['pay a warning', 'pay warning', 'stock warning'])
    await expect.poll(front.open, soon).toHaveLength(3)
    const labelled = await front.alerts('start')
    expect(labelled.every((one) => one.can_mute)).toBe(true)
    const shown = await Promise.all(
      labelled.map(async ({ id }) => {
        const { body } = await front.ask('/mutes.json', { id: 'm', alert: String(id), preview: 'true' })
        return body.result as { matchers: readonly string[]; alerts: readonly number[]; hides: number }
      }),
    )
    // Each of them hides itself alone.
    expect(shown.map(({ alerts }) => alerts)).toEqual(labelled.map(({ id }) => [id]))
    expect(await mutesOf(front)).toEqual([])
    const bare = shown.findIndex(
      ({ matchers }) => matchers.includes('queue="pay"') && matchers.includes('team=""'),
    )
    expect(shown[bare]?.matchers).toEqual([
      'alertname="QueueLong"',
      'cluster="eu"',
      'instance="shop-1:9100"',
      'job="shop"',
      'queue="pay"',
      'severity="warning"',
      'team=""',
    ])

    const alert = String(labelled[bare]?.id)
    const until = new Date(Date.now() + 7_200_000).toISOString()
    const wish = { id: 'alert-1', alert, until, by: 'ana\n(on call)', why: 'a known\tproblem: #7' }
    for (let n = 0; n < 2; n += 1) {
      const { status, body } = await front.ask('/mutes.json', wish)
      expect([status, body.message]).toEqual([200, 'alert-1 hides 1 open alert'])
      expect(body.result).toMatchObject({ id: 'alert-1', hides: 1, alerts: [Number(alert)] })
      expect((body.result as { trouble: string }).trouble).toMatch(/^\w{1,64}$/)
      expect(await loud()).toEqual(['pay a warning', 'stock warning'])
      expect(await comments()).toEqual([
        `monbot: Muted QueueLong until ${until.slice(0, 19).replace('T', ' ')} UTC by ana (on call): a known problem: #7 (monbot …)`,
      ])
    }
    await expect
      .poll(async () => (await mutesOf(front)).map(({ alerts }) => alerts), soon)
      .toEqual([[Number(alert)]])
    expect(await mutesOf(front)).toMatchObject([
      { id: 'alert-1', ours: true, by: 'ana (on call)', until, why: 'a known problem: #7', hides: 1 },
    ])
    const muted = (await front.alerts('start')).filter(({ muted_by: by }) => by !== undefined)
    expect(muted.map(({ id, muted_by: by }) => [id, by])).toEqual([
      [
        Number(alert),
        [
          {
            kind: 'silence',
            id: 'alert-1',
            by: 'ana (on call)',
            until,
            why: 'a known problem: #7',
            ours: true,
          },
        ],
      ],
    ])
    // Worse, it is another trouble, and breaks through.
    shop.set('queue{queue="pay"}', 2_000)
    await expect.poll(loud, soon).toEqual(['pay a warning', 'pay critical', 'stock warning'])
    shop.set('queue{queue="pay"}', 200)

    // It may be over by the time the mute changes.
    const changed = await front.ask('/mutes.json', { id: 'alert-1', matchers: 'queue=~"pay|stock"' })
    expect(changed.body.result).toMatchObject({ matchers: ['queue=~"pay|stock"'] })
    await expect.poll(loud, soon).toEqual([])
    expect((await mutesOf(front))[0]).toMatchObject({ id: 'alert-1', until: null, by: 'ana (on call)' })
    expect((await front.ask('/mutes/alert-1.json', undefined, 'DELETE')).body.message).toBe(
      'alert-1 was ended',
    )
    await expect.poll(loud, soon).toEqual(['pay a warning', 'pay warning', 'stock warning'])
    expect(await front.ask('/mutes/alert-1.json', undefined, 'DELETE')).toEqual({
      status: 200,
      body: { message: 'alert-1 is not there any more' },
    })
    // What was replaced is gone as well.
    await expect.poll(comments, { timeout: 30_000, interval: 500 }).toEqual([])

    // Of others.
    const silence = (
      await amtool(
        'silence',
        'add',
        'queue=stock',
        '--comment=<!channel> works',
        '--author=ben',
        '--duration=2h',
      )
    ).trim()
    await expect.poll(async () => (await mutesOf(front)).map(({ hides }) => hides), soon).toEqual([1])
    expect(await mutesOf(front)).toMatchObject([
      { id: silence, ours: false, by: 'ben', why: '<!channel> works', matchers: ['queue="stock"'] },
    ])
    expect((await front.ask(`/mutes/${silence}.json`, undefined, 'DELETE')).body.message).toBe(
      `${silence} was ended`,
    )
    expect(await mutesOf(front)).toEqual([])
    expect(await loud()).toHaveLength(3)

    // One that begins later hides nothing yet.
    const later = new Date(Date.now() + 3_600_000).toISOString()
    await amtool('silence', 'add', 'queue=stock', '--comment=x', '--duration=2h', `--start=${later}`)
    expect(await mutesOf(front)).toEqual([])

    // Ended there, a mute is ended here.
    await front.ask('/mutes.json', { id: 'alert-2', alert })
    await amtool(
      'silence',
      'expire',
      ...(await amtool('silence', 'query', '-q', 'alertname=QueueLong')).split(/\s+/).filter(Boolean),
    )
    expect(await mutesOf(front)).toEqual([])
    await expect.poll(async () => front.reported.join(), soon).toContain('somebody ended mute alert-2')
    // On a busy machine the worse one was heard of at the Alertmanager alone, and stays open for five minutes after the start.
    const warnings = async () =>
      (await front.alerts('start')).filter(({ labels }) => labels?.severity === 'warning')
    await expect.poll(async () => (await warnings()).flatMap((one) => one.muted_by ?? []), soon).toEqual([])
    expect(await loud()).toHaveLength(3)

    // A server's is ended by its id at the Alertmanager, and is on again.
    await front.ask('/servers/shop-1', { notifications: 'false' })
    const [server] = await mutesOf(front)
    expect(server).toMatchObject({
      ours: true,
      by: null,
      why: 'notifications of shop-1 are off',
      until: null,
    })
    await front.ask(`/mutes/${server?.id}.json`, undefined, 'DELETE')
    expect(await loud()).toHaveLength(3)

    // While Prometheus is away, mutes are made, seen and ended all the same.
    await prometheus.kill()
    expect((await front.ask('/mutes.json', { id: 'alert-3', alert })).status).toBe(200)
    expect(await mutesOf(front)).toMatchObject([{ id: 'alert-3' }])
    expect((await front.ask('/mutes/alert-3.json', undefined, 'DELETE')).status).toBe(200)
    expect(await mutesOf(front)).toEqual([])

    await manager?.kill()
    for (const [path, form, method] of [
      ['/mutes.json', undefined, 'GET'],
      ['/mutes.json', { id: 'm', matchers: 'a="b"' }, 'POST'],
      ['/mutes/m.json', undefined, 'DELETE'],
    ] as const) {
      const { status, body } = await front.ask(path, form, method)
      expect([status, body.message]).toEqual([
        503,
        expect.stringMatching(/^Alertmanager at \S+ cannot be asked/),
      ])
    }
  },
)

story(
  'what is meant for nobody is heard by those who wait for it, also while a server, or all, is muted',
  async (t) => {
    const { front, amtool, manager } = await openTown(t)
    const active = async () => {
      const said = await amtool('alert', 'query', '--active', '-o', 'json')
      return (JSON.parse(said) as { labels: Record<string, string> }[])
        .map(({ labels }) => labels.alertname)
        .sort()
    }
    const alerts = ['Watchdog none', 'InfoInhibitor none', 'Disk warning', 'Plain '].map((text) => {
      const [alertname = '', severity = ''] = text.split(' ')
      return { labels: { alertname, severity, instance: 'shop-1:9100' } }
    })
    const answer = await fetch(`${manager?.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect(answer.status).toBe(200)
    await expect.poll(front.open, soon).toHaveLength(4)
    for (const path of ['/servers/shop-1', '/account']) {
      expect((await front.ask(path, { notifications: 'false' })).status).toBe(200)
      expect(await active()).toEqual(['InfoInhibitor', 'Watchdog'])
      expect((await front.ask(path, { notifications: 'true' })).status).toBe(200)
      expect(await active()).toHaveLength(4)
    }
  },
)

story('of copies that a pair of Prometheuses sends, a mute hides both, and no neighbour', async (t) => {
  const { front, amtool, manager } = await openTown(t)
  const lag = { alertname: 'Lag', db: 'x' }
  const alerts = [
    { ...lag, replica: 'a', prometheus_replica: 'p-0' },
    { ...lag, replica: 'b', prometheus_replica: 'p-1' },
    { ...lag, db: 'y', replica: 'a', shard: '1' },
  ].map((labels) => ({ labels }))
  await fetch(`${manager?.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts),
  })
  await expect.poll(front.open, soon).toHaveLength(2)
  const one = (await front.alerts('start')).find(({ labels }) => labels?.db === 'x')
  const { body } = await front.ask('/mutes.json', { id: 'm', alert: String(one?.id) })
  expect(body.result).toMatchObject({
    matchers: ['alertname="Lag"', 'db="x"', 'shard=""'],
    alerts: [one?.id],
    trouble: one?.trouble,
  })
  const active = JSON.parse(await amtool('alert', 'query', '--active', '-o', 'json')) as {
    labels: Record<string, string>
  }[]
  expect(active.map(({ labels }) => labels.db)).toEqual(['y'])
})

story('what cannot be muted is a sentence, and nothing is', async (t) => {
  const { front, at } = await openTown(t)
  const refused = async (form: Readonly<Record<string, string>>) => {
    const { status, body } = await front.ask('/mutes.json', form)
    return `${status} ${body.message}`
  }
  expect(await refused({})).toMatch(/^422 id: expected 1 to 100 letters/)
  expect(await refused({ id: 'a b' })).toMatch(/^422 id: expected 1 to 100 letters/)
  expect(await refused({ id: 'm'.repeat(101), matchers: 'a="b"' })).toMatch(/^422 id:/)
  expect(await refused({ id: 'm' })).toMatch(/^404 no mute is called "m"; a new one needs alert/)
  expect(await refused({ id: 'm', alert: '12' })).toBe('404 no alert has the number 12')
  expect(await refused({ id: 'm', alert: 'x' })).toMatch(/^422 alert: expected a whole number/)
  expect(await refused({ id: 'm', matchers: 'a="b"', until: 'soon' })).toMatch(
    /^422 until: expected a time such as/,
  )
  expect(await refused({ id: 'm', matchers: 'a="b"', until: '2020-01-01T00:00:00Z' })).toMatch(
    /^422 until: expected a time that is yet to come; came 2020-01-01/,
  )
  expect(await refused({ id: 'm', matchers: 'a=~"("' })).toMatch(
    /^422 matchers: expected a regular expression/,
  )
  expect(await refused({ id: 'm', matchers: 'a=""' })).toMatch(/^422 matchers: .*absent label/)
  // Our reading takes it (UTF-8 names are for 0.27 and later), and this Alertmanager does not.
  expect(await refused({ id: 'm', matchers: '"a.b"="c"' })).toMatch(
    /^422 Alertmanager at \S+ answered 400: .*invalid label/,
  )
  expect(await mutesOf(front)).toEqual([])
  expect((await front.ask('/mutes/m.json', undefined, 'DELETE')).status).toBe(200)
  expect((await front.ask('/mutes/a%20b.json', undefined, 'DELETE')).status).toBe(422)
  expect((await front.ask('/mutes/m', undefined, 'DELETE')).status).toBe(404)
  expect((await front.ask('/mutes/.json', undefined, 'DELETE')).status).toBe(404)
  expect((await front.ask('/mutes/m.json')).status).toBe(405)

  const bare = await openService({
    key: 'k',
    prometheus: settingsOf({ ...at, alertmanagers: [] }),
    report() {},
  })
  t.onTestFinished(() => bare.close())
  for (const method of ['GET', 'POST'] as const) {
    const answer = await fetch(`${bare.url}/api/v2/k/mutes.json`, {
      method,
      ...(method === 'POST' ? { body: new URLSearchParams({ id: 'm', matchers: 'a="b"' }) } : {}),
    })
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { message: expect.stringMatching(/no Alertmanager is behind it/) },
    ])
  }
})

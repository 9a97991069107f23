/** What is told of an alert of real Prometheuses beyond the plain API, while it is open, after a restart, and when it is over. */

import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { staysOpen } from './engine-town.ts'
import { type Listed, openFront, openShop } from './front.ts'
import { lacks, run } from './programs.ts'
import { openAlertmanagers, openPrometheus, type RuleGiven } from './real.ts'

const soon = { timeout: patienceMs, interval: 200 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test.concurrent

const full = (percent: number): RuleGiven => ({
  alert: 'DiskFull',
  expr: `100 * (1 - disk_free_bytes / disk_size_bytes) > ${percent}`,
  labels: { severity: 'critical' },
  annotations: {
    summary: 'disk {{ $labels.mountpoint }} is nearly full',
    description:
      '{{ printf "%.0f" $value }} % of {{ $labels.mountpoint }}\n{{ range query "vector(1)" }}<!channel>{{ end }}',
    runbook_url: 'https://runbooks.example/DiskFull',
    wiki: 'javascript:alert(1)',
  },
})

async function openDisk(t: Parameters<typeof openShop>[0]) {
  const shop = await openShop(t)
  const of = (name: string) => `${name}{mountpoint="/data"}`
  shop.set(of('disk_size_bytes'), 1_000)
  const use = (percent: number) => shop.set(of('disk_free_bytes'), 1_000 - 10 * percent)
  use(1)
  return { jobs: [{ job: 'node', targets: [shop.url], instance: 'db-1:9100' }], use }
}

const detailsOf = ({ labels, description, links, trouble, units, limit, limit_side }: Listed) => ({
  labels,
  description,
  links,
  trouble,
  units,
  limit,
  limit_side,
})

story(
  'all that a rule says of its alert is told, is kept by the ledger, and is there when it is over',
  async (t) => {
    const [manager] = await openAlertmanagers(t, { count: 1 })
    const { jobs, use } = await openDisk(t)
    const prometheus = await openPrometheus(t, {
      jobs,
      rules: [full(90)],
      externalLabels: { cluster: 'eu' },
      alertmanagers: [manager?.url ?? ''],
    })
    const at = { prometheus: prometheus.url, alertmanagers: [manager?.url ?? ''] }
    const first = await openFront(t, at)
    use(95)
    await t.expect.poll(first.open, soon).toEqual(['DiskFull on db-1'])
    const [open] = await first.alerts('start')
    if (open === undefined) throw new Error('it was open')
    expect(open).toMatchObject({ title: 'disk /data is nearly full', metric_value: 95 })
    expect(detailsOf(open)).toEqual({
      labels: {
        alertname: 'DiskFull',
        cluster: 'eu',
        instance: 'db-1:9100',
        job: 'node',
        mountpoint: '/data',
        severity: 'critical',
      },
      description: '95 % of /data\n<!channel>',
      links: [{ text: 'Runbook', url: 'https://runbooks.example/DiskFull' }],
      trouble: expect.stringMatching(/^\w{1,64}$/),
      units: '%',
      limit: 90,
      limit_side: 'high',
    })
    // A value in the words is that of the opening: cards are not edited at each evaluation.
    use(99)
    expect(await staysOpen(first.open)).toEqual(['DiskFull on db-1'])
    await first.service.close()
    const second = await openFront(t, at, { file: first.file })
    expect((await second.alerts('start')).map(detailsOf)).toEqual([detailsOf(open)])
    const [page = ''] = (await second.alerts('start')).map(({ url }) => url)
    expect(await (await fetch(page)).text()).toContain('95 % of /data\n&lt;!channel&gt;')
    use(1)
    await t.expect.poll(second.open, soon).toEqual([])
    expect((await second.alerts('end')).map(detailsOf)).toEqual([detailsOf(open)])
    // Once more: another number, the same trouble.
    use(95)
    await t.expect.poll(second.open, soon).toEqual(['DiskFull on db-1'])
    const [again] = await second.alerts('start')
    expect([again?.id === open.id, again?.trouble]).toEqual([false, open.trouble])
  },
)

story(
  'copies of a pair of Prometheuses are one alert, muted when both are, and over when both are',
  async (t) => {
    const [manager] = await openAlertmanagers(t, { count: 1 })
    const { jobs, use } = await openDisk(t)
    // The one that the service does not ask says so for longer.
    const [asked] = await Promise.all(
      [90, 50].map((percent, at) =>
        openPrometheus(t, {
          jobs,
          rules: [full(percent)],
          externalLabels: { prometheus_replica: `p-${at}`, replica: `r-${at}` },
          alertmanagers: [manager?.url ?? ''],
        }),
      ),
    )
    let aheadMs = 0
    const at = { prometheus: asked?.url ?? '', alertmanagers: [manager?.url ?? ''] }
    const front = await openFront(t, at, { nowMs: () => Date.now() + aheadMs })
    const amtool = (...args: string[]) => run('amtool', ['--alertmanager.url', manager?.url ?? '', ...args])
    const listed = async () =>
      ((await (await fetch(`${manager?.url}/api/v2/alerts`)).json()) as unknown[]).length
    use(95)
    await t.expect.poll(listed, soon).toBe(2)
    await t.expect.poll(front.open, soon).toEqual(['DiskFull on db-1'])
    const [open] = await front.alerts('start')
    expect(Object.keys(open?.labels ?? {}).sort()).toEqual([
      'alertname',
      'instance',
      'job',
      'mountpoint',
      'severity',
    ])
    const mutes = async () =>
      (await front.alerts('start')).map(({ muted_by }) => muted_by?.map(({ by }) => by))
    const silence = (...matchers: string[]) =>
      amtool('silence', 'add', ...matchers, '--comment=x', '--author=ben', '--duration=1h')
    await silence('replica=r-0', 'alertname=DiskFull')
    expect(await staysOpen(front.open)).toEqual(['DiskFull on db-1'])
    expect(await mutes()).toEqual([undefined])
    await silence('replica=r-1', 'alertname=DiskFull')
    await t.expect.poll(mutes, soon).toEqual([['ben', 'ben']])
    use(70)
    await t.expect.poll(listed, soon).toBe(1)
    expect(await staysOpen(front.open)).toEqual(['DiskFull on db-1'])
    expect((await front.alerts('all')).map(({ id }) => id)).toEqual([open?.id])
    use(1)
    await t.expect.poll(listed, soon).toBe(0)
    // The other one may be late to tell an Alertmanager that has just been started.
    expect(await staysOpen(front.open)).toEqual(['DiskFull on db-1'])
    aheadMs = 6 * 60_000
    await t.expect.poll(front.open, soon).toEqual([])
    expect(await front.alerts('all')).toMatchObject([{ id: open?.id, lifecycle: 'end' }])
  },
)

/** With the real Prometheus, Alertmanager and VictoriaMetrics: from firing to closed, restarts, silences of people, a pair. */
import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  lacks,
  openExporter,
  openReal,
  type Program,
  promFile,
  rules,
  run,
  runManager,
  runPrometheus,
  until,
} from './worlds/real.ts'
import { type Finished, send, type Town } from './worlds/town.ts'

const disk = (host: string) => ({ host, mount: '/', instance: `${host}:9100` })
const hosts = async (town: Town, lifecycle = 'start') =>
  (await town.alerts(lifecycle)).map((one) => one.server_name).sort()
const lists = (town: Town, ...names: string[]) =>
  until(`open are ${names}`, async () => JSON.stringify(await hosts(town)) === JSON.stringify(names))

const says = async (url: string, text: string) => JSON.stringify((await send(url)).body).includes(`"${text}"`)

/** An engine that has been up for less proves nothing. */
const youngMs = 61_000

/** A Prometheus, an Alertmanager and the service in front of them; web-1 and web-2 are full. */
async function openPlace(finished: Finished, aheadMs = 0) {
  const exporter = await openExporter(finished)
  const manager = await runManager(finished)
  const engine = await runPrometheus(finished, exporter.target, manager.url)
  const options = { url: new URL(engine.url), alertmanagers: [new URL(manager.url)] }
  const town = await openReal(finished, options, aheadMs)
  for (const host of ['web-1', 'web-2']) exporter.set('disk_used_percent', disk(host), 97)
  await lists(town, 'web-1', 'web-2')
  return { exporter, manager, engine, town, open: await town.alerts() }
}
type Place = Awaited<ReturnType<typeof openPlace>>

/** Nothing closes and nothing opens anew while something happens and for some seconds after it. */
async function holds({ town, open }: Pick<Place, 'town' | 'open'>, seconds: number): Promise<void> {
  const ids = open.map(({ id }) => id).sort()
  for (let n = 0; n < 2 * seconds; n += 1) {
    await wait(500)
    const answer = await town.api('/alerts.json?lifecycle=all')
    // While one of them is away nothing is known, and nothing is said.
    if (answer.status === 200)
      expect(
        answer.body.results
          .map(({ id, lifecycle }: { id: number; lifecycle: string }) => [id, lifecycle])
          .sort(),
      ).toEqual(ids.map((id) => [id, 'start']))
    else expect([502, 503, 504]).toContain(answer.status)
  }
}

describe.skipIf(lacks('prometheus', 'prometheus-alertmanager'))('Prometheus', { concurrent: true }, () => {
  test('listed within seconds, by an Alertmanager alone too; closed when it is over, then past', async ({
    onTestFinished,
  }) => {
    const { exporter, manager, engine, town, open } = await openPlace(onTestFinished, youngMs)
    const alone = await openReal(onTestFinished, { alertmanagers: [new URL(manager.url)] })
    await lists(alone, 'web-1', 'web-2')
    expect(await alone.alerts()).toMatchObject([{ metric_value: null }, { metric_value: null }])
    expect(open.find(({ server_name }) => server_name === 'web-1')).toMatchObject({
      title: 'Disk of web-1',
      plugin_name: 'DiskFull',
      metric_value: 97,
      units: '%',
      limit: 90,
      limit_side: 'high',
      severity: 'critical',
      can_mute: true,
      labels: { alertname: 'DiskFull', host: 'web-1', mount: '/', job: 'app', severity: 'critical' },
    })
    expect((await town.api('/triggers.json')).body.results).toContainEqual(
      expect.objectContaining({ metric: 'DiskFull', max_value: 90, duration_in_seconds: 1 }),
    )
    const { body } = await town.api(`/metrics.json?metric_name=DiskFull&metric_type=cpu&alert=${open[0]?.id}`)
    expect(body.metrics).toMatchObject([{ label: open[0]?.server_name, units: '%' }])
    expect(body.metrics[0].points.at(-1)).toEqual([97, 97, 97])
    exporter.set('disk_used_percent', disk('web-1'), 20)
    await lists(town, 'web-2')
    expect(await town.alerts('end')).toMatchObject([{ server_name: 'web-1', lifecycle: 'end' }])
    const young = await openReal(onTestFinished, {
      url: new URL(engine.url),
      alertmanagers: [new URL(manager.url)],
    })
    await lists(young, 'web-2')
  })

  test('two clusters behind one Alertmanager; a kube-state-metrics that moves; what is inhibited is said and stays open', async ({
    onTestFinished,
  }) => {
    const manager = await runManager(onTestFinished)
    const [eu, us] = await Promise.all(
      ['eu', 'us'].map(async (cluster) => {
        const exporter = await openExporter(onTestFinished)
        exporter.set('disk_used_percent', disk('web-1'), 97)
        const engine = await runPrometheus(onTestFinished, exporter.target, manager.url, { cluster })
        return { exporter, engine }
      }),
    )
    if (eu === undefined || us === undefined) throw new Error('there are no two clusters')
    const rulers = [new URL(eu.engine.url), new URL(us.engine.url)]
    const options = { url: rulers[0] ?? null, rulers, alertmanagers: [new URL(manager.url)] }
    const town = await openReal(onTestFinished, options, youngMs)
    await lists(town, 'eu/web-1', 'us/web-1')
    expect(await town.alerts()).toMatchObject([{ metric_value: 97 }, { metric_value: 97 }])
    const objects = await Promise.all([1, 2].map(() => openExporter(onTestFinished)))
    for (const one of objects) one.set('kube_node_status_ready', { node: 'n1' }, 0)
    const moveTo = async (targets: readonly string[]) => {
      const config = promFile(eu.exporter.target, manager.url, { cluster: 'eu' }, targets)
      writeFileSync(`${eu.engine.folder}/prometheus.yml`, config)
      await send(`${eu.engine.url}/-/reload`, { method: 'POST' })
    }
    const [before = '', after = ''] = objects.map(({ target }) => target)
    await moveTo([before])
    await lists(town, 'eu/n1', 'eu/web-1', 'us/web-1')
    const place = { town, open: await town.alerts() }
    const mutedBy = async () =>
      Object.fromEntries((await town.alerts()).map((one) => [one.server_name, one.muted_by]))
    const inhibited = [{ kind: 'inhibition', by: 'NodeNotReady on eu/n1', ours: false }]
    await until('web-1 of eu is inhibited', async () => (await mutedBy())['eu/web-1'] !== undefined)
    expect(await mutedBy()).toEqual({ 'eu/web-1': inhibited })

    // Between the two its rule says nothing, then it is pending anew.
    await moveTo([])
    await until('its rule says nothing', async () => !(await says(`${eu.engine.url}/api/v1/rules`, 'n1')))
    await holds(place, 3)
    await moveTo([after])
    await holds(place, 10)
    await until('it fires at its new address', () => says(`${manager.url}/api/v2/alerts`, after))
    await holds(place, 1)
    expect(await mutedBy()).toEqual({ 'eu/web-1': inhibited })

    objects[1]?.set('kube_node_status_ready', { node: 'n1' }, 1)
    await until('nothing is inhibited', async () => String(Object.values(await mutedBy())) === ',,')
    us.exporter.set('disk_used_percent', disk('web-1'), 20)
    await lists(town, 'eu/web-1')
    expect((await hosts(town, 'end')).join()).toBe('eu/n1,us/web-1')
  })

  test('a restart of Prometheus, of the Alertmanager or of both closes nothing', async ({
    onTestFinished,
  }) => {
    const restart = async (whichOf: (place: Place) => Program[]) => {
      const place = await openPlace(onTestFinished)
      const held = holds(place, 12)
      const programs = whichOf(place)
      for (const one of programs) await one.kill()
      await wait(2000)
      for (const one of programs) await one.start()
      await held
    }
    await Promise.all([
      restart(({ engine }) => [engine]),
      restart(({ manager }) => [manager]),
      restart(({ engine, manager }) => [engine, manager]),
    ])
  })

  test('mutes of one alert, one server and all; renewed, changed and ended', async ({ onTestFinished }) => {
    const { town, open, manager } = await openPlace(onTestFinished)
    const muted = async () =>
      (await town.alerts())
        .filter((one) => one.muted_by)
        .map((one) => one.server_name)
        .sort()
    const hides = (...names: string[]) =>
      until(`muted are ${names}`, async () => String(await muted()) === String(names))
    const alert = String(open.find(({ server_name }) => server_name === 'web-1')?.id)
    const until3 = new Date(Date.now() + 3 * 3_600_000).toISOString()
    await town.form('POST', '/mutes.json', { id: 'm', alert, by: 'ana', why: 'disk', until: until3 })
    await hides('web-1')
    await town.form('POST', '/mutes.json', { id: 'm', until: new Date(Date.now() + 600_000).toISOString() })
    const { results } = (await town.api('/mutes.json')).body
    expect(results).toMatchObject([{ by: 'ana', why: 'disk', ours: true, hides: 1 }])
    await town.form('POST', '/servers/web-2', { notifications: 'false' })
    await hides('web-1', 'web-2')
    await town.form('DELETE', '/mutes/m.json')
    await hides('web-2')
    await town.form('POST', '/servers/web-2', { notifications: 'true' })
    await town.form('POST', '/account', { notifications: 'false' })
    await hides('web-1', 'web-2')
    await town.form('POST', '/account', { notifications: 'true' })
    await hides()
    const refused = await town.form('POST', '/mutes.json', { id: 'x', matchers: 'a=~"("' })
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringMatching(/^Alertmanager at \S+ answered 400: /),
    ])
    const all = (await send(`${manager.url}/api/v2/silences`)).body as { status: { state: string } }[]
    expect(all.filter(({ status }) => status.state !== 'expired')).toEqual([])
  })

  test('silences that people make, edit and end are theirs', async ({ onTestFinished }) => {
    const { town, manager } = await openPlace(onTestFinished)
    const json = { 'content-type': 'application/json' }
    const silences = async () =>
      (
        (await send(`${manager.url}/api/v2/silences`)).body as { id: string; status: { state: string } }[]
      ).filter(({ status }) => status.state === 'active')
    const post = (silence: object) =>
      send(`${manager.url}/api/v2/silences`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(silence),
      })
    const mutedBy = async (host: string) =>
      (await town.alerts()).find((one) => one.server_name === host)?.muted_by
    await post({
      matchers: [{ name: 'host', value: 'web-1', isRegex: false, isEqual: true }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
      createdBy: 'ana',
      comment: 'moving',
    })
    await until('the silence is told', async () => (await mutedBy('web-1')) !== undefined)
    expect(await mutedBy('web-1')).toMatchObject([{ kind: 'silence', by: 'ana', why: 'moving', ours: false }])
    await town.form('POST', '/servers/web-2', { notifications: 'false' })
    await until('web-2 is muted', async () => (await mutedBy('web-2')) !== undefined)
    await wait(2000)
    const ours = (await silences()).find((one) => JSON.stringify(one).includes('web-2'))
    await post({ ...ours, createdBy: 'ben', endsAt: new Date(Date.now() + 7_200_000).toISOString() })
    await until('it was taken over', async () => town.reported.some((line) => line.includes('server:web-2')))
    expect(await silences()).toHaveLength(2)
    await town.form('POST', '/account', { notifications: 'false' })
    await wait(1500)
    const account = (await silences()).find((one) => JSON.stringify(one).includes('the whole account'))
    await send(`${manager.url}/api/v2/silence/${account?.id}`, { method: 'DELETE' })
    await until('the account is on again', async () => town.service.control.state().account)
    expect(await silences()).toHaveLength(2)
  })

  test('a pair with replica labels is one; one of it may go; a label that is added makes no second alert', async ({
    onTestFinished,
  }) => {
    const exporter = await openExporter(onTestFinished)
    const manager = await runManager(onTestFinished)
    const [a, b] = await Promise.all(
      ['a', 'b'].map((replica) =>
        runPrometheus(onTestFinished, exporter.target, manager.url, { cluster: 'eu', replica }),
      ),
    )
    if (a === undefined || b === undefined) throw new Error('there is no pair')
    const town = await openReal(onTestFinished, {
      url: new URL(a.url),
      alertmanagers: [new URL(manager.url)],
    })
    exporter.set('disk_used_percent', disk('web-1'), 97)
    for (const replica of ['db-0', 'db-1']) exporter.set('lag_seconds', { host: 'db', replica }, 9)
    await lists(town, 'eu/db', 'eu/db', 'eu/web-1')
    const place = { town, open: await town.alerts() }
    await b.kill()
    await holds(place, 5)
    writeFileSync(
      `${a.folder}/prometheus.yml`,
      promFile(exporter.target, manager.url, { cluster: 'eu', replica: 'a', team: 'shop' }),
    )
    await send(`${a.url}/-/reload`, { method: 'POST' })
    await holds(place, 10)
    expect(
      place.open.every(({ labels }) => labels.alertname !== 'DiskFull' || labels.replica === undefined),
    ).toBe(true)
  })
})

describe.skipIf(lacks('victoria-metrics', 'vmalert', 'prometheus-alertmanager'))(
  'VictoriaMetrics',
  { concurrent: true },
  () => {
    test('with vmalert and an Alertmanager: listed with value, limit and chart; closed when it is over', async ({
      onTestFinished,
    }) => {
      const exporter = await openExporter(onTestFinished)
      const manager = await runManager(onTestFinished)
      const engine = await run(
        'victoria-metrics',
        {
          'scrape.yml': promFile(exporter.target, manager.url)
            .replace(/"(?:rule_files|alerting)":.*?(?="scrape_configs")/, '')
            .replace('"evaluation_interval":"1s",', ''),
        },
        (port, folder) => [
          `-httpListenAddr=127.0.0.1:${port}`,
          `-storageDataPath=${folder}/data`,
          `-promscrape.config=${folder}/scrape.yml`,
          '-search.latencyOffset=0s',
        ],
        '/health',
      )
      const vmalert = await run(
        'vmalert',
        { 'rules.yml': rules },
        (port, folder) => [
          `-httpListenAddr=127.0.0.1:${port}`,
          `-rule=${folder}/rules.yml`,
          `-datasource.url=${engine.url}`,
          `-notifier.url=${manager.url}`,
          '-evaluationInterval=1s',
        ],
        '/health',
      )
      const town = await openReal(onTestFinished, {
        url: new URL(engine.url),
        rulers: [new URL(vmalert.url)],
        alertmanagers: [new URL(manager.url)],
      })
      exporter.set('disk_used_percent', disk('web-1'), 97)
      await lists(town, 'web-1')
      const [alert] = await town.alerts()
      expect(alert).toMatchObject({ metric_value: 97, units: '%', limit: 90, title: 'Disk of web-1' })
      // It shows a new series in charts some seconds later than to its rules.
      await until('the chart is there', async () => {
        const path = `/metrics.json?metric_name=DiskFull&metric_type=cpu&alert=${alert.id}`
        return String((await town.api(path)).body.metrics[0]?.points.at(-1)) === '97,97,97'
      })
      exporter.set('disk_used_percent', disk('web-1'), 20)
      await lists(town)
      expect(await town.alerts('end')).toHaveLength(1)
      expect((await town.api('/alerts.json')).body).not.toHaveProperty('doubt')
    })
  },
)

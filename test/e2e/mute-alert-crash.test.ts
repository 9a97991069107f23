/**
 * The bot is killed at each step of the mute of one alert, and started again. Whatever the moment: the alert is hidden as long as
 * the bot knows of its mute, also under another number; the service holds what the bot knows; and nothing is told twice.
 */
import { onTestFinished, type TestContext, test, vi } from 'vitest'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus } from '../service/prometheus/real.ts'
import { exporterOf } from '../service/scrape/exporters.ts'
import { memoryOf } from '../support/bot-memory.ts'
import { patienceMs } from '../support/patience.ts'
import { policyFile, soon, told, truthOf } from '../support/shared-town.ts'
import { called, openTown, type TownSetting } from '../support/town.ts'

const hourMs = 60 * 60_000
const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool')
/** A post under way when the bot was killed is posted again only once Slack's history must have it: after a minute. */
const late = { timeout: patienceMs, interval: 40 }
/** As often as it can be looked whether the moment has come. */
const closely = { timeout: patienceMs, interval: 1 }
const expected = [/mute:not_ended/, /card:unknown/, /cards:interrupted/, /markers?:/, /poll:failed/]

async function openCrashTown(
  { expect, onTestFinished: later }: TestContext,
  service: TownSetting['service'],
) {
  const town = await openTown({ service: { ...service }, closeLater: later })
  const settings = { MONBOT_CONFIG: policyFile(town, []) }
  const ana = town.person('ana')
  const memory = memoryOf(town)
  let bot = await town.bot(settings)
  // What a process loads for its first answer is not what this is about.
  await vi.waitFor(() => ana.types('/mon help'), { timeout: patienceMs, interval: 500 })
  const start = async () => {
    bot = await town.bot(settings)
  }
  const lines = (line: RegExp) => told(town).filter((text) => line.test(text)).length
  return {
    town,
    ana,
    memory,
    kill: () => bot.kill('SIGKILL'),
    start,
    /** It is ended as by a host that is shut down, and comes back on its database. */
    restarts: async () => {
      await bot.kill('SIGTERM')
      await start()
    },
    lines,
    /** How often everybody has read that it was muted, and that this is over. */
    begun: () => lines(/^🔕 <@U0ANA00001> muted /),
    over: () => lines(/^🔔 /),
    /** Its hour passes while the bot is killed. */
    passes: async () => {
      await bot.kill('SIGKILL')
      memory.passTime(hourMs)
      await start()
      await expect.poll(memory.mutes, soon).toEqual([])
    },
  }
}
type CrashTown = Awaited<ReturnType<typeof openCrashTown>>

const plainMoments: Readonly<Record<string, (crash: CrashTown) => boolean>> = {
  'as soon as Slack was told that the command came': () => true,
  'when it is on disk, and nobody was told': ({ memory }) => memory.mutes().length > 0,
  'when it was told': ({ begun }) => begun() > 0,
}

test.concurrent.for(Object.entries(plainMoments))(
  'on the plain API, killed %s',
  async ([_, when], context) => {
    const { expect } = context
    const crash = await openCrashTown(context, { fleet: 12 })
    const { town, ana, memory, lines, begun, over } = crash
    const { service } = town
    const disk = { server: 'web-1', plugin: 'Disk', metric: 'used', value: 95, title: 'Disk /data is full' }
    const shown = (id: number) => lines(new RegExp(`^🔴.*${called(id)}\\b`))
    const first = service.openAlert(disk)
    await expect.poll(() => shown(first), soon).toBe(1)

    await ana.types(`/mon mute ${called(first)} 1h known`)
    await expect.poll(() => when(crash), closely).toBe(true)
    await crash.kill()
    const isMuted = memory.mutes().length > 0
    await crash.start()
    if (!isMuted) await ana.types(`/mon mute ${called(first)} 1h known`)
    await expect.poll(begun, late).toBe(1)
    expect(memory.mutes()).toMatchObject([expect.stringMatching(/^alert:\w+ active$/)])

    // Under another number, while nobody looks and while somebody does.
    await crash.kill()
    service.closeAlert(first)
    const again = service.openAlert(disk)
    const neighbour = service.openAlert({ ...disk, title: 'Disk /home is full' })
    await crash.start()
    await expect.poll(() => shown(neighbour), late).toBe(1)
    expect([memory.alert(again), shown(again)]).toEqual(['open', 0])
    await crash.restarts()
    const other = service.openAlert({ ...disk, plugin: 'CPU', title: 'CPU is busy' })
    await expect.poll(() => shown(other), late).toBe(1)
    expect(shown(again)).toBe(0)
    expect(over()).toBe(0)

    await crash.passes()
    await expect.poll(() => [over(), shown(again)], late).toEqual([1, 1])
    await crash.restarts()
    const last = service.openAlert({ ...disk, plugin: 'Memory', title: 'Memory is full' })
    await expect.poll(() => shown(last), late).toBe(1)
    expect([begun(), over(), shown(again)]).toEqual([1, 1, 1])
    // Nobody else was to hear of it.
    expect([truthOf(service).serverChanges(), truthOf(service).muted()]).toEqual([0, []])
    town.expectQuiet({ except: expected })
  },
)

async function openFront() {
  const now = { disk: 1, cpu: 0 }
  const host = await exporterOf(() =>
    [`disk_full{namespace="pay"} ${now.disk}`, `cpu_busy{namespace="pay"} ${now.cpu}`, ''].join('\n'),
  )
  const [alertmanager] = await openAlertmanagers({ onTestFinished }, {})
  const url = alertmanager?.url ?? ''
  const prometheus = await openPrometheus(
    { onTestFinished },
    {
      alertmanagers: [url],
      jobs: [{ job: 'node', targets: [host], instance: 'node-3' }],
      rules: [
        { alert: 'DiskFull', expr: 'disk_full > 0' },
        { alert: 'CpuBusy', expr: 'cpu_busy > 0' },
      ],
    },
  )
  const silences = async () => {
    const asked = ['--alertmanager.url', url, 'silence', 'query', '-o', 'json']
    return (JSON.parse(await run('amtool', asked)) as object[]).length
  }
  return { now, silences, settings: settingsOf({ prometheus: prometheus.url, alertmanagers: [url] }) }
}

const delayed = { path: 'POST /mutes', delayMs: 1_500 }
type Moment = {
  readonly fault?: object
  readonly when: (crash: CrashTown, silences: number) => boolean
}
const frontMoments: Readonly<Record<string, Moment>> = {
  'on disk, before the request is carried out': {
    fault: delayed,
    when: ({ memory }) => memory.mutes().some((mute) => mute.endsWith(' asked')),
  },
  'done at the Alertmanager, and its answer is lost': {
    fault: { path: 'POST /mutes', applied: true, reset: true, delayMs: 100 },
    when: (_, silences) => silences > 0,
  },
  'when it was told': { when: ({ begun }) => begun() > 0 },
}

test.skipIf(missing).for(Object.entries(frontMoments))(
  'over an Alertmanager, killed %s',
  async ([_, { fault, when }], context) => {
    const { expect } = context
    const { now, silences, settings } = await openFront()
    const crash = await openCrashTown(context, { prometheus: settings })
    const { town, ana, memory, lines, begun, over } = crash
    const shown = (alert: string) => lines(new RegExp(`^🔴 node-3 ${alert}`))
    await expect.poll(() => shown('DiskFull'), soon).toBe(1)
    const [, id = ''] = /#(…?\d+)/.exec(told(town).find((text) => text.includes('DiskFull')) ?? '') ?? []

    if (fault !== undefined) town.service.orderFault(fault)
    await ana.types(`/mon mute #${id} 1h known`)
    await expect.poll(async () => when(crash, await silences()), closely).toBe(true)
    await crash.kill()
    town.service.clearFaults()
    await crash.start()
    await expect.poll(() => memory.mutes(), late).toMatchObject([expect.stringMatching(/^alert:\w+ active$/)])
    await expect.poll(silences, soon).toBe(1)
    await expect.poll(begun, late).toBe(1)

    // It is over and fires again, under another number; its neighbour is told.
    await crash.kill()
    now.disk = 0
    await crash.start()
    const isOver = () => lines(/^🟢 node-3 DiskFull/)
    await expect.poll(isOver, late).toBe(1)
    now.disk = 1
    now.cpu = 1
    await expect.poll(() => shown('CpuBusy'), late).toBe(1)
    await expect.poll(() => memory.alerts().length, late).toBe(3)
    expect([shown('DiskFull'), begun(), over(), await silences()]).toEqual([0, 1, 0, 1])

    await crash.passes()
    await expect.poll(silences, soon).toBe(0)
    await expect.poll(() => [over(), shown('DiskFull')], late).toEqual([1, 1])
    await crash.restarts()
    expect([begun(), over(), shown('DiskFull'), await silences()]).toEqual([1, 1, 1, 0])
    town.expectQuiet({ except: expected })
  },
)

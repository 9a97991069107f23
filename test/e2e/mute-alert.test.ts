/** One alert muted from its card, over a real Alertmanager: a silence of its own, its neighbour notifies, and both ends are seen. */
import { expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus } from '../service/prometheus/real.ts'
import { exporterOf } from '../service/scrape/exporters.ts'
import { insideBot } from '../support/inside-bot.ts'
import { soon } from '../support/shared-town.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool')

async function opened() {
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
  const bot = await insideBot(() => ['images: off'], {
    expect,
    closeLater: onTestFinished,
    service: {
      nowMs: Date.now,
      prometheus: settingsOf({ prometheus: prometheus.url, alertmanagers: [url] }),
    },
  })
  const { town } = bot
  const texts = () => town.cards().map(({ text }) => text)
  const silences = async () => {
    const asked = ['--alertmanager.url', url, 'silence', 'query', '-o', 'json']
    return JSON.parse(await run('amtool', asked)) as {
      id: string
      matchers: { name: string; value: string }[]
    }[]
  }
  const expires = (id: string) => run('amtool', ['--alertmanager.url', url, 'silence', 'expire', id])
  return { now, bot, texts, silences, expires, ben: town.person('ben') }
}

const isOf = (alert: string) => (text: string) => text.startsWith(`🔴 node-3 ${alert}`)

test.skipIf(missing)(
  'a muted alert is one silence, which hides no neighbour and ends with the mute',
  async () => {
    const { now, texts, silences, ben } = await opened()
    await expect.poll(() => texts().filter(isOf('DiskFull')).length, soon).toBe(1)
    const [, id = ''] = /#(…?\d+)/.exec(texts().find(isOf('DiskFull')) ?? '') ?? []
    await ben.types(`/mon mute #${id} 2h known`)
    await expect
      .poll(() => ben.sees().at(-1), soon)
      .toMatch(/^🔕 DiskFull.* on node-3 is muted until .* — known\n/)
    expect(ben.sees().at(-1)).toContain('Only this alert, also under a new number.')
    const [silence, ...others] = await silences()
    expect(others).toEqual([])
    expect(silence?.matchers.map(({ name, value }) => `${name}=${value}`)).toContain('alertname=DiskFull')
    await expect
      .poll(() => texts().find(isOf('DiskFull')), soon)
      .toMatch(/This alert muted by <@U0BEN00001> until /)
    now.cpu = 1
    await expect.poll(() => texts().filter(isOf('CpuBusy')).length, soon).toBe(1)
    await ben.types(`/mon unmute #${id}`)
    await expect
      .poll(() => ben.sees().at(-1), soon)
      .toMatch(/^🔔 DiskFull.* on node-3 is unmuted: it notifies again\.$/)
    await expect.poll(silences, soon).toEqual([])
  },
)

test.skipIf(missing)('labels mute what comes later too, after they are confirmed', async () => {
  const { now, texts, silences, ben } = await opened()
  await expect.poll(() => texts().filter(isOf('DiskFull')).length, soon).toBe(1)
  await ben.types('/mon mute namespace=pa* 2h migration')
  await expect.poll(() => ben.sees().at(-1), soon).toContain('Hides 1 open alert, and new ones that match.')
  expect(await silences()).toEqual([])
  await ben.presses('Mute it')
  await expect.poll(() => ben.sees().at(-1), soon).toMatch(/^🔕 namespace=∼"pa\.∗" is muted until /)
  await expect.poll(() => texts().find(isOf('DiskFull')), soon).toMatch(/muted by <@U0BEN00001> until /)
  now.cpu = 1
  await expect
    .poll(async () => {
      await ben.types('/mon alerts')
      return ben.sees().at(-1)
    }, soon)
    .toContain('CpuBusy')
  expect(texts().filter(isOf('CpuBusy'))).toEqual([])
})

test.skipIf(missing)(
  'a mute that somebody ended at the Alertmanager is over, and everybody is told',
  async () => {
    const { bot, texts, silences, expires, ben } = await opened()
    await expect.poll(() => texts().filter(isOf('DiskFull')).length, soon).toBe(1)
    const [, id = ''] = /#(…?\d+)/.exec(texts().find(isOf('DiskFull')) ?? '') ?? []
    await ben.types(`/mon mute #${id} 2h known`)
    await expect.poll(async () => (await silences()).length, soon).toBe(1)
    const [silence] = await silences()
    await expires(silence?.id ?? '')
    const told = () => texts().filter((text) => / at the Alertmanager: /.test(text))
    await bot.passUntil('everybody is told', () => told().length > 0, 30_000)
    expect(told()).toEqual([
      expect.stringMatching(
        /^🔔 Somebody ended the mute of DiskFull.* on node-3 at .*: it notifies again\.\nStill open:\n🔴 node-3 DiskFull/,
      ),
    ])
    await expect.poll(() => texts().find(isOf('DiskFull')), soon).not.toContain('muted by')
    expect(await silences()).toEqual([])
  },
)

/** What somebody silences at the real Alertmanager, and what one alert inhibits of others: open, hidden, and told when it is over. */
import { expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus } from '../service/prometheus/real.ts'
import { exporterOf } from '../service/scrape/exporters.ts'
import { insideBot } from '../support/inside-bot.ts'
import type { StoriesAt } from '../support/pressed.ts'
import { soon } from '../support/shared-town.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool')

/** A node that inhibits what its pods have, as kube-prometheus configures it. */
const config = {
  route: { receiver: 'none' },
  receivers: [{ name: 'none' }],
  inhibit_rules: [
    { source_matchers: ['alertname="NodeDown"'], target_matchers: ['alertname="PodDown"'], equal: ['node'] },
  ],
}

/** Prometheus with an Alertmanager and the service in front of both, and a bot whose clock the test advances. */
async function opened(pods: number) {
  const now = { nodeDown: 0, diskFull: 0, podsDown: 0 }
  const host = await exporterOf(() =>
    [
      `node_down{node="node-3"} ${now.nodeDown}`,
      `disk_full{node="node-3"} ${now.diskFull}`,
      ...Array.from({ length: pods }, (_, n) => `pod_down{node="node-3",pod="web-${n}"} ${now.podsDown}`),
      '',
    ].join('\n'),
  )
  const [alertmanager] = await openAlertmanagers({ onTestFinished }, { config })
  const url = alertmanager?.url ?? ''
  const prometheus = await openPrometheus(
    { onTestFinished },
    {
      alertmanagers: [url],
      jobs: [{ job: 'kube', targets: [host], instance: 'node-3' }],
      rules: [
        { alert: 'NodeDown', expr: 'node_down > 0' },
        { alert: 'DiskFull', expr: 'disk_full > 0' },
        { alert: 'PodDown', expr: 'pod_down > 0' },
      ],
    },
  )
  const bot = await insideBot(() => ['images: off', 'board: on'], {
    expect,
    closeLater: onTestFinished,
    service: {
      nowMs: Date.now,
      prometheus: settingsOf({ prometheus: prometheus.url, alertmanagers: [url] }),
    },
  })
  const { town } = bot
  const texts = () => town.cards().map(({ text }) => text)
  const board = () =>
    town
      .cards('alerts', { boards: true })
      .find(({ metadata }) => metadata?.event_payload.card.startsWith('board:'))?.text ?? ''
  const amtool = async (...args: string[]) =>
    (await run('amtool', ['--alertmanager.url', url, 'silence', ...args])).trim()
  return { now, bot, texts, board, amtool }
}

test.skipIf(missing)(
  'a silence shows on the card, and its neighbour on the same server notifies',
  async () => {
    const { now, texts, board, amtool } = await opened(0)
    now.diskFull = 1
    await expect.poll(texts, soon).toEqual([expect.stringMatching(/^🔴 node-3 DiskFull\b/)])
    const first = await amtool('add', 'alertname=DiskFull', '--comment=new <@U1> disks', '--author=ana')
    const [card] = texts()
    expect(card).toBeDefined()
    await expect
      .poll(() => texts()[0], soon)
      .toMatch(/ · 🔕 silenced at the Alertmanager by ana until .* UTC: new &lt;@U1&gt; disks · /)
    await expect.poll(board, soon).toMatch(/1 open alert · 1 silenced elsewhere/)
    now.nodeDown = 1
    await expect.poll(() => texts()[1], soon).toMatch(/^🔴 node-3 NodeDown\b/)
    // Another in its place is an edit.
    await amtool(
      'add',
      'node=node-3',
      'alertname=DiskFull',
      '--comment=more',
      '--author=ben',
      '--duration=3h',
    )
    await amtool('expire', first)
    await expect
      .poll(() => texts()[0], soon)
      .toMatch(/ · 🔕 silenced at the Alertmanager by ben until .*: more · /)
    // It ends while it is silenced, and is closed as any other.
    now.diskFull = 0
    await expect.poll(() => texts()[0], soon).toMatch(/^🟢 node-3 DiskFull.* closed after /)
    expect(texts()).toHaveLength(2)
  },
)

/** Not where another card says what else is open. */
const tellsOfPods = (text: string) => /^🔴 (?:6 × |node-3 PodDown)/.test(text)

test.skipIf(missing)('a node that is down hides its pods until it has been up for five minutes', async () => {
  const { now, bot, texts, board } = await opened(6)
  now.nodeDown = 1
  await expect.poll(texts, soon).toEqual([expect.stringMatching(/^🔴 node-3 NodeDown\b/)])
  now.podsDown = 1
  await expect.poll(board, soon).toMatch(/7 open alerts · 6 inhibited/)
  expect(board()).toContain('6 open alerts are inhibited, by NodeDown on node-3')
  // It flaps, and nothing is revealed.
  now.nodeDown = 0
  await expect.poll(() => texts()[0], soon).toMatch(/^🟢 /)
  bot.clock.jump(60_000)
  now.nodeDown = 1
  await expect.poll(() => texts().some((text) => text.startsWith('🔴 node-3 NodeDown')), soon).toBe(true)
  expect(texts().filter(tellsOfPods)).toEqual([])
  now.nodeDown = 0
  await expect.poll(() => texts().every((text) => text.startsWith('🟢 ')), soon).toBe(true)
  await bot.stop()
  await bot.start()
  await bot.passUntil('its pods are told', () => texts().some(tellsOfPods))
  expect(texts().filter(tellsOfPods)).toEqual([expect.stringMatching(/^🔴 6 × .* on node-3 · found open/)])
})

const inMutes: StoriesAt<'silence'> = {
  endSilence: async () => {
    const { now, bot, texts, amtool } = await opened(0)
    await amtool('add', 'node=node-3', 'alertname=~Disk.*', '--comment=new disks', '--author=ana')
    now.diskFull = 1
    const ben = bot.town.person('ben')
    const reads = (words: RegExp) => expect.poll(() => ben.sees().at(-1), soon).toMatch(words)
    // Nothing is told of it, so it is asked for until it is there.
    await expect
      .poll(async () => {
        await ben.types('/mon mutes')
        return ben.sees().at(-1)
      }, soon)
      .toMatch(/Silenced at the Alertmanager by ana until .*: new disks · hides 1 open alert/)
    expect(texts()).toEqual([])
    await ben.presses('End…')
    await reads(
      /^End this silence\? Silenced at the Alertmanager by ana until .*: new disks\nHides 1 open alert: /,
    )
    for (const matcher of ['node="node-3"', 'alertname=∼"Disk.*"'])
      expect(ben.sees().at(-1)).toContain(matcher)
    await ben.presses('End the silence')
    await reads(/^🔔 The silence by ana has ended\.\nWhat it hid /)
    await expect
      .poll(texts, soon)
      .toEqual([expect.stringMatching(/^🔔 <@U0BEN00001> ended the silence by ana of 1 /)])
    expect(await amtool('query', '--quiet')).toBe('')
    await bot.passUntil('what it hid is told', () =>
      texts().some((text) => text.startsWith('🔴 node-3 DiskFull')),
    )
    expect(texts()).toHaveLength(2)
  },
}

test.skipIf(missing).for(Object.entries(inMutes))('%s', ([_, story], context) => story(context))

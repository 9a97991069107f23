/**
 * A Slack that misbehaves in one channel: the other one's alerts come while it lasts, and nothing is lost or told twice. That they
 * are in time, flow/deliver-lanes holds with a clock by hand.
 */
import { type TestContext, test } from 'vitest'
import { insideBot } from '../support/inside-bot.ts'
import { soon } from '../support/shared-town.ts'
import { sick, slackTroubles, type Trouble, troubled } from '../support/slack-troubles.ts'
import { type Card, called, type Town } from '../support/town.ts'

/** Copies that come late are looked for three times, the last ten minutes after. */
const copiesGoneMs = 12 * 60_000

/** What matches no route goes to #alerts. */
const policy = (town: Town) => [
  'images: auto',
  'board: off',
  'reminders: never',
  `routes: [{ match: { server: "db-*" }, channel: ${town.workspace.channel('db').id} }]`,
]

const load = { plugin: 'Load Average', metric: 'last_minute', value: 3.5, title: 'It is slow' }

async function openBot({ expect, onTestFinished }: TestContext) {
  const service = { publicUrl: 'https://monitor.example' }
  const bot = await insideBot(policy, { expect, closeLater: onTestFinished, service })
  const { town } = bot
  const ben = town.person('ben')
  return {
    ...bot,
    ...town,
    open: (server: string) => town.service.openAlert({ ...load, server }),
    cardsOf: (alertId: number, channel: string) =>
      town.cards(channel).filter(({ text }: Card) => new RegExp(`${called(alertId)}\\b`).test(text)),
    status: async () => {
      const before = ben.answers().length
      await ben.types('/mon status', 'general')
      await expect.poll(() => ben.answers().length, soon).toBe(before + 1)
      return ben.sees().at(-1) ?? ''
    },
    /** Every card as it should be, and no copy of any. */
    settled: async () => {
      const areShown = async () => (await bot.metric('monbot_cards_behind')) === 0
      await bot.passUntil('all cards are shown', areShown)
      const untilMs = bot.clock.nowMs() + copiesGoneMs
      await bot.passUntil('copies are gone', () => bot.clock.nowMs() > untilMs, 60_000)
      // What such a copy took the place of is shown once more.
      await bot.passUntil('all cards are shown again', areShown)
    },
  }
}

async function story(trouble: Trouble, context: TestContext): Promise<void> {
  const { expect } = context
  const { workspace, service, open, cardsOf, metric, status, settled, logged } = await openBot(context)
  const isTold = async () => {
    if (trouble.says === null) return
    await expect.poll(() => metric('monbot_cards_behind'), soon).toBeGreaterThan(0)
    await expect.poll(() => status(), soon).toMatch(trouble.says)
  }
  const before = open('web-0')
  await expect.poll(() => cardsOf(before, sick).length, soon).toBe(1)

  await trouble.begins(workspace)
  const ill = [open('web-1')]
  // Looked for from now on: a post that comes late ends its trouble by itself.
  const told = isTold()
  told.catch(() => undefined)
  const well = [open('db-1')]
  const inTime = async () => {
    if (trouble.everywhere === true) return
    await expect.poll(() => well.map((id) => cardsOf(id, 'db').length), soon).toEqual(well.map(() => 1))
  }
  await inTime()
  // More comes while it lasts: one stays open, one is over before it could be told, and one that stood there closes.
  ill.push(open('web-2'))
  const over = open('web-3')
  well.push(open('db-2'))
  service.closeAlert(before)
  await inTime()
  if (trouble.postsWork === true) {
    await expect.poll(() => ill.map((id) => cardsOf(id, sick).length), soon).toEqual([1, 1])
  }
  await expect.poll(() => metric('monbot_open_alerts'), soon).toBe(5)
  service.closeAlert(over)
  await expect.poll(() => metric('monbot_open_alerts'), soon).toBe(4)
  await expect.poll(() => metric(trouble.counts), soon).toBeGreaterThan(0)
  await told

  await workspace.acts.clearFaults({})
  await trouble.mends?.(workspace)
  await settled()
  const shown = () => [...ill.map((id) => cardsOf(id, sick)), ...well.map((id) => cardsOf(id, 'db'))]
  await expect.poll(() => shown().map((cards) => cards.length), soon).toEqual([1, 1, 1, 1])
  for (const id of [before, over]) {
    await expect.poll(() => cardsOf(id, sick).map(({ text }) => text.slice(0, 2)), soon).toEqual(['🟢'])
  }
  const refused = ['card:gone', 'card:frozen', 'card:bad_payload'].flatMap(logged)
  expect(await metric('monbot_dead_letters'), JSON.stringify(refused)).toBe(0)
  for (const why of ['channel_unavailable', 'no_token', 'unknown', 'later']) {
    // A call that hung before may only now have come to its end.
    await expect.poll(() => metric(troubled(why)), { ...soon, message: why }).toBe(0)
  }
  await expect.poll(() => status(), soon).toContain('cards up to date')
  expect(logged('blind:began')).toEqual([])
}

test.concurrent.for(Object.entries(slackTroubles))('a Slack that %s', ([, trouble], context) =>
  story(trouble, context),
)

test.concurrent('without any socket alerts still come, and it is ready again by itself', async (context) => {
  const { expect } = context
  const { workspace, open, cardsOf, metric, ready, status, passUntil, logged } = await openBot(context)
  await workspace.acts.socketFault({ kind: 'refuse_upgrade', times: null })
  await workspace.acts.cut({ which: 'all' })
  await expect.poll(() => metric('monbot_slack_ready'), soon).toBe(0)
  expect(await metric('monbot_slack_sockets')).toBe(0)
  expect(await ready()).toMatchObject({ status: 503, body: { waiting: [{ part: 'slack' }] } })
  expect(await workspace.acts.command({ user: 'ben', channel: 'general', command: '/mon' })).toMatchObject({
    error: 'dispatch_failed',
  })
  const alert = open('web-1')
  await expect.poll(() => cardsOf(alert, sick).length, soon).toBe(1)
  await expect.poll(() => logged('socket:failed').length, soon).toBeGreaterThan(0)
  await workspace.acts.clearFaults({})
  await passUntil('a socket is open', async () => (await metric('monbot_slack_ready')) === 1)
  expect((await ready()).status).toBe(200)
  expect(await status()).toMatch(/Slack connected/)
})

test.concurrent('after an invitation the alerts that waited come at once, and not after minutes', async (context) => {
  const { expect } = context
  const { workspace, open, cardsOf, metric, logged } = await openBot(context)
  await workspace.acts.kick({ channel: sick, who: 'bot' })
  const ids = [open('web-1'), open('web-2')]
  await expect.poll(() => metric(troubled('channel_unavailable')), soon).toBe(1)
  await workspace.acts.invite({ channel: sick, who: 'bot' })
  await expect.poll(() => ids.map((id) => cardsOf(id, sick).length), soon).toEqual([1, 1])
  expect(logged('channel:reopened')).toMatchObject([{ channel: workspace.channel(sick).id }])
})

test.concurrent('a start while one of two channels is archived keeps no alert from the other', async (context) => {
  const { expect } = context
  const { workspace, open, cardsOf, metric, status, settled, stop, start, logged } = await openBot(context)
  await stop()
  await workspace.acts.archive({ channel: sick })
  const [ill, well] = [open('web-1'), open('db-1')]
  await start()
  await expect.poll(() => cardsOf(well, 'db').length, soon).toBe(1)
  expect(logged('channel:closed')).toMatchObject([{ why: expect.stringContaining('is archived') }])
  expect(await metric(troubled('channel_unavailable'))).toBe(1)
  expect(await status()).toMatch(/<#C0ALERTS01> takes no cards since .*: it is archived/)
  await workspace.acts.archive({ channel: sick, archived: false })
  await settled()
  expect(cardsOf(ill, sick)).toHaveLength(1)
  expect(await metric(troubled('channel_unavailable'))).toBe(0)
})

test.concurrent('a channel that the bot is invited to again is no trouble any more, though no card waits for it', async (context) => {
  const { expect } = context
  const { workspace, metric, status, stop, start } = await openBot(context)
  await stop()
  await workspace.acts.kick({ channel: sick, who: 'bot' })
  await start()
  expect(await metric(troubled('channel_unavailable'))).toBe(1)
  await workspace.acts.invite({ channel: sick, who: 'bot' })
  await expect.poll(() => metric(troubled('channel_unavailable')), soon).toBe(0)
  expect(await status()).toContain('monitoring OK')
})

/** The policy is read again while the monitoring API is away: what was open goes on being reminded of, and a new channel hears why. */
import { test } from 'vitest'
import { insideBot } from '../support/inside-bot.ts'
import { soon } from '../support/shared-town.ts'
import { texts } from '../support/town.ts'

const load = {
  server: 'db-1',
  plugin: 'Load Average',
  metric: 'last_minute',
  value: 3.5,
  title: 'It is slow',
}
const policy = ['images: off', 'board: off', 'reminders: [{ after: 5m }]']

test.concurrent('a policy read again during an outage stops no reminder, and a channel that it adds gets the card of the outage', async ({
  expect,
  onTestFinished,
}) => {
  const bot = await insideBot(() => policy, { expect, closeLater: onTestFinished })
  const { town } = bot
  town.service.openAlert(load)
  await expect.poll(() => texts(town.cards()), soon).toEqual([expect.stringContaining('db-1')])
  town.service.orderFault({ times: 10_000, status: 503 })
  const down = (channel?: string) =>
    texts(town.cards(channel)).filter((text) => text.includes('Monitoring down since'))
  await bot.passUntil('the outage is told', () => down().length === 1)
  const reminders = () => texts(town.cards()).filter((text) => text.includes('Still unacknowledged'))
  expect(reminders()).toEqual([])

  const { id } = town.workspace.channel('db')
  await bot.reread([...policy, `routes: [{ match: { server: "web-*" }, channel: ${id} }]`])
  await bot.passUntil('the new channel has the card', () => down('db').length === 1)
  await bot.passUntil('the reminder is there', () => reminders().length > 0)
  const untilMs = bot.clock.nowMs() + 10 * 60_000
  await bot.passUntil('ten minutes are over', () => bot.clock.nowMs() > untilMs, 30_000)
  expect([reminders().length, down().length, down('db').length]).toEqual([1, 1, 1])
})

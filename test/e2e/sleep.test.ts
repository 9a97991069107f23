/** The real process on a laptop that sleeps: stopped by the system for some seconds, it goes on where it was. */
import { expect, onTestFinished, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { openTown, texts } from '../support/town.ts'

const load = { title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }
const asleepMs = 5_000
const pagesBehind = 3

test('after a sleep it polls at once and once, tells what opened meanwhile on one card, and answers people again', async () => {
  const town = await openTown()
  const bot = await town.bot({
    MONBOT_CONFIG: policyFile(town, []),
    POLL_CRON: '*/2 * * * * *',
    LOG_LEVEL: 'debug',
  })
  town.service.openAlert({ ...load, server: 'before' })
  await expect.poll(() => town.cards().length, soon).toBe(1)

  onTestFinished(() => void bot.child.kill('SIGCONT'))
  const requests = () => town.service.requests()['GET /alerts.json'] ?? 0
  const done = () => bot.logged('poll:done').length
  let [before, polled] = [0, 0]
  do {
    bot.child.kill('SIGSTOP')
    // What was on its way when it fell asleep has come by now.
    const fellAsleepMs = Date.now()
    await expect.poll(() => Date.now() - fellAsleepMs, { timeout: patienceMs }).toBeGreaterThan(asleepMs)
    if (before === 0) town.service.openAlert({ ...load, server: 'meanwhile' })
    before = requests()
    polled = done()
    bot.child.kill('SIGCONT')
    await expect.poll(done, { timeout: patienceMs, interval: 20 }).toBeGreaterThan(polled + 1)
    // Asleep within a poll it misses none: then once more.
  } while (bot.logged('poll:missed').length === 0)
  expect(bot.logged('poll:missed')).toHaveLength(1)
  const late = Number(bot.logged('poll:missed')[0]?.lateMs)
  expect(late).toBeGreaterThan(asleepMs - 2_500)
  // The next is due within two seconds. One that brings news asks for the pages behind both lists as well.
  const wokeMs = Date.parse(String(bot.logged('poll:missed')[0]?.time))
  const polls = bot.logged('poll:done').slice(polled)
  expect(polls.filter(({ time }) => Date.parse(String(time)) < wokeMs + 2_000).length).toBeLessThanOrEqual(2)
  expect(requests() - before).toBeLessThanOrEqual(2 + (1 + polls.length) * (2 + pagesBehind))
  await expect
    .poll(() => texts(town.cards()).filter((text) => text.includes('meanwhile')), soon)
    .toHaveLength(1)
  expect(town.cards()).toHaveLength(2)

  const ana = town.person('ana')
  await ana.types('/mon status')
  await expect.poll(() => ana.sees().at(-1), soon).toMatch(/2 open alerts/)
  town.service.openAlert({ ...load, server: 'after' })
  await expect.poll(() => texts(town.cards()).filter((text) => text.includes('after')), soon).toHaveLength(1)
  expect(bot.logged('poll:missed')).toHaveLength(1)
  town.expectQuiet()
})

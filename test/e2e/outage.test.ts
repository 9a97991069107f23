/** The real process while the monitoring API is away: everyone is told once, and told what was found when it is back. */
import { test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { apiKey, openTown, type Town, texts } from '../support/town.ts'

const load = { server: 'web-1', title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }
/** Polls that fail come less and less often. */
const patient = { timeout: patienceMs, interval: 100 }
const channels = ['alerts', 'db', 'general', 'private-ops']
const expected = {
  except: [
    /"poll:failed"/,
    /"poll:skipped_records"/,
    /"blind:began"/,
    /"(?:cards|markers):interrupted"/,
    /"poll:missed"/,
  ],
}

function outageCards(town: Town, channel: string): string[] {
  return texts(town.cards(channel)).filter((text) =>
    /Monitoring (?:down|unreadable) since|Monitoring back/.test(text),
  )
}

test.concurrent('while the API is away the bot is alive and not ready, every channel has one card that says so, over a kill as well, and then what was found', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  const settings = { MONBOT_CONFIG: policyFile(town, []), LOG_LEVEL: 'debug' }
  const first = await town.bot(settings)
  const ask = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  expect((await ask(first.port, '/healthz')).status).toBe(200)
  expect((await ask(first.port, '/readyz')).status).toBe(200)

  town.service.orderFault({ times: 10_000, status: 503 })
  for (const channel of channels) {
    await expect
      .poll(() => outageCards(town, channel), patient)
      .toEqual([expect.stringMatching(/Monitoring down since .*: new alerts won't appear.* — .* 503/)])
  }
  expect((await ask(first.port, '/readyz')).status).toBe(503)
  expect((await ask(first.port, '/healthz')).status).toBe(200)
  const metrics = await (await ask(first.port, '/metrics')).text()
  expect(metrics).toMatch(/^monbot_blinds_total 1$/m)
  expect(Number(/^monbot_blind_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0)

  await first.kill('SIGKILL')
  const second = await town.bot(settings)
  town.service.openAlert(load)
  // As the outage lasts still, and not anew, it says nothing new.
  await expect.poll(() => second.logged('poll:failed').length, patient).toBeGreaterThanOrEqual(3)
  expect(second.logged('blind:began')).toEqual([])
  expect(channels.map((channel) => outageCards(town, channel).length)).toEqual([1, 1, 1, 1])

  town.service.clearFaults()
  for (const channel of channels) {
    await expect
      .poll(() => outageCards(town, channel), patient)
      .toEqual([expect.stringMatching(/^⚪ Monitoring back after .* · caught up: 1 opened, still open$/)])
  }
  const ofAlert = () => texts(town.cards()).filter((text) => text.includes('web-1'))
  await expect.poll(ofAlert, soon).toHaveLength(1)
  await expect.poll(async () => (await ask(second.port, '/readyz')).status, soon).toBe(200)
  expect(await (await ask(second.port, '/metrics')).text()).toMatch(/^monbot_blind_seconds 0$/m)
  town.expectQuiet(expected)
})

test.concurrent('a key that is refused is told once, by a card, is in nothing that the bot writes, and not asked with again and again', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  const bot = await town.bot({ LOG_LEVEL: 'debug' })
  town.service.addKey('another-key-00001')
  town.service.removeKey(apiKey)
  await expect
    .poll(() => outageCards(town, 'alerts'), soon)
    .toEqual([expect.stringMatching(/Monitoring down since .*the API key was refused.*MONITOR_API_KEY/s)])
  // Where the key went between the two lists of one poll, the next poll is refused as well.
  await expect.poll(() => bot.logged('poll:held').length, soon).toBeGreaterThanOrEqual(1)
  const before = town.service.requests()['GET /alerts.json']
  await expect.poll(() => bot.logged('poll:held').length, soon).toBeGreaterThanOrEqual(5)
  expect(town.service.requests()['GET /alerts.json']).toBe(before)
  expect(bot.logged('poll:failed').filter(({ level }) => level === 'warn')).toMatchObject([
    { kind: 'forbidden', why: 'the API key was refused' },
  ])

  const ana = town.person('ana')
  await ana.types('/mon status')
  await expect
    .poll(() => ana.sees().at(-1), soon)
    .toMatch(/[Cc]an't read alerts since .*the API key was refused/s)

  town.service.addKey(apiKey)
  expect(await bot.kill('SIGTERM')).toBe(0)
  expect(bot.output()).not.toContain(apiKey)
  const second = await town.bot()
  await expect
    .poll(() => outageCards(town, 'alerts'), soon)
    .toEqual([expect.stringMatching(/^⚪ Monitoring back after .* · caught up, nothing missed$/)])

  // A list that comes, and of which nothing can be read, is no better: it never says that all is well.
  const ready = async () => (await fetch(`http://127.0.0.1:${second.port}/readyz`)).status
  expect(await ready()).toBe(200)
  town.service.openAlert(load)
  await expect.poll(() => texts(town.cards()).filter((text) => text.includes('web-1')), soon).toHaveLength(1)
  town.service.orderFault({ path: 'alerts.json', times: 10_000, wrong: 'no_ids' })
  await expect
    .poll(() => outageCards(town, 'alerts'), patient)
    .toEqual([
      expect.stringMatching(/^⚪ Monitoring back after /),
      // A message of its own, as the first was told as over.
      expect.stringMatching(
        /^⚫ Monitoring unreadable since .*new alerts may not appear — 1 of 1 open alerts cannot be read/s,
      ),
    ])
  expect(await ready()).toBe(503)
  const metrics = await (await fetch(`http://127.0.0.1:${second.port}/metrics`)).text()
  expect(metrics).toMatch(/^monbot_unreadable_records\{list="open"\} 1$/m)
  for (const command of ['/mon status', '/mon alerts', '/mon handoff']) {
    await ana.types(command)
    await expect.poll(() => ana.sees().at(-1), soon).toMatch(/[Cc]an't read 1 of 1 open alert since/)
    expect(ana.sees().at(-1)).not.toMatch(/🟢|[Aa]ll is well/)
  }
  town.service.clearFaults()
  await expect
    .poll(() => outageCards(town, 'alerts'), patient)
    .toEqual([1, 2].map(() => expect.stringMatching(/^⚪ Monitoring back after /)))
  await expect.poll(ready, soon).toBe(200)
  town.expectQuiet(expected)
})

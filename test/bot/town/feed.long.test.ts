/** The main job once on the real processes: alerts of the real service become living cards in the real workspace. */
import { afterEach, describe, expect, test } from 'vitest'
import { FakeManager, serve } from '../../service/worlds/engines.ts'
import { apiKey, openTown, startBot, type Town, type TownOptions, until } from '../worlds/town.ts'

const towns: Town[] = []
afterEach(async () => {
  for (const town of towns.splice(0)) await town.close()
})

async function town(options?: TownOptions): Promise<Town> {
  const opened = await openTown(options)
  towns.push(opened)
  return opened
}

const load = { server: 'web-1', plugin: 'Load', metric: 'last_minute', value: 3.5, title: 'Last minute 3.50' }

describe.each(['socket', 'http'])('in %s mode', (mode) => {
  test('an alert is one card with a picture, is taken, survives a kill, and closes green', async () => {
    const { service, ...rest } = await town({ http: mode === 'http' })
    const bot = await rest.bot()
    const alert = service.control.open(load)
    const [card] = await until(() => (rest.cards().length === 1 ? rest.cards() : null), 'a card', bot)
    expect(card?.text).toMatch(/^🔴 .*web-1.* Load/)
    await until(
      () => rest.messages().some(({ blocks }) => blocks.some(({ type }) => type === 'image')),
      'a picture',
    )

    await rest.person('ben').presses('Acknowledge', card)
    await until(() => rest.cards()[0]?.text.includes('is on it'), 'ben on it', bot)

    await bot.kill('SIGKILL')
    const second = service.control.open({ ...load, server: 'web-2' })
    const again = await rest.bot()
    await until(() => rest.cards().length === 2, 'the card of what opened meanwhile', again)
    service.control.close(alert)
    service.control.close(second)
    await until(() => rest.cards().every(({ text }) => text.startsWith('🟢')), 'both closed', again)
    expect(rest.cards()).toHaveLength(2)
    expect(rest.cards()[0]?.ts).toBe(card?.ts)
    expect(await again.kill('SIGTERM')).toBe(0)
    expect(bot.output() + again.output()).not.toContain(apiKey)
  })
})

test('a mute is asked for, told, confirmed by the API, and undone', async () => {
  const { service, ...rest } = await town()
  await rest.bot()
  service.control.open(load)
  await until(() => rest.cards().length === 1, 'a card')
  const ana = rest.person('ana')
  await ana.types('/mon mute web-1 1h deploying')
  const state = () => JSON.stringify(service.control.state())
  await until(() => /"notifications":false/.test(state()), 'the API hearing of it')
  const told = await until(() => rest.cards().find(({ text }) => text.startsWith('🔕')), 'the message')
  await ana.presses('Unmute', told)
  await until(() => !/"notifications":false/.test(state()), 'the API hearing of the end')
  const edited = await until(
    () => rest.cards().find(({ text }) => text.startsWith('🔔')),
    'the message edited',
  )
  expect(edited.ts).toBe(told.ts)
})

test('more than three at once are one card, another kind gets its own', async () => {
  const { service, ...rest } = await town()
  await rest.bot()
  service.control.open({ ...load, server: 'first' })
  await until(() => rest.cards().length === 1, 'the first card')
  for (let n = 1; n <= 12; n += 1)
    service.control.open({ ...load, server: `web-${n}`, plugin: 'CPU', metric: 'busy' })
  await until(() => rest.cards().some(({ text }) => /12 × /.test(text)), 'a list of twelve')
  service.control.open({ server: 'db-1', plugin: 'Disk', metric: 'used', value: 97, title: 'Disk used 97%' })
  await until(() => rest.cards().length === 3, 'the other kind')
  expect(rest.cards().map(({ text }) => text.includes('db-1'))).toEqual([false, false, true])
})

test('an outage is told once, and what it was when it is over', async () => {
  const { service, ...rest } = await town()
  const bot = await rest.bot()
  await until(() => rest.board(), 'a board', bot)
  service.control.order({ status: 400, times: 1000 })
  const told = await until(() => rest.cards().find(({ text }) => text.startsWith('⚠️')), 'the outage', bot)
  service.control.order(null)
  await until(() => rest.cards().some(({ text }) => text.startsWith('✅')), 'its end', bot)
  expect(rest.cards().map(({ ts }) => ts)).toEqual([told.ts])
})

test('in front of an Alertmanager alone the service runs in the bot, a push brings its alerts at once, and a mute is a silence', async () => {
  const { service: _, ...rest } = await town()
  const manager = new FakeManager({ nowMs: Date.now, pass() {} })
  const { MONITOR_URL: _1, MONITOR_API_KEY: _2, ...settings } = rest.settings()
  const over = {
    ALERTMANAGER_URL: String(await serve(manager)),
    WAKE_TOKEN: 'wake-hush',
    POLL_CRON: '0 0 * * * *',
  }
  const bot = startBot({ ...settings, ...over })
  const port = await until(() => bot.logged('app:started')[0]?.port, 'the start', bot)
  await until(() => rest.board(), 'a board', bot)
  manager.add({ alertname: 'DiskFull', instance: 'db-1:9100', severity: 'critical' })
  const authorization = 'Bearer wake-hush'
  await fetch(`http://127.0.0.1:${String(port)}/wake`, { method: 'POST', headers: { authorization } })
  await until(() => rest.cards().some(({ text }) => /db-1.* DiskFull/.test(text)), 'a card', bot)
  const ana = rest.person('ana')
  await ana.types('/mon mute db-1 1h disk is ordered')
  await until(() => manager.active().length === 1, 'a silence', bot)
  const [, number] = /#(\d+)/.exec(rest.cards()[0]?.text ?? '') ?? []
  await ana.types(`/mon mute #${number} 1h`)
  await until(() => manager.active().length === 2, 'a silence of the alert alone', bot)
  await ana.types(`/mon unmute #${number}`)
  await until(() => manager.active().length === 1, 'its end', bot)
  expect(await bot.kill('SIGTERM')).toBe(0)
  expect(bot.output()).not.toContain('hush')
})

/** What goes wrong around the real processes: the other bot dies, the disk is full, nothing is reached but through a proxy. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { openProxy } from '../../support/proxy.ts'
import { openPostgres } from '../worlds/postgres.ts'
import { openTown, patienceMs, type TownOptions, until } from '../worlds/town.ts'

const load = { server: 'web-1', plugin: 'Load', metric: 'last_minute', value: 3.5, title: 'Last minute 3.50' }
/** A dead one leads until its term ends. */
const termMs = 15_000

async function town(options?: TownOptions) {
  const opened = await openTown(options)
  onTestFinished(opened.close)
  return opened
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'of two bots on a Postgres the other one takes over after %s, and each alert keeps one card',
  async (signal) => {
    const { service, cards, person, ...rest } = await town()
    const postgres = await openPostgres()
    onTestFinished(postgres.close)
    const DATABASE_URL = postgres.url(await postgres.create())
    const a = await rest.bot({ DATABASE_URL, REPLICA_NAME: 'a' })
    await until(() => a.logged('app:leads')[0], 'the lead of the first', a)
    const b = await rest.bot({ DATABASE_URL, REPLICA_NAME: 'b' })
    const alert = service.control.open(load)
    await until(() => cards().length === 1, 'a card', a)
    await until(() => b.logged('app:stands_by')[0], 'the other standing by', b)
    expect((await fetch(`${b.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${b.url}/metrics`)).text()).toMatch(/^monbot_leads 0$/m)

    await a.kill(signal)
    service.control.open({ ...load, server: 'web-2' })
    await until(() => b.logged('app:leads')[0], 'the other leading', b, termMs + patienceMs)
    await until(() => cards().length === 2, 'the card of what opened meanwhile', b)
    await person('ana').presses('Acknowledge', cards()[0])
    await until(() => cards()[0]?.text.includes('is on it'), 'ana on it', b)
    service.control.close(alert)
    await until(() => cards()[0]?.text.startsWith('🟢'), 'the first card closed', b)
    expect(cards().map(({ text }) => /web-\d/.exec(text)?.[0])).toEqual(['web-1', 'web-2'])
  },
)

const isRoot = process.getuid?.() === 0
test.skipIf(!isRoot)(
  'a full disk refuses people in a sentence, loses no alert, and is over once there is room (needs root)',
  async () => {
    const { service, cards, person, folder, ...rest } = await town()
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk])
    const bot = await rest.bot({ DATABASE_URL: `sqlite:${disk}/monbot.db` })
    onTestFinished(async () => {
      await bot.kill('SIGKILL')
      execFileSync('umount', [disk])
    })
    service.control.open(load)
    await until(() => cards().length === 1, 'a card', bot)

    expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(4_000_000))).toThrow('ENOSPC')
    service.control.open({ ...load, server: 'web-2' })
    await until(() => bot.logged('journal:failed')[0], 'a write that fails', bot)
    await until(async () => (await fetch(`${bot.url}/readyz`)).status === 503, 'not ready', bot)
    const ana = person('ana')
    await ana.types('/mon mute web-1 1h deploying')
    await until(
      () => ana.sees().some((text) => text.includes("can't reach my database; nothing was changed")),
      'a refusal',
      bot,
    )
    expect(cards()).toHaveLength(1)

    rmSync(join(disk, 'filler'))
    await until(() => cards().length === 2, 'the card of what opened meanwhile', bot)
    await until(async () => (await fetch(`${bot.url}/readyz`)).status === 200, 'ready', bot)
    await ana.presses('Acknowledge', cards()[1])
    await until(() => cards()[1]?.text.includes('is on it'), 'ana on it', bot)
  },
)

test('a default channel that does not exist is told before the first alert', async () => {
  const { bot: start } = await town()
  const bot = await start({ SLACK_CHANNEL: 'C0NOWHERE1' }, 'board: off')
  const readiness = async () => (await fetch(`${bot.url}/readyz`)).text()
  await until(
    async () => (await readiness()).includes('takes no messages: channel_not_found'),
    'a reason',
    bot,
  )
  expect(bot.logged('channel:shut')).toHaveLength(1)
})

test('through a proxy with an authority of its own an alert gets its card, its picture and an answer', async () => {
  const port = await freePort()
  const { service, ...rest } = await town({ workspace: { port, publicUrl: 'https://slack.test/' } })
  const proxy = await openProxy({ 'monitor.test': Number(new URL(service.url).port), 'slack.test': port })
  onTestFinished(proxy.close)
  const bot = await rest.bot({
    MONITOR_URL: 'https://monitor.test',
    SLACK_API_URL: 'https://slack.test/api/',
    HTTPS_PROXY: proxy.url,
    CA_FILE: proxy.caFile,
  })
  service.control.open(load)
  await until(() => rest.cards().length === 1, 'a card', bot)
  const isPicture = ({ type }: { type: string }) => type === 'image'
  await until(() => rest.messages().some(({ blocks }) => blocks.some(isPicture)), 'a picture', bot)
  await rest.person('ana').presses('Acknowledge', rest.cards()[0])
  await until(() => rest.cards()[0]?.text.includes('is on it'), 'ana on it', bot)
  expect(proxy.asked()).toEqual(['monitor.test:443', 'slack.test:443'])
  expect(await bot.kill('SIGTERM')).toBe(0)
  expect(bot.output()).not.toContain('pa55word')
})

/** A bot's memory is moved to a Postgres and back by the real command: the bot goes on, and nothing is said twice. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BotProcess, startBot } from '../support/bot-process.ts'
import { startMove } from '../support/moving.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { settingsFor } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown, texts } from '../support/town.ts'

const load = { plugin: 'Load Average', metric: 'last_minute', value: 3.5, title: 'It is slow' }

test('a bot goes on where it was, on a Postgres and then on a file again', async () => {
  const town = await openTown({ closeLater: onTestFinished })
  const postgres = await sharedPostgres()
  const shared = postgres.url(await postgres.create())
  const files = ['first.db', 'second.db'].map((name) => `sqlite:${join(town.folder, name)}`)
  const start = async (address: string): Promise<BotProcess> => {
    const bot = startBot({ ...settingsFor(town), DATABASE_URL: address })
    onTestFinished(() => void bot.kill('SIGKILL'))
    await expect.poll(() => bot.logged('app:started').length, { ...soon, message: 'started' }).toBe(1)
    return bot
  }
  const move = async (from: string, to: string) =>
    expect(await startMove('--from', from, '--to', to).ended).toMatchObject({ code: 0 })
  const cards = (server: string) => texts(town.cards()).filter((text) => text.includes(server))
  const alert = async (server: string) => {
    town.service.openAlert({ ...load, server })
    await expect.poll(() => cards(server), soon).toHaveLength(1)
  }
  const ana = town.person('ana')
  const acknowledge = async (server: string) => {
    for (const card of town.cards().filter(({ text }) => text.includes(server)))
      await ana.presses('Acknowledge', card)
    await expect.poll(() => cards(server), soon).toEqual([expect.stringContaining('👀 <@U0ANA00001>')])
  }

  const [first = '', second = ''] = files
  const before = await start(first)
  await alert('db-1')
  await alert('db-2')
  await acknowledge('db-1')
  await before.kill('SIGTERM')
  await move(first, shared)
  const refused = startBot({ ...settingsFor(town), DATABASE_URL: first })
  expect(await refused.ended).toBe(78)
  expect(refused.output()).toMatch(/was moved to 127\S+ on .* set DATABASE_URL to that one\.\n$/)

  const between = await start(shared)
  await alert('db-3')
  // What was there before is known and acted on, on the same cards.
  await acknowledge('db-2')
  await between.kill('SIGTERM')
  await move(shared, second)

  const after = await start(second)
  await alert('db-4')
  await acknowledge('db-3')
  for (const server of ['db-1', 'db-2', 'db-3', 'db-4']) expect(cards(server)).toHaveLength(1)
  expect(await after.kill('SIGTERM')).toBe(0)
})

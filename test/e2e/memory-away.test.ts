/** The real bot on a real Postgres, from which the network cuts it off: people are told in time, and work goes on afterwards. */
import { expect, onTestFinished, test } from 'vitest'
import { startBot } from '../support/bot-process.ts'
import { patienceMs } from '../support/patience.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { settingsFor } from '../support/settings.ts'
import { openTcpGate } from '../support/tcp-gate.ts'
import { called, openTown, texts } from '../support/town.ts'

const load = { plugin: 'Load Average', metric: 'last_minute', value: 3.5, title: 'It is slow' }
const soon = { timeout: patienceMs, interval: 20 }
const words = 'monbot cannot reach its memory; nothing was changed.'
/** Of a machine that does other things besides; 3 s are promised. */
const toldMs = 30_000

async function townOnPostgres() {
  const town = await openTown()
  const postgres = await sharedPostgres()
  const url = new URL(postgres.url(await postgres.create()))
  const gate = await openTcpGate(Number(url.port))
  onTestFinished(() => gate.close())
  url.port = String(gate.port)
  const bot = startBot({ ...settingsFor(town), DATABASE_URL: url.href, REPLICA_NAME: 'bot-a' })
  onTestFinished(() => void bot.kill('SIGKILL'))
  await expect.poll(() => bot.logged('app:started'), soon).toHaveLength(1)
  const port = Number(bot.logged('app:started')[0]?.port)
  return { town, gate, bot, port, ana: town.person('ana') }
}

test.each(['cut', 'swallow'] as const)('%s', async (how) => {
  const { town, gate, bot, port, ana } = await townOnPostgres()
  const cards = (server: string) => texts(town.cards()).filter((text) => text.includes(server))
  const id = town.service.openAlert({ ...load, server: 'db-1' })
  await expect.poll(() => cards('db-1'), soon).toHaveLength(1)
  const ts = town.cards()[0]?.ts ?? ''
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const awayS = async () => Number(/^monbot_memory_away_seconds (.*)$/m.exec(await metrics())?.[1])
  gate[how]()

  const times: number[] = []
  const told = async (ask: () => Promise<unknown>) => {
    const before = ana.sees().length
    const begunMs = performance.now()
    await ask()
    await expect.poll(() => ana.sees().length, soon).toBe(before + 1)
    times.push(Math.round(performance.now() - begunMs))
    expect(ana.sees().at(-1)).toContain(words)
  }
  await told(() => ana.types(`/mon ack ${called(id)}`))
  await told(() => ana.presses('Acknowledge', { ts }))
  await told(() => ana.types('/mon status'))
  const homeMs = performance.now()
  await ana.opensHome()
  await expect.poll(() => ana.home() ?? '', soon).toContain(words)
  times.push(Math.round(performance.now() - homeMs))
  // Meanwhile there is news, and the lead cannot be trusted any more.
  town.service.openAlert({ ...load, server: 'db-2' })
  await expect.poll(awayS, { ...soon, interval: 500 }).toBeGreaterThan(20)
  await told(() => ana.presses('Acknowledge', { ts }))
  expect(Math.max(...times), times.join(' ')).toBeLessThan(toldMs)
  const page = await metrics()
  expect(page).not.toMatch(/^monbot_open_alerts \d/m)

  gate.open()
  await expect.poll(() => cards('db-2'), soon).toHaveLength(1)
  await expect
    .poll(
      async () => {
        await ana.presses('Acknowledge', { ts })
        return cards('db-1')[0]
      },
      { ...soon, interval: 1_000 },
    )
    .toContain('acknowledged')
  expect(cards('db-1')).toHaveLength(1)
  expect(bot.child.exitCode).toBeNull()
  expect(bot.logged('job:broken')).toEqual([])
  expect(bot.logged('request:broken')).toEqual([])
  expect(bot.logged('memory:away').length).toBeLessThan(3)
})

/** The disk goes wrong while the bot runs: whoever asks is told, the process ends with a sentence, and a new start goes on. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, type TestContext, test } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import type { BotProcess } from '../support/bot-process.ts'
import { soon, truthOf } from '../support/shared-town.ts'
import { openTown, type Town, type TownSetting } from '../support/town.ts'

const load = { server: 'web-1', title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }

/** Each test breaks a disk of its own, because they run concurrently. */
const townOf = ({ onTestFinished }: TestContext, setting: TownSetting = {}) =>
  openTown({ ...setting, closeLater: onTestFinished })

const fileOf = (town: Town) => join(town.folder, 'monbot.db')

/** It ends, and its log says why, once and as the last thing that matters. */
async function endsWith(bot: BotProcess, sentence: RegExp): Promise<void> {
  expect(await bot.ended).toBe(1)
  expect(bot.logged('app:crashed')).toMatchObject([
    { level: 'fatal', error: { name: 'StoreError', message: expect.stringMatching(sentence) } },
  ])
}

/** Limits of a process that runs can be set on Linux only. */
const canLimit = spawnSync('prlimit', ['--version']).status === 0

function limit(bot: BotProcess, what: 'fsize' | 'nofile', most: number | 'unlimited'): void {
  // The soft one alone, so that it can be given back.
  execFileSync('prlimit', ['--pid', String(bot.child.pid), `--${what}=${most}:`])
}

const gone =
  /^The database .*monbot\.db was moved or removed while monbot runs, so that nothing is kept any more: .*\.$/

test.concurrent('a database that is removed while monbot runs is not written on in silence', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const bot = await town.bot()
  rmSync(fileOf(town))
  town.service.openAlert(load)
  await endsWith(bot, gone)
  await town.bot()
  await expect.poll(() => town.cards().length, soon).toBe(1)
})

const harms: [what: string, harm: (file: string) => void, sentence: RegExp][] = [
  [
    'whose log is removed',
    (file) => rmSync(`${file}-wal`),
    /^The file .*monbot\.db-wal was removed while monbot runs, .*\.$/,
  ],
  [
    'that a copy is written over',
    (file) => {
      copyFileSync(file, `${file}.copy`)
      copyFileSync(`${file}.copy`, file)
    },
    /^The database .*monbot\.db was written over by another program while monbot runs, .*\.$/,
  ],
]

for (const [what, harm, sentence] of harms) {
  test.concurrent(`a database ${what} while monbot runs is read on no more: nothing is forgotten in silence`, async (context) => {
    const town = await townOf(context)
    const bot = await town.bot()
    const before = town.cards()
    harm(fileOf(town))
    town.service.openAlert(load)
    await endsWith(bot, sentence)
    context.expect(town.cards()).toEqual(before)
  })
}

test.concurrent('who is being answered when the database is lost is told what happened, whoever met it first', async (context) => {
  const { expect } = context
  const town = await townOf(context, { service: { fleet: 4 } })
  const bot = await town.bot()
  town.service.orderFault({ path: 'POST /servers', delayMs: 1_000 })
  const ana = town.person('ana')
  await ana.types('/mon mute web-1 1h deploying')
  await expect.poll(() => memoryOf(town).mutes(), soon).toEqual(['web-1 asked'])
  // The poll, every second, meets it long before the API answers.
  rmSync(fileOf(town))
  await endsWith(bot, gone)
  const [broken] = bot.logged('request:broken')
  expect(ana.sees()).toEqual([
    [
      '⚠️ monbot cannot read or write its database, and stops.',
      `Tell whoever runs monbot; its log says why and what to fix, under \`${broken?.errorId}\`. Ask again once it is back.`,
      'Part of it may have been done. A mute that was not written down is taken back; the rest shows `/mon status`.',
    ].join('\n'),
  ])
  expect(truthOf(town.service).muted()).toEqual([])
})

test.concurrent('a lock file that is removed lets no second process in beside the first', async (context) => {
  const town = await townOf(context)
  const bot = await town.bot()
  rmSync(`${fileOf(town)}-lock`)
  await endsWith(bot, /^The file .*monbot\.db-lock was removed while monbot runs, .* start monbot again\.$/)
  await town.bot()
})

test.concurrent('a database that another program locks for too long is a sentence', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const bot = await town.bot()
  const other = new SQLite(fileOf(town))
  other.exec('begin immediate')
  town.service.openAlert(load)
  await endsWith(bot, /^The database .*monbot\.db is locked by another process: .* \(SQLITE_BUSY\)\.$/)
  other.close()
  await town.bot()
  await expect.poll(() => town.cards().length, soon).toBe(1)
})

test
  .skipIf(!canLimit)
  .concurrent('a mute that a full disk does not let be written down is taken back', async (context) => {
    const { expect } = context
    const town = await townOf(context, { service: { fleet: 4 } })
    const { service } = town
    const api = truthOf(service)
    const memory = memoryOf(town)
    const bot = await town.bot()
    service.orderFault({ path: 'POST /servers', delayMs: 1_000 })
    const ana = town.person('ana')
    await ana.types('/mon mute web-1 1h deploying')
    await expect.poll(() => memory.mutes(), soon).toEqual(['web-1 asked'])
    limit(bot, 'fsize', 0)
    await endsWith(bot, /^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/)
    expect(ana.sees().at(-1)).toMatch(
      /^⚠️ monbot cannot read or write its database, and stops\.\n.*\n.*A mute that was not written down is taken back/,
    )
    expect(api.serverChanges()).toBe(2)
    expect(api.muted()).toEqual([])

    // Until its hour is over it would be said again: it was decided, and is on disk with its end.
    memory.passTime(60 * 60_000)
    await town.bot()
    await expect.poll(() => memory.mutes(), soon).toEqual([])
    expect(api.muted()).toEqual([])
  })

test
  .skipIf(!canLimit)
  .concurrent(
    'a full disk that only somebody’s request had met left the bot running as if it could still keep anything',
    async (context) => {
      const { expect } = context
      const town = await townOf(context)
      // From the first poll on nothing is written by itself: the next one is half an hour away.
      const minute = (new Date().getMinutes() + 30) % 60
      const bot = await town.bot({ POLL_CRON: `0 ${minute} * * * *` })
      await expect.poll(() => bot.logged('card:shown').length, soon).toBe(1)
      limit(bot, 'fsize', 0)
      const ana = town.person('ana')
      await ana.types('/mon marker deploy 12')
      await endsWith(bot, /^The database .*monbot\.db cannot be .*full.* \(SQLITE_\w+\)\.$/)
      expect(ana.sees().at(-1)).toMatch(
        /^⚠️ monbot cannot read or write its database, and stops\.\nTell whoever/,
      )
      expect(truthOf(town.service).markers()).toEqual([])
      await town.bot()
      await ana.types('/mon marker deploy 12')
      await expect.poll(() => truthOf(town.service).markers(), soon).toEqual(['deploy 12'])
    },
  )

test
  .skipIf(!canLimit)
  .concurrent('without a free file descriptor it reports an outage, and its end', async (context) => {
    const { expect } = context
    const town = await townOf(context)
    const bot = await town.bot()
    limit(bot, 'nofile', 5)
    // What is open stays open: a new connection is what cannot be had.
    town.service.orderFault({ path: 'GET /alerts.json', reset: true, times: 3 })
    await expect.poll(() => bot.logged('poll:failed').length, soon).toBeGreaterThan(0)
    await expect
      .poll(() => bot.logged('poll:failed').map(({ why }) => why), soon)
      .toContainEqual('the monitoring API gave no whole answer (EMFILE)')
    limit(bot, 'nofile', 1_024)
    town.service.openAlert(load)
    await expect.poll(() => town.cards().length, soon).toBe(1)
    expect(bot.child.exitCode).toBeNull()
  })

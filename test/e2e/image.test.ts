/** The bot as its image runs it: no rights, a root that is read-only, and one folder that it may write to. */
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canShutIn, startBot } from '../support/bot-process.ts'
import { settingsFor } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

/** Nobody else’s: a file of this user was made by the bot. */
const uid = 61_337
test.skipIf(!canShutIn)('it does all that it does with nothing to write to but its data', async () => {
  const town = await openTown({ service: { fleet: 4 } })
  chownSync(town.folder, uid, uid)
  writeFileSync(join(town.folder, 'policy.yml'), 'images: auto\n')
  const settings = settingsFor(town)
  const bot = startBot(
    { ...settings, NODE_ENV: 'production', MONBOT_CONFIG: join(town.folder, 'policy.yml') },
    { uid, writesOnlyIn: town.folder },
  )
  onTestFinished(async () => {
    await bot.kill('SIGKILL')
  })
  await expect.poll(() => bot.logged('app:started').length, soon).toBe(1)
  const { pid } = bot.child
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
  expect(status).toMatch(/^CapEff:\t0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\t1$/m)

  const ana = town.person('ana')
  town.service.openAlert({
    server: 'web-1',
    plugin: 'Load Average',
    metric: 'last_minute',
    title: 'busy',
    value: 3,
  })
  await expect.poll(() => town.cards().length, soon).toBe(1)
  await ana.types('/mon report 1d')
  await expect.poll(() => ana.sees().join('\n'), soon).toMatch(/opened/i)
  await ana.types('/mon chart web-1 load')
  await ana.types('/mon mute web-1 1h deploying')
  await expect.poll(() => ana.sees().join('\n'), soon).toContain('🔕 web-1 is muted')
  const [card] = town.cards()
  await ana.presses('Acknowledge', card ?? { ts: '' })
  await expect.poll(() => town.cards()[0]?.text, soon).toContain('👀 <@')
  expect(await bot.kill('SIGTERM')).toBe(0)

  const loud = bot.lines().filter(({ level }) => ['warn', 'error', 'fatal', 'none'].includes(level))
  expect(loud).toEqual([])
  const made = readdirSync(town.folder).filter((name) => statSync(join(town.folder, name)).uid === uid)
  expect(made.every((name) => name.startsWith('monbot.db'))).toBe(true)
  expect(made).toContain('monbot.db')
})

test.skipIf(!canShutIn)('a data folder that is read-only as well is a sentence', async () => {
  const town = await openTown()
  chownSync(town.folder, uid, uid)
  const bot = startBot(settingsFor(town), { uid, writesOnlyIn: '/dev/shm' })
  expect(await bot.ended).toBe(1)
  expect(bot.output()).toMatch(
    /^The database .*monbot\.db-lock cannot be (?:written|opened): .*the user that monbot runs as.* \(SQLITE_\w+\)\.$/m,
  )
  expect(readdirSync(town.folder)).toEqual([])
})

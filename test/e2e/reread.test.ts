/** SIGHUP has the real process read its policy again; a wrong one is refused, and the old one stays. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { openTown, texts } from '../support/town.ts'

const load = { plugin: 'Load Average', metric: 'last_minute', value: 3.5, title: 'It is slow' }

test.concurrent('SIGHUP has the policy read again, and a wrong one is refused while the old one stays', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  const key = join(town.folder, 'key')
  writeFileSync(key, `${town.service.keys[0]}\n`)
  const settings = {
    MONBOT_CONFIG: policyFile(town, []),
    MONITOR_API_KEY: '',
    MONITOR_API_KEY_FILE: key,
    SLACK_BOTTOKEN: 'a-misspelt-canary',
  }
  const bot = await town.bot(settings)
  const toldIn = async (server: string, channel: string) => {
    town.service.openAlert({ ...load, server })
    await expect.poll(() => texts(town.cards(channel)), soon).toContainEqual(expect.stringContaining(server))
  }
  await toldIn('db-1', 'db')
  expect(bot.logged('setting:unknown')).toMatchObject([
    { level: 'warn', name: 'SLACK_BOTTOKEN', hint: expect.stringContaining('nothing reads it') },
  ])
  expect(bot.output()).not.toContain('a-misspelt-canary')

  // What is the same needs nothing.
  bot.child.kill('SIGHUP')
  await expect.poll(() => bot.logged('policy:unchanged').length, soon).toBe(1)

  policyFile(town, ['severity: [{ match: { plugin: CPU }, is: dreadful }]'])
  bot.child.kill('SIGHUP')
  await expect
    .poll(() => bot.logged('policy:refused'), soon)
    .toMatchObject([
      { level: 'error', why: expect.stringMatching(/severity\[0\]\.is/), kept: expect.any(String) },
    ])
  await toldIn('db-2', 'db')
  expect(bot.logged('app:started')).toHaveLength(1)

  // Nothing answers there.
  const calendar = `http://127.0.0.1:${await freePort()}/canary-calendar`
  policyFile(town, [
    `severity: [{ match: { server: "db-*" }, is: critical }]`,
    `timezone: Europe/Berlin`,
    `oncall: { ical: "${calendar}" }`,
  ])
  writeFileSync(key, 'another-canary-key')
  bot.child.kill('SIGHUP')
  await expect
    .poll(() => bot.logged('policy:reread'), soon)
    .toMatchObject([
      {
        changed: 'severity, oncall, timezone',
        restart: 'MONITOR_API_KEY_FILE: changed, and read at a start only',
      },
    ])
  expect(bot.output()).not.toContain('another-canary-key')
  await expect.poll(() => bot.logged('app:started').length, soon).toBe(2)
  await toldIn('db-3', 'db')
  await expect
    .poll(() => texts(town.cards('db')).filter((text) => /db-3/.test(text)), soon)
    .toEqual([expect.stringMatching(/^🚨/)])
  const ready = `http://127.0.0.1:${bot.port}/readyz`
  await expect.poll(async () => (await fetch(ready)).status, soon).toBe(200)

  // The address of the calendar is a secret from then on, wherever it is pasted.
  policyFile(town, [`lifecycle: "${calendar}"`])
  bot.child.kill('SIGHUP')
  await expect
    .poll(() => bot.logged('policy:refused').at(-1)?.why, soon)
    .toEqual(expect.stringMatching(/lifecycle: .*; came "\[secret\]"/))
  expect(bot.output()).not.toContain('canary-calendar')

  // A token that is refused by now ends nothing that has run.
  await town.workspace.acts.revoke({ token: 'bot' })
  policyFile(town, [])
  bot.child.kill('SIGHUP')
  await expect.poll(() => bot.logged('slack:not_connected').length, soon).toBe(1)
  expect(await bot.kill('SIGTERM')).toBe(0)
})

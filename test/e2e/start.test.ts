/** Starting the real process with settings that cannot work: its own exit code and a clear sentence, no stack and no secret. */

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openService, type Service } from '../../src/service/service.ts'
import { version } from '../../src/shared/version.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../support/bot-process.ts'
import { patienceMs } from '../support/patience.ts'
import { settingsFor } from '../support/settings.ts'
import { apiKey } from '../support/town.ts'

let workspace: Workspace
let service: Service
let folder: string
let good: Record<string, string>

beforeAll(async () => {
  workspace = await openWorkspace()
  service = await openService({ port: 0, keys: [apiKey], sample: false, fleet: false })
  folder = mkdtempSync(join(tmpdir(), 'monbot-start-'))
  good = settingsFor({ service, workspace, folder })
})

afterAll(async () => {
  await workspace.close()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Only a person can change it, so that a supervisor need not start it again. */
const wrongSetting = 78

async function failedStart(settings: Record<string, string>) {
  const bot = startBot(settings)
  const code = await bot.ended
  const output = bot.output()
  for (const secret of [
    apiKey,
    workspace.botToken,
    workspace.appToken,
    'xoxb-wrong',
    'xapp-wrong',
    'wrong-key',
  ]) {
    expect(output).not.toContain(secret)
  }
  expect(output).not.toMatch(/\n\s+at /)
  return { code, output }
}

test('with nothing set every missing setting is named, and the way to the demo', async () => {
  const { code, output } = await failedStart({})
  expect(code).toBe(wrongSetting)
  for (const name of [
    'MONITOR_URL',
    'MONITOR_API_KEY',
    'SLACK_BOT_TOKEN',
    'SLACK_APP_TOKEN',
    'SLACK_CHANNEL',
  ]) {
    expect(output).toContain(`  ${name}: expected `)
  }
  // As the package has it: the bot is bundled here too.
  expect(output).toContain('To see monbot work without any setting: monbot demo\n')
})

describe('one clear sentence for', () => {
  const table: [string, () => Record<string, string>, RegExp][] = [
    [
      'a wrong bot token',
      () => ({ SLACK_BOT_TOKEN: 'xoxb-wrong-token-123' }),
      /^Slack refused SLACK_BOT_TOKEN \(invalid_auth\): .*\.$/m,
    ],
    [
      'a wrong app token',
      () => ({ SLACK_APP_TOKEN: 'xapp-wrong-token-123' }),
      /^Slack refused SLACK_APP_TOKEN \(invalid_auth\): .*\.$/m,
    ],
    [
      'a channel that is not there',
      () => ({ SLACK_CHANNEL: 'C000NOSUCH' }),
      /^Slack knows no channel C000NOSUCH, .*\.$/m,
    ],
    [
      'a channel without the bot',
      () => ({ SLACK_CHANNEL: workspace.channel('random').id }),
      /^monbot is not in the channel C\w+: .*\.$/m,
    ],
    [
      'a refused key',
      () => ({ MONITOR_API_KEY: 'wrong-key-123' }),
      /^The monitoring API refused MONITOR_API_KEY: .*\.$/m,
    ],
    [
      'a policy file without an end',
      () => ({ MONBOT_CONFIG: '/dev/zero' }),
      /^ {2}\/dev\/zero: expected a YAML file of at most 256000 characters; came more$/m,
    ],
    [
      'a database that is something else',
      () => {
        const path = join(folder, 'shopping.txt')
        writeFileSync(path, 'bread, butter, and enough words that it cannot be the head of a database')
        return { DATABASE_URL: `sqlite:${path}` }
      },
      /^The database .*shopping\.txt is no SQLite database, .*$/m,
    ],
  ]
  test.each(table)('%s', async (_, wrong, sentence) => {
    const { code, output } = await failedStart({ ...good, LOG_LEVEL: 'warn', ...wrong() })
    expect(output).toMatch(sentence)
    expect(code).toBe(wrongSetting)
  })

  test('a database whose folder is none', async () => {
    const settings = { ...good, DATABASE_URL: 'sqlite:/dev/null/monbot.db' }
    const { code, output } = await failedStart(settings)
    expect(output).toMatch(/^The database \/dev\/null\/monbot\.db cannot be opened: .*$/m)
    // Its disk may come later.
    expect(code).toBe(1)
  })

  test('a port that is taken', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { code, output } = await failedStart({ ...good, PORT: String(port) })
    server.close()
    expect(output).toContain(String(port))
    expect(code).toBe(1)
  })
})

test('five fields are every 15 minutes, not seconds, and the start warns of it', async () => {
  const database = `sqlite:${join(folder, 'seldom.db')}`
  const bot = startBot({ ...good, DATABASE_URL: database, POLL_CRON: '*/15 * * * *' })
  await vi.waitUntil(() => bot.logged('app:started').length > 0, { timeout: patienceMs })
  const warned = { level: 'warn', everySeconds: 900, hint: expect.stringContaining('seconds come first') }
  expect(bot.logged('poll:seldom')).toMatchObject([warned])
  expect(bot.logged('app:started')).toMatchObject([{ everySeconds: 900 }])
  // The first thing that somebody who reads a log of last week asks.
  expect(bot.lines()[0]).toMatchObject({ msg: 'app:starting', version })
  expect(await bot.kill('SIGTERM')).toBe(0)
})

describe('a monitoring API that answers nothing any more does not hold up the end', () => {
  const endsInPeace = async (bot: BotProcess) => {
    // One that has to be ended by force ends with 1.
    expect(await bot.kill('SIGTERM')).toBe(0)
    expect(bot.lines().at(-1)?.msg).toBe('app:stopped')
  }

  test('of the start', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const asked = once(silent, 'request')
    const { port } = silent.address() as AddressInfo
    const database = `sqlite:${join(folder, 'silent.db')}`
    const bot = startBot({ ...good, MONITOR_URL: `http://127.0.0.1:${port}`, DATABASE_URL: database })
    await asked
    await endsInPeace(bot)
    silent.closeAllConnections()
    silent.close()
  })

  test('of the work', async () => {
    const bot = startBot({ ...good, DATABASE_URL: `sqlite:${join(folder, 'hanging.db')}` })
    await vi.waitUntil(() => bot.logged('app:started').length > 0, { timeout: patienceMs })
    service.orderFault({ hang: true, path: 'alerts.json', times: 1_000 })
    onTestFinished(() => service.clearFaults())
    const polls = () => service.requests()['GET /alerts.json'] ?? 0
    const before = polls()
    await vi.waitUntil(() => polls() > before, { timeout: patienceMs })
    await endsInPeace(bot)
  })
})

test('a second signal ends at once what the first one waits for', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const asked = once(silent, 'request')
  const { port } = silent.address() as AddressInfo
  const database = `sqlite:${join(folder, 'second.db')}`
  const bot = startBot({ ...good, MONITOR_URL: `http://127.0.0.1:${port}`, DATABASE_URL: database })
  await asked
  bot.child.kill('SIGTERM')
  await vi.waitUntil(() => bot.logged('app:stopping').length > 0, { timeout: patienceMs })
  expect(await bot.kill('SIGTERM')).toBe(1)
  expect(bot.logged('app:ended_at_once')).toHaveLength(1)
  silent.closeAllConnections()
  silent.close()
})

test('a database in use is backed up by the command, and the copy can be started from', async () => {
  const database = join(folder, 'used.db')
  const settings = { ...good, DATABASE_URL: `sqlite:${database}` }
  const bot = startBot(settings)
  await vi.waitUntil(() => bot.logged('app:started').length > 0, { timeout: patienceMs })
  const copy = join(folder, 'copy.db')
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ['src/bot/backup.ts', ...words], { env: settings, encoding: 'utf8' })
  const made = run(copy)
  expect(made.stderr).toBe('')
  expect(made.stdout).toMatch(/copy\.db: a whole copy of .*used\.db: 0 alerts, 0 active mutes, \d+ bytes\n$/)
  expect(run(copy)).toMatchObject({ status: 1, stderr: expect.stringContaining('there already') })
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: npm run backup -- FILE') })
  await bot.kill('SIGTERM')
  const next = startBot({ ...settings, DATABASE_URL: `sqlite:${copy}` })
  await vi.waitUntil(() => next.logged('app:started').length > 0, { timeout: patienceMs })
  expect(await next.kill('SIGTERM')).toBe(0)
})

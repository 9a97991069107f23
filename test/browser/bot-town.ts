/**
 * Runs the whole bot with a monitoring service and a workspace in this process, so that a test can let an hour pass. The service
 * is a process of its own: it draws with the same renderer as the bot, which starts only once a process.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readConfig } from '../../src/bot/config/config.ts'
import { openLog } from '../../src/bot/log.ts'
import { openReplica } from '../../src/bot/replica.ts'
import { parseManifest } from '../../src/workspace/manifest.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'
import { startService } from '../service/process.ts'
import { type JumpingClock, jumpingClock } from '../support/jumping-clock.ts'
import { settingsFor } from '../support/settings.ts'
import { afterPages } from './browser.ts'

export type BotTown = {
  readonly workspace: Workspace
  readonly clock: JumpingClock
  /** Answers the alert's id. */
  openAlert(alert: AlertByHand): Promise<number>
  closeAlert(id: number): Promise<void>
  /**
   * Fails where the bot's log warned of anything. Call it at the end of a test. A call that is in progress while time is advanced
   * gets no answer in time by the bot's clock: the bot then searches Slack for it, as always.
   */
  expectQuiet(): void
}

type AlertByHand = { readonly server: string; readonly plugin: string; readonly [field: string]: unknown }

const apiKey = 'canary-key-7d20aa'

/** Ready to be looked at: the bot has polled once, and the app has what the manifest gives it. Closed after the pages. */
export async function openBotTown(): Promise<BotTown> {
  const manifest = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8')
  const workspace = await openWorkspace({ limits: 'off', fileReadyMs: 0, ...parseManifest(manifest) })
  afterPages(() => workspace.close())
  const { url, controlUrl } = await startService({ MONITOR_API_KEY: apiKey, MONITOR_SAMPLE: 'off' })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-browser-'))
  afterPages(async () => rmSync(folder, { recursive: true, force: true }))

  const config = readConfig(settingsFor({ service: { url, keys: [apiKey] }, workspace, folder }), () => '')
  const warnings: string[] = []
  const log = openLog({
    level: 'warn',
    secrets: [config.monitorApiKey, config.slackBotToken],
    destination: { write: (line) => warnings.push(line) },
  })
  const clock = jumpingClock()
  const ids = { make: () => randomUUID() }
  const bot = openReplica(config, { log, clock, ids, random: Math.random })
  afterPages(bot.stop)
  await bot.started

  const control = async (path: string, body = {}): Promise<unknown> => {
    const answer = await fetch(`${controlUrl}/control${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`the monitoring service answered ${answer.status} to ${path}`)
    return answer.json()
  }
  return {
    workspace,
    clock,
    openAlert: async (alert) => ((await control('/alerts', alert)) as { id: number }).id,
    closeAlert: async (id) => void (await control(`/alerts/${id}/close`)),
    expectQuiet: () => {
      const others = warnings.filter((line) => !line.includes('"why":"no_answer"'))
      expect(others, 'what the bot warned of').toEqual([])
    },
  }
}

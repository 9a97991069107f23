/** Everyone on free ports: the monitoring service, the local workspace, and the bot as a real process between them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.ts'
import { type BotProcess, startBot } from './bot-process.ts'
import { settingsFor } from './settings.ts'

export type Card = {
  readonly ts: string
  readonly text: string
  readonly blocks: readonly { readonly type: string }[]
  readonly thread_ts?: string
  readonly metadata?: { readonly event_payload: { readonly card: string } }
}

export type Town = {
  readonly service: Service
  readonly workspace: Workspace
  readonly folder: string
  /** Starts the bot, and resolves once it says that it is ready. */
  bot(over?: Record<string, string>): Promise<BotProcess & { readonly port: number }>
  /** The bot's messages in a channel, oldest first, replies among them. */
  cards(channel?: string): Card[]
}

const readyWithinMs = 20_000
export const apiKey = 'canary-key-7d20aa'

/** Closed with the test: the bots first, then its neighbours. */
export async function openTown(
  setting: { service?: Partial<ServiceOptions>; workspace?: WorkspaceOptions } = {},
): Promise<Town> {
  const workspace = await openWorkspace({ limits: 'slack', ...setting.workspace })
  const service = await openService({ port: 0, key: apiKey, sample: false, fleet: false, ...setting.service })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-town-'))
  const bots: BotProcess[] = []
  onTestFinished(async () => {
    for (const bot of bots) await bot.kill('SIGKILL')
    await service.close()
    await workspace.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const town: Town = {
    service,
    workspace,
    folder,
    bot: async (over) => {
      const bot = startBot({ ...settingsFor({ service, workspace, folder }), ...over })
      bots.push(bot)
      const port = await started(bot)
      return { ...bot, port }
    },
    cards: (channel = 'alerts') => (workspace.messages(channel) as unknown as Card[]).map(withEmoji),
  }
  return town
}

async function started(bot: BotProcess): Promise<number> {
  const line = await vi
    .waitUntil(() => bot.child.exitCode !== null || bot.logged('app:started')[0], {
      timeout: readyWithinMs,
      interval: 20,
    })
    .catch(() => null)
  if (line === null || line === true) throw new Error(`the bot did not start:\n${bot.output()}`)
  return Number(line.port)
}

const emoji = new Map([
  [':red_circle:', '🔴'],
  [':large_green_circle:', '🟢'],
  [':large_blue_circle:', '🔵'],
])

/** Slack echoes emoji as codes; people see the emoji. */
function withEmoji(card: Card): Card {
  return { ...card, text: card.text.replace(/:[a-z_]+:/g, (code) => emoji.get(code) ?? code) }
}

/** What a person reads of a card: its text. */
export function texts(cards: readonly Card[]): string[] {
  return cards.map((card) => card.text)
}

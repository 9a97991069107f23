/** Opens a town: the monitoring service, the local workspace and the bot as a real process, on free ports. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { parseManifest } from '../../src/workspace/manifest.ts'
import { withEmoji } from '../../src/workspace/page/blocks/emoji-codes.js'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.ts'
import { type BotProcess, startBot } from './bot-process.ts'
import { freePort } from './free-port.ts'
import { patienceMs } from './patience.ts'
import { type Person, personIn } from './person.ts'
import { settingsFor } from './settings.ts'

export type Card = {
  readonly channel: string
  readonly ts: string
  readonly text: string
  readonly blocks: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly thread_ts?: string
  readonly files?: readonly { readonly url_private: string }[]
  readonly metadata?: { readonly event_payload: { readonly card: string } }
}

/** An alert's id as people see it: the end of a long number, whose four digits are unique in a test. */
export function called(alertId: number): string {
  return alertId < 1e12 ? `#${alertId}` : `#…${String(alertId).slice(-4)}`
}

export type Town = {
  readonly service: Service
  readonly workspace: Workspace
  readonly folder: string
  /** Starts the bot, and resolves once it says that it is ready. */
  bot(over?: Record<string, string>): Promise<BotProcess & { readonly port: number }>
  /** The bot's messages in a channel, oldest first, replies among them; the board only where it is asked for. */
  cards(channel?: string, show?: { readonly boards?: boolean }): Card[]
  /** The replies to a message, oldest first. */
  thread(ts: string, channel?: string): Card[]
  /** By the name in the workspace: ana, ben, cleo. */
  person(name: string): Person
  /** Fails if a bot's log has an unexpected warning; call it at the end of a test. */
  expectQuiet(expected?: { readonly except: readonly RegExp[] }): void
}

export const apiKey = 'canary-key-7d20aa'
export const signingSecret = 'canary-signing-secret-3fa1'

export type TownSetting = {
  readonly service?: Partial<ServiceOptions>
  readonly workspace?: WorkspaceOptions
  /** Bot and workspace speak HTTP mode; else Socket Mode. */
  readonly http?: boolean
  /** Takes what closes it, where it is not to close with the test. */
  readonly closeLater?: (close: () => Promise<void>) => void
}

/** Opens the town, and closes it with the test: the bots first. The app has only what the manifest gives it. */
export async function openTown(setting: TownSetting = {}): Promise<Town> {
  // The workspace has to know the port before the bot is there.
  const http = setting.http === true ? { signingSecret, port: await freePort() } : undefined
  const requestUrl = `http://127.0.0.1:${http?.port}/slack/events`
  const manifest = parseManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'))
  const workspace = await openWorkspace({
    limits: 'slack',
    ...manifest,
    ...(http === undefined ? {} : { http: { requestUrl, signingSecret } }),
    ...setting.workspace,
  })
  const service = await openService({ port: 0, key: apiKey, sample: false, fleet: false, ...setting.service })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-town-'))
  const bots: BotProcess[] = []
  // One of each: what somebody has filled in is theirs until they send it.
  const people = new Map<string, Person>()
  const closeLater = setting.closeLater ?? onTestFinished
  closeLater(async () => {
    for (const bot of bots) await bot.kill('SIGKILL')
    await service.close()
    await workspace.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const messages = (channel: string): Card[] => {
    const { id } = workspace.channel(channel)
    return (workspace.messages(id) as unknown as Card[]).map((card) => ({
      ...card,
      channel: id,
      text: withEmoji(card.text),
    }))
  }

  return {
    service,
    workspace,
    folder,
    bot: async (over) => {
      const bot = startBot({ ...settingsFor({ service, workspace, folder, http }), ...over })
      bots.push(bot)
      const port = await started(bot)
      if (http !== undefined)
        expect(await workspace.acts.requestUrl({ url: requestUrl })).toEqual({ ok: true })
      return { ...bot, port }
    },
    cards: (channel = 'alerts', { boards = false } = {}) =>
      messages(channel).filter((card) => (boards || !isA('board', card)) && !isA('picture', card)),
    thread: (ts, channel = 'alerts') =>
      messages(channel).filter((card) => card.thread_ts === ts && card.ts !== ts && !isA('picture', card)),
    person: (name) => {
      const person = people.get(name) ?? personIn(workspace, name)
      people.set(name, person)
      return person
    },
    expectQuiet({ except } = { except: [] }) {
      const loud = bots
        .flatMap((bot) => bot.lines())
        .filter(({ level }) => !['trace', 'debug', 'info'].includes(level))
        .map((line) => JSON.stringify(line))
        .filter((line) => ![...except, ...ofNode].some((pattern) => pattern.test(line)))
      expect(loud, 'what the bots warned of').toEqual([])
    },
  }
}

/** What Node itself says of features that are new. */
const ofNode = [/\(node:\d+\) ExperimentalWarning/, /\(Use `node --trace-warnings/]

/** On a busy machine a picture may come after its card, and stand in its thread. */
function isA(kind: 'board' | 'picture', card: Card): boolean {
  return card.metadata?.event_payload.card.startsWith(`${kind}:`) === true
}

async function started(bot: BotProcess): Promise<number> {
  const line = await vi
    .waitUntil(() => bot.child.exitCode !== null || bot.logged('app:started')[0], {
      timeout: patienceMs,
      interval: 20,
    })
    .catch(() => null)
  if (line === null || line === true) throw new Error(`the bot did not start:\n${bot.output()}`)
  return Number(line.port)
}

/** The texts of cards, as a person reads them. */
export function texts(cards: readonly Card[]): string[] {
  return cards.map((card) => card.text)
}

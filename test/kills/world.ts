/** The real bot between the service and the workspace, with a sign for everything that can be seen of it from outside. */
import { type FSWatcher, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService, type Service } from '../../src/service/service.ts'
import { parseManifest } from '../../src/workspace/manifest.ts'
import { withEmoji } from '../../src/workspace/page/blocks/emoji-codes.js'
import type { Happening } from '../../src/workspace/state/events.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../support/bot-process.ts'
import { patienceMs } from '../support/patience.ts'
import { clockAhead, settingsFor } from '../support/settings.ts'
import type { Twist } from './faults.ts'
import { openGate } from './gate.ts'
import { type Memory, readMemory } from './memory.ts'

/** Where the alerts of which servers are told. */
export const homes = { web: 'alerts', db: 'db', cache: 'general', worker: 'private-ops' } as const
export const servers = Object.keys(homes).flatMap((kind) => [`${kind}-1`, `${kind}-2`])

/**
 * What can be seen of the bot from outside, in a line: `api did POST servers web-1 false`, `slack message_posted 🔴 CPU on web-1`,
 * `log card:shown update`, `disk`.
 */
export type Sign = string
/** Called the moment it is seen, before anything else happens. */
export type Watcher = (sign: Sign) => void

export type World = {
  readonly service: Service
  readonly workspace: Workspace
  readonly folder: string
  readonly form: WorldOptions['form']
  /** The file of the bot's memory, where it is a file. */
  readonly memory: string
  /** What the bot remembers. */
  recall(): Promise<Memory>
  /** A sign that somebody else has seen. */
  sign(sign: Sign): void
  /** One watcher at a time; null: nobody looks. */
  watch(watcher: Watcher | null): void
  /** The time of day that everyone has. */
  nowMs(): number
  /** So much time passes for everyone; no bot may run. */
  pass(ms: number): void
  /** Requests that are on their way to the API now never reach it. */
  dropRequests(are: boolean): void
  /** Starts a process, and does not wait for it; some of its settings may be others, and its clock may be wrong. */
  spawn(over?: Readonly<Record<string, string>>, skewMs?: number): BotProcess
  /** Resolves with false where it ended before it was ready. */
  ready(bot: BotProcess): Promise<boolean>
  close(): Promise<void>
}

export type WorldOptions = {
  readonly seed: number
  readonly form: 'flip' | 'pair'
  readonly images: 'auto' | 'off'
  /** What becomes of a request to the API. */
  readonly twistOf?: (call: string) => Twist | null
  /** Reads what the bot remembers; from its file by default. */
  readonly recall?: () => Promise<Memory>
}

const readyWithinMs = patienceMs

export async function openWorld(options: WorldOptions): Promise<World> {
  const { seed, form, images, twistOf = () => null } = options
  let watcher: Watcher | null = null
  let dropping = false
  const see = (sign: Sign): void => watcher?.(sign)
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const gate = await openGate(
    (passage, call) => see(`api ${passage} ${call}`),
    (call) => (dropping ? { kind: 'drop' } : twistOf(call)),
  )
  const service = await openService({
    key: `kills-key-${seed}`,
    sample: false,
    fleet: false,
    seed,
    form,
    nowMs,
    publicUrl: gate.url,
  })
  gate.leadTo(service.url)
  // The bot keeps Slack's pace by itself; what the workspace refuses is ordered here.
  const manifest = parseManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'))
  const workspace = await openWorkspace({ limits: 'off', nowMs, ...manifest })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-kills-'))
  const policy = join(folder, 'policy.yml')
  writeFileSync(policy, policyOf(workspace, images))
  workspace.events.listen(({ event }) => see(signOf(event)))
  const disk: FSWatcher = watch(folder, (_, name) => see(`disk ${name ?? ''}`))
  const bots: BotProcess[] = []
  const memory = join(folder, 'monbot.db')

  const settings = {
    ...settingsFor({ service: { url: gate.url, keys: service.keys }, workspace, folder }),
    MONBOT_CONFIG: policy,
    LOG_LEVEL: 'debug',
  }

  return {
    service,
    workspace,
    folder,
    form,
    memory,
    recall: options.recall ?? (async () => readMemory(memory)),
    sign: see,
    watch: (next) => {
      watcher = next
    },
    nowMs,
    pass: (ms) => {
      aheadMs += ms
    },
    dropRequests: (are) => {
      dropping = are
    },
    spawn: (over = {}, skewMs = 0) => {
      const bot = startBot({ ...settings, ...over, ...clockAhead(aheadMs + skewMs) })
      bots.push(bot)
      bot.child.stdout?.on('data', (text: string) => signsOfLog(text).forEach(see))
      return bot
    },
    ready: (bot) =>
      new Promise((resolve) => {
        const done = (isReady: boolean) => {
          clearTimeout(timer)
          resolve(isReady)
        }
        const timer = setTimeout(() => done(false), readyWithinMs)
        void bot.ended.then(() => done(false))
        bot.child.stdout?.on('data', (text: string) => {
          if (text.includes('"app:started"')) done(true)
        })
      }),
    close: async () => {
      watcher = null
      disk.close()
      for (const bot of bots) await bot.kill('SIGKILL')
      await gate.close()
      await service.close()
      await workspace.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function policyOf(workspace: Workspace, images: string): string {
  const routes = Object.entries(homes).map(
    ([kind, channel]) => `  - { match: { server: "${kind}-*" }, channel: ${workspace.channel(channel).id} }`,
  )
  return [`images: ${images}`, 'reminders: never', 'routes:', ...routes].join('\n')
}

/** A line may come in two parts; then it gives no sign, and the next one of its kind does. */
function signsOfLog(text: string): Sign[] {
  return [...text.matchAll(/^\{.*"msg":"([a-z_]+:[a-z_]+)"\}$/gm)].map(([line, event]) => {
    const by = /"by":"([a-z]+)"/.exec(line)?.[1]
    return `log ${event}${by === undefined ? '' : ` ${by}`}`
  })
}

function signOf(event: Happening): Sign {
  switch (event.type) {
    case 'api_call':
      return `slack api_call ${event.method} ${event.outcome}`
    case 'message_posted':
    case 'message_updated':
      return `slack ${event.type} ${wordsOf(event.message)}`
    case 'ephemeral_posted':
      return `slack answered ${wordsOf(event.message)}`
    case 'fault_used':
      return `slack fault_used ${event.fault}`
    default:
      return `slack ${event.type}`
  }
}

/** The card that a message is of; empty where it is none. */
export function keyOf(message: object): string {
  const { metadata } = message as { metadata?: { event_payload?: { card?: string } } }
  return metadata?.event_payload?.card ?? ''
}

export function wordsOf(message: object): string {
  return 'text' in message ? withEmoji(String(message.text)) : ''
}

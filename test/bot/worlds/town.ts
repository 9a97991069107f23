/** The town: the real service and workspace in this process, the bot as a process of its own, and people who see and press. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService, type Service, type ServiceOptions } from '../../../src/service/service.ts'
import { withEmoji } from '../../../src/workspace/page/blocks/emoji-codes.js'
import { bundledBot } from '../../support/bundled.ts'
import { freePort } from '../../support/free-port.ts'
import { type Person, personIn } from '../../support/person.ts'
import { settingsFor } from '../../support/settings.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../support/slack.ts'

export const apiKey = 'canary-key-7d20aa'
export const signingSecret = 'canary-signing-secret-3fa1'
/** Bundled, as in the package and the image. */
const entry = await bundledBot()

export type Card = {
  readonly channel: string
  readonly ts: string
  readonly text: string
  readonly blocks: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly thread_ts?: string
  readonly subtype?: string
}

export type BotProcess = {
  readonly child: ChildProcess
  /** All that it wrote, both outputs together. */
  output(): string
  logged(event: string): Record<string, unknown>[]
  /** The exit code; null: ended by a signal. */
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | null>
}

export type Town = {
  readonly service: Service
  readonly workspace: Workspace
  readonly folder: string
  /** Settings for a bot of this town; a `policy` is written to a file. */
  settings(over?: Record<string, string>, policy?: string): Record<string, string>
  /** Starts the bot and waits until it says where it listens. */
  bot(over?: Record<string, string>, policy?: string): Promise<BotProcess & { readonly url: string }>
  /** The bot's messages of a channel, oldest first, without threads' replies and the board. */
  cards(channel?: string): Card[]
  /** All messages of a channel. */
  messages(channel?: string): Card[]
  thread(ts: string, channel?: string): Card[]
  board(channel?: string): Card | undefined
  person(name: string): Person
  close(): Promise<void>
}

/** Starts the bot with these settings and nothing else of this environment. */
export function startBot(
  settings: Record<string, string>,
  file = entry,
  options: SpawnOptions = {},
): BotProcess {
  const child = spawn(process.execPath, [file], {
    cwd: tmpdir(),
    ...options,
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', endWithUs)
    return code as number | null
  })
  return {
    child,
    output: () => output,
    logged: (event) =>
      output
        .slice(0, output.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.startsWith('{') && line.includes(`"${event}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => line.msg === event),
    ended,
    kill: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}

export type TownOptions = {
  readonly service?: Partial<ServiceOptions>
  readonly workspace?: WorkspaceOptions
  /** HTTP mode in place of Socket Mode. */
  readonly http?: boolean
}

/** Opens service and workspace under Slack's own limits, as the manifest sets the app up. Close it at the end: the bots go first. */
export async function openTown(options: TownOptions = {}): Promise<Town> {
  const http = options.http === true ? { signingSecret, port: await freePort() } : undefined
  const requestUrl = `http://127.0.0.1:${http?.port}/slack/events`
  const workspace = await openWorkspace({
    limits: 'slack',
    ...(http === undefined ? {} : { http: { requestUrl, signingSecret } }),
    ...options.workspace,
  })
  const service = await openService({ port: 0, key: apiKey, sample: false, fleet: false, ...options.service })
  const folder = mkdtempSync(join(tmpdir(), 'monbot-town-'))
  const bots: BotProcess[] = []
  const people = new Map<string, Person>()

  const messages = (channel = 'alerts'): Card[] => {
    const { id } = workspace.channel(channel)
    return (workspace.messages(id) as unknown as Card[]).map((card) => ({
      ...card,
      channel: id,
      text: withEmoji(card.text),
    }))
  }
  const isBoard = ({ text }: Card) => /^Last good poll/m.test(text)
  const settings = (over: Record<string, string> = {}, policy?: string): Record<string, string> => {
    const file = join(folder, 'policy.yml')
    if (policy !== undefined) writeFileSync(file, policy)
    return {
      ...settingsFor({ service, workspace, folder, http }),
      ...(policy === undefined ? {} : { MONBOT_CONFIG: file }),
      ...over,
    }
  }

  return {
    service,
    workspace,
    folder,
    settings,
    bot: async (over, policy) => {
      const bot = startBot(settings(over, policy))
      bots.push(bot)
      const port = await until(
        () => bot.logged('app:started')[0]?.port,
        `the bot's start\n${bot.output()}`,
        bot,
      )
      if (http !== undefined) await workspace.acts.requestUrl({ url: requestUrl })
      return { ...bot, url: `http://127.0.0.1:${String(port)}` }
    },
    cards: (channel) =>
      messages(channel).filter(
        (card) => !isBoard(card) && (card.thread_ts === undefined || card.thread_ts === card.ts),
      ),
    messages,
    thread: (ts, channel) => messages(channel).filter((card) => card.thread_ts === ts && card.ts !== ts),
    board: (channel) => messages(channel).find(isBoard),
    person: (name) => {
      const person = people.get(name) ?? personIn(workspace, name)
      people.set(name, person)
      return person
    },
    close: async () => {
      for (const bot of bots) if (bot.child.exitCode === null) await bot.kill('SIGKILL')
      await service.close()
      await workspace.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Seconds that a machine may take: a run of tests waits, only a bench judges time. */
export const patienceMs = process.env.CI === undefined ? 15_000 : 120_000

type Looked<T> = T | undefined | null | false

/** Waits until `look` gives something; throws with `what` in place of waiting for ever, or once the process has ended. */
export async function until<T>(
  look: () => Looked<T> | Promise<Looked<T>>,
  what: string,
  bot?: BotProcess,
  withinMs = patienceMs,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (bot !== undefined && bot.child.exitCode !== null) throw new Error(`it ended: ${bot.output()}`)
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}\n${bot?.output() ?? ''}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** The real bot between the real service and the real workspace, and a record of what was said to Slack. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openService, type Service } from '../src/service/service.ts'
import { parseManifest } from '../src/workspace/manifest.ts'
import { openWorkspace, type Workspace } from '../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../test/support/bot-process.ts'
import { clockAhead, settingsFor } from '../test/support/settings.ts'
import { residentMb } from './process-use.ts'

const lookEveryMs = 20
const measureEveryMs = 500
const serversMax = 1_000

export type Message = {
  readonly ts: string
  readonly text: string
  readonly thread_ts?: string
  readonly metadata?: { readonly event_payload: { readonly card: string } }
}

/** A message that was posted or updated, or a call that was made; `atMs` is the time of day. */
export type Said = {
  readonly atMs: number
  readonly what: string
  readonly card: string
  readonly outcome: string
}

export type Town = {
  readonly service: Service
  readonly workspace: Workspace
  readonly folder: string
  readonly said: readonly Said[]
  /** Starts the bot, with more settings than it needs to work here, and resolves with it once it is ready; `tookMs` is how long that took. */
  start(more?: Record<string, string>): Promise<{ readonly bot: BotProcess; readonly tookMs: number }>
  /** Lets so much time pass for everyone, while the bot does not run. */
  pass(ms: number): void
  /** What stands in the channel itself, the board left out, and the replies of all its threads. */
  channel(): { readonly roots: readonly Message[]; readonly replies: readonly Message[] }
  /** The most memory that the bot held so far, in MB. */
  mostMb(): number
  close(): Promise<void>
}

/** `servers`: how many the service simulates, without triggers; none where nobody says. */
export async function openTown(limits: 'slack' | 'off' = 'slack', servers = 0): Promise<Town> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-bench-'))
  const manifest = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8')
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const workspace = await openWorkspace({ limits, nowMs, ...parseManifest(manifest) })
  const fleet = servers === 0 ? { fleet: false as const } : { fleet: servers, triggers: [] }
  const service = await openService({ key: 'bench-key-000001', sample: false, nowMs, ...fleet })
  const channelId = workspace.channel('alerts').id
  const said: Said[] = []
  workspace.events.listen(({ atMs, event }) => {
    if (event.type === 'api_call') said.push({ atMs, what: event.method, card: '', outcome: event.outcome })
    if (event.type === 'message_posted' || event.type === 'message_updated') {
      said.push({ atMs, what: event.type, card: cardOf(event.message as Message), outcome: 'ok' })
    }
  })
  let bot: BotProcess | null = null
  let mostMb = 0
  const measuring = setInterval(() => {
    const pid = bot?.child.exitCode === null ? bot.child.pid : undefined
    if (pid !== undefined) mostMb = Math.max(mostMb, residentMb(pid))
  }, measureEveryMs)

  return {
    service,
    workspace,
    folder,
    said,
    start: async (more = {}) => {
      const fromMs = performance.now()
      const started = startBot({
        ...settingsFor({ service, workspace, folder }),
        ...(aheadMs === 0 ? {} : clockAhead(aheadMs)),
        ...more,
      })
      bot = started
      await until('the bot is ready', 180_000, () => {
        if (started.child.exitCode !== null) throw new Error(`the bot did not start:\n${started.output()}`)
        return started.logged('app:started').length > 0
      })
      return { bot: started, tookMs: performance.now() - fromMs }
    },
    pass: (ms) => {
      aheadMs += ms
    },
    channel: () => {
      const messages = workspace.messages(channelId) as unknown as Message[]
      const isRoot = ({ ts, thread_ts: thread }: Message) => thread === undefined || thread === ts
      return {
        roots: messages.filter((one) => isRoot(one) && !cardOf(one).startsWith('board:')),
        replies: messages.filter((one) => !isRoot(one)),
      }
    },
    mostMb: () => mostMb,
    close: async () => {
      clearInterval(measuring)
      await bot?.kill('SIGTERM')
      await service.close()
      await workspace.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `subject`: what stands in a line about it, and of no other that is open. */
export type Opened = { readonly id: number; readonly subject: string }

/** Answers those that stay open: the first so many, or whichever do; the others close at once. */
export function openMany(
  service: Service,
  count: number,
  open: number | ((n: number) => boolean) = count,
  name = 'server',
): Opened[] {
  const stays = typeof open === 'number' ? (n: number) => n < open : open
  const opened: Opened[] = []
  for (let n = 0; n < count; n += 1) {
    const server = `${name}-${n % serversMax}`
    const plugin = ['CPU', 'Disk', 'Memory', 'Network'][n % 4] ?? 'CPU'
    // The service takes ten thousand metrics.
    const part = Math.floor(n / 10_000)
    const id = service.openAlert({
      server,
      plugin,
      metric: `busy-${part}`,
      value: 99,
      title: `Last minute of part ${part} met or exceeded 90`,
    })
    if (stays(n)) opened.push({ id, subject: `${server} ${plugin} ${part}` })
    else service.closeAlert(id)
  }
  return opened
}

export function cardOf({ metadata }: Message): string {
  return metadata?.event_payload.card ?? ''
}

export async function until(what: string, withinMs: number, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!isSo()) {
    if (performance.now() > deadlineMs)
      throw new Error(`it took more than ${withinMs / 1000} s until ${what}`)
    await wait(lookEveryMs)
  }
}

/** How often the subject of each alert is shown: by a line of a list, or by a card of its own; what reminds of some is no list. */
export function timesShown({ roots, replies }: ReturnType<Town['channel']>): Map<string, number> {
  const own = roots.filter((one) => cardOf(one).startsWith('alert:')).flatMap(({ text }) => subjectsIn(text))
  const lists = replies.filter((one) => /\/\d+$/.test(cardOf(one)))
  const lines = lists.flatMap((one) => {
    return subjectsIn(JSON.stringify((one as { blocks?: unknown }).blocks ?? one.text))
  })
  const times = new Map<string, number>()
  for (const subject of [...own, ...lines]) times.set(subject, (times.get(subject) ?? 0) + 1)
  return times
}

/** As `openMany` made them, with a link around the name of the server or without. */
function subjectsIn(words: string): string[] {
  const found = words.matchAll(/([a-z]+-\d+)(?:>?\*)? (CPU|Disk|Memory|Network): last minute of part (\d+) /g)
  return [...found].map(([, server, plugin, part]) => `${server} ${plugin} ${part}`)
}

/** The most that fell into one minute, wherever it begins. */
export function mostInAMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length))
}

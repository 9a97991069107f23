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

/** Answers the ids of those that stay open: the first so many, or whichever do; the others close at once. */
export function openMany(
  service: Service,
  count: number,
  open: number | ((n: number) => boolean) = count,
  name = 'server',
): number[] {
  const stays = typeof open === 'number' ? (n: number) => n < open : open
  const ids: number[] = []
  for (let n = 0; n < count; n += 1) {
    const id = service.openAlert({
      server: `${name}-${n % serversMax}`,
      plugin: ['CPU', 'Disk', 'Memory', 'Network'][n % 4] ?? 'CPU',
      // The service takes ten thousand metrics.
      metric: `busy-${Math.floor(n / 10_000)}`,
      value: 99,
      title: 'Last minute met or exceeded 90',
    })
    if (stays(n)) ids.push(id)
    else service.closeAlert(id)
  }
  return ids
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

/** How often each alert is shown: by a line of a list, or by a card of its own; what reminds of some is no list. */
export function timesShown({ roots, replies }: ReturnType<Town['channel']>): Map<number, number> {
  const own = roots.flatMap((one) => /^alert:(\d+):/.exec(cardOf(one))?.[1] ?? [])
  const lists = replies.filter((one) => /\/\d+$/.test(cardOf(one)))
  const lines = lists.flatMap((one) => {
    const blocks = JSON.stringify((one as { blocks?: unknown }).blocks ?? one.text)
    return [...blocks.matchAll(/ #(\d+)/g)].map(([, id]) => id)
  })
  const times = new Map<number, number>()
  for (const id of [...own, ...lines].map(Number)) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}

/** The most that fell into one minute, wherever it begins. */
export function mostInAMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length))
}

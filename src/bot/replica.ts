/** The process as a whole: it has a memory and a health server, and the bot works on them until the process ends. */
import { type App, openApp } from './app.ts'
import type { Config } from './config/config.ts'
import type { Ids, SteadyClock } from './flow/ports/ports.ts'
import { SetupError } from './life-cycle.ts'
import type { Log } from './log.ts'
import { type OpenMemory, openFileMemory } from './memory.ts'
import { type Health, startHealth } from './ops/health.ts'

export type ReplicaParts = {
  readonly log: Log
  readonly clock: SteadyClock
  readonly ids: Ids
  readonly random: () => number
  /** Aborted when the process is asked to end, which may be long before the start is done. */
  readonly stopping?: AbortSignal
}

export type Replica = {
  /** The port of the health server; what the settings ask for until it is bound. */
  port(): number
  /** Resolves with the bot once it is started; null if the process was asked to end before. Rejects as `openApp` does. */
  readonly started: Promise<App | null>
  /** Goes on with these settings: restarts within the process, on the same memory and port. */
  reread(next: Config): Promise<void>
  /** Stops accepting requests, and resolves once answers in progress are sent, after a few seconds at most. */
  takeLeave(): Promise<void>
  stop(): Promise<void>
}

/** What it stands on. */
type Ground = { readonly memory: OpenMemory; readonly server: Health }

/** Starts the process's work; `openApp` says what may fail. */
export function openReplica(config: Config, parts: ReplicaParts): Replica {
  const { log, stopping } = parts
  let settings = config
  let ground: Ground | null = null

  async function open(): Promise<App | null> {
    const { database } = config
    if (database.kind === 'postgres')
      throw new SetupError('postgres:// is not there yet: set DATABASE_URL to sqlite:PATH.')
    const memory = await openFileMemory(database.path)
    const server = await startHealth(serverOf(config, parts))
    ground = { memory, server }
    return openApp(settings, { ...parts, ...ground })
  }

  let opening = open()
  // Handled by whoever waits for it; before that it is nobody's.
  void Promise.allSettled([opening])
  return {
    port: () => ground?.server.port ?? config.port,
    get started() {
      return opening
    },
    reread: async (next) => {
      settings = next
      const app = await opening
      if (app === null || ground === null || stopping?.aborted) return
      const same = { ...parts, ...ground, hasRun: true }
      // What is in progress is on disk, and no part keeps the old settings.
      opening = app.stop().then(() => openApp(settings, same))
      await opening
    },
    takeLeave: async () => (await opening)?.takeLeave(),
    stop: async () => {
      await (await opening)?.stop()
      await ground?.server.stop()
      await ground?.memory.close()
      log.info('app:stopped')
    },
  }
}

/** The health server as it begins: alive, and not at work yet. */
function serverOf({ host, port, slackSigningSecret }: Config, { clock }: ReplicaParts) {
  const notYet = { ready: false, sinceMs: clock.nowMs() }
  const events = async () => new Response(null, { status: 503 })
  return {
    host,
    port,
    isReady: () => ({ slack: notYet, poll: notYet }),
    ...(slackSigningSecret === null ? {} : { events }),
  }
}

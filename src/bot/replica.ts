/** The process as a whole: it has a memory and a health server, and the bot works on them until the process ends. */
import { type App, type Ground, openApp, type ProcessParts } from './app.ts'
import type { Config } from './config/config.ts'
import { openFileMemory } from './memory.ts'
import { startHealth } from './ops/health.ts'

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

/** Starts the process's work; `openApp` says what may fail. */
export function openReplica(config: Config, parts: ProcessParts): Replica {
  const { log, stopping } = parts
  let settings = config
  let ground: Ground | null = null

  async function open(): Promise<App | null> {
    ground = await openGround(config, parts)
    if (ground === null) return null
    let isOpen = false
    try {
      const app = await openApp(settings, { ...parts, ...ground })
      isOpen = true
      // Deliberately unhandled, as a disk that fails is.
      void ground.endIfDeaf?.(() => opening)
      return app
    } finally {
      // Whoever stands by need not wait for a process that ends because of its settings.
      if (!isOpen) await ground.memory.release()
    }
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
      // Whoever stands by begins with them.
      if (ground === null) return
      const app = await opening
      if (app === null || stopping?.aborted) return
      const same = { ...parts, ...ground, hasRun: true }
      // What is in progress is on disk, and no part keeps the old settings. What was read is as true under the new ones.
      opening = app.stop().then(() => openApp(settings, { ...same, earlierPollMs: app.everPolledMs() }))
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

async function openGround(config: Config, parts: ProcessParts): Promise<Ground | null> {
  const { database } = config
  if (database.kind === 'postgres') {
    // Loaded only here: who keeps a file need not pay for it.
    const { standBy } = await import('./standby.ts')
    return standBy(config, database.url, parts)
  }
  const memory = await openFileMemory(database.path)
  return { memory, server: await startHealth(serverOf(config, parts)), hasRun: false }
}

/** The health server as it begins: alive, and not at work yet. */
function serverOf({ host, port, basePath, slackSigningSecret, pager }: Config, { clock }: ProcessParts) {
  const notYet = { ready: false, sinceMs: clock.nowMs() }
  const events = async () => new Response(null, { status: 503 })
  return {
    host,
    port,
    basePath,
    isReady: () => ({ slack: notYet, poll: notYet }),
    ...(slackSigningSecret === null ? {} : { events }),
    ...(pager?.kind === 'webhook' ? { pager: events } : {}),
  }
}

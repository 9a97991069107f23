/** Opens the bot with its real monitoring API and Slack, on a memory and a health server that outlive it. */
import { openDraw } from './charts/draw.ts'
import { type Config, channelsPostedTo } from './config/config.ts'
import { fileAccess, openStoreAccess } from './flow/concurrency/store-access.ts'
import { longestGapMs, seldomMs } from './flow/poll/cron.ts'
import { alone } from './flow/ports/leadership.ts'
import type { Pager } from './flow/ports/pager.ts'
import type { Ids, OnCallSource, SteadyClock } from './flow/ports/ports.ts'
import { shutdownGraceMs } from './life-cycle.ts'
import { type Log, toLogger } from './log.ts'
import type { OpenMemory } from './memory.ts'
import { connectMonitor } from './monitor/client.ts'
import { cardsState, type Health, memoryState, pollState } from './ops/health.ts'
import { openHeartbeatCall } from './ops/heartbeat-call.ts'
import { openMetrics } from './ops/metrics.ts'
import { observeJobs, observeMonitor } from './ops/observe.ts'
import { openPagerDoor } from './pager/door.ts'
import { openPagerDuty } from './pager/pagerduty.ts'
import { openWebhook } from './pager/webhook.ts'
import { openSlack } from './slack/connect.ts'
import { wire } from './wire.ts'

export type App = {
  /** Resolves once Slack is connected; rejects with a `SetupError` if only a person can change that it is not. */
  readonly connected: Promise<void>
  /** Do people reach the bot? */
  isConnected(): boolean
  /** When the open alerts were last read, by this one or by those before it in this process; null: never. */
  everPolledMs(): number | null
  /** Stops accepting requests, and resolves once answers in progress are sent, after a few seconds at most. */
  takeLeave(): Promise<void>
  stop(): Promise<void>
}

/** What the entry gives. */
export type ProcessParts = {
  readonly log: Log
  readonly clock: SteadyClock
  readonly ids: Ids
  readonly random: () => number
  /** Aborted when the process is asked to end, which may be long before the start is done. */
  readonly stopping?: AbortSignal
}

/** What the bot works on. */
export type Ground = {
  readonly memory: OpenMemory
  readonly server: Health
  /** The bot ran before, in this process or another: even a refused token, key or channel does not end it. */
  readonly hasRun: boolean
  /** What `everPolledMs` of the app before it said, in this process. */
  readonly earlierPollMs?: number | null
  /** Where others stand by: ends this process, by rejecting, once it has handed the lead to one that reaches Slack. */
  endIfDeaf?(app: () => Promise<App | null>): Promise<never>
}

/** Loaded only where the settings name a calendar. */
async function onCallSourceOf({ onCallSource, onCall, timezone }: Config): Promise<OnCallSource | null> {
  if (onCallSource === null) return null
  const { openOnCallSource } = await import('./oncall/source.ts')
  return openOnCallSource(onCallSource, { known: [...(onCall?.people.keys() ?? [])], zone: timezone })
}

/**
 * Starts the bot. Resolves after the first poll and the first try to reach Slack, even if both failed, because that may recover
 * by itself. What only a person can fix (a refused token or key, a missing channel) is thrown as an error with one clear
 * sentence; `life-cycle.ts` has the exceptions.
 */
export async function openApp(config: Config, parts: ProcessParts & Ground): Promise<App> {
  const { log, clock, ids, random, stopping, server } = parts
  const { store, leadership, lead = () => null } = parts.memory
  const metrics = openMetrics()
  const { logger, unexpectedErrors } = observeJobs(metrics.counting(toLogger(log)), clock)
  const channels = channelsPostedTo(config)
  const startedMs = clock.nowMs()
  const api = connectMonitor({
    baseUrl: config.monitorUrl,
    apiKey: config.monitorApiKey,
    clock,
    random,
    onRetry: ({ kind }) => logger.debug('api:retried', { kind }),
  })
  // Reads in flight get a moment to finish; changes get longer, because it matters whether they were made.
  stopping?.addEventListener('abort', async () => {
    await clock.wait(shutdownGraceMs)
    await api.stopReads()
  })
  const slack = openSlack({
    botToken: config.slackBotToken,
    appToken: config.slackAppToken,
    signingSecret: config.slackSigningSecret,
    apiUrl: config.slackApiUrl,
    channels,
    logger,
    clock,
  })
  const monitor = { ...observeMonitor(api, { clock, logger }), close: api.close }
  const heartbeat = config.heartbeatUrl === null ? null : openHeartbeatCall(config.heartbeatUrl)
  const pager = pagerOf(config.pager, clock)
  const access = leadership === alone ? fileAccess(store) : openStoreAccess(store, { clock, logger })
  const onCallSource = await onCallSourceOf(config)
  const outside = { monitor, slack, heartbeat, pager, onCallSource, leadership, clock, logger, ids, random }
  const { earlierPollMs = null } = parts
  const neighbours = { ...outside, store, access, lead, unexpectedErrors, earlierPollMs }
  const bot = wire(config, { ...neighbours, draw: openDraw() })
  server.show({
    isReady: () => ({
      memory: memoryState(access.awaySinceMs(), startedMs),
      slack: slack.connection(),
      poll: pollState(bot.health(), startedMs),
      cards: cardsState(bot.stopped(), startedMs),
    }),
    onBroken: (error) => logger.error('health:broken', { error }),
    metrics: () =>
      metrics.page(
        {
          store: access.impatient,
          // The lag counts from the last poll that read everything.
          health: () => ({ ...bot.health(), lastPollMs: bot.schedule.status().lastGoodMs }),
          outageSinceMs: bot.outage.sinceMs,
          stoppedSinceMs: () => bot.stopped()?.sinceMs ?? null,
          startedMs,
        },
        {
          leads: true,
          term: leadership.term,
          standbys: lead()?.standbys.length ?? 0,
          nowMs: clock.nowMs(),
          awaySinceMs: access.awaySinceMs(),
        },
      ),
    ...(slack.events === null ? {} : { events: slack.events }),
    ...(config.pager?.kind === 'webhook'
      ? { pager: openPagerDoor({ secret: config.pager.secret, clock, logger, heard: bot.heard }) }
      : {}),
  })
  if (config.pager !== null && !config.reminders.steps.some(({ page }) => page === true))
    logger.warn('pager:unused', { hint: 'no reminder of the policy file has page: true' })
  const gapMs = longestGapMs(config.pollCron)
  const everySeconds = gapMs / 1_000
  if (gapMs > seldomMs) {
    const hint = 'seconds come first in POLL_CRON: */15 * * * * * is every 15 seconds'
    log.warn({ cron: config.pollCron, everySeconds, hint }, 'poll:seldom')
  }
  const { connected } = await bot.start({ stopping, hasRun: parts.hasRun })
  const cards = Object.fromEntries((await access.patient.countCards()).byState)
  if (!stopping?.aborted)
    log.info({ port: server.port, channels, cron: config.pollCron, everySeconds, cards }, 'app:started')
  return {
    connected,
    isConnected: () => slack.connection().ready,
    everPolledMs: bot.everPolledMs,
    takeLeave: slack.stop,
    stop: bot.stop,
  }
}

function pagerOf(settings: Config['pager'], clock: SteadyClock): Pager | null {
  if (settings === null) return null
  return settings.kind === 'pagerduty' ? openPagerDuty(settings) : openWebhook({ ...settings, clock })
}

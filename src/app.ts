/** Builds every part of the bot and joins them up; nothing else. */
import type { Config } from './config.ts'
import { absenceMs, notedEveryMs } from './domain/catch-up.ts'
import { startDeliver } from './flow/deliver.ts'
import { startPictures } from './flow/picture.ts'
import { openPoll } from './flow/poll.ts'
import type { Clock, Journal } from './flow/ports.ts'
import { longestGapMs, openSchedule } from './flow/schedule.ts'
import type { Log } from './log.ts'
import { connectMonitor } from './monitor/client.ts'
import { type Health, startHealth } from './ops/health.ts'
import { connectSlack } from './slack/connect.ts'
import { openStore } from './store/open-store.ts'

/** A part could not be set up; the message is one sentence for the operator, without a secret. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

export type App = { readonly port: number; stop(): Promise<void> }

export type AppParts = { readonly log: Log; readonly clock: Clock; readonly random: () => number }

/**
 * Resolves when Slack is connected and the first poll is done, whether or not the API could be reached: that may mend
 * itself. What only a person can mend (a refused token or key, a channel that is not there, a database that cannot be
 * opened, a port that is taken) is thrown, each as an error with one clear sentence.
 */
export async function openApp(config: Config, { log, clock, random }: AppParts): Promise<App> {
  const journal = toJournal(log)
  const options = { images: config.images, apiOrigin: new URL(config.monitorUrl).origin }
  const startedMs = clock.nowMs()
  const store = await openStore(config.database.path)
  const monitor = connectMonitor({ baseUrl: config.monitorUrl, apiKey: config.monitorApiKey, clock, random })
  let connection = () => ({ ready: false, sinceMs: startedMs })
  const poll = openPoll(
    { monitor, store, clock, journal },
    {
      ...options,
      lifecycle: config.lifecycle,
      routes: config.routes,
      defaultChannel: config.slackChannel,
      // Polled once an hour, an hour is no absence.
      absenceMs: Math.max(absenceMs, 2 * longestGapMs(config.pollCron) + notedEveryMs),
    },
  )
  const schedule = openSchedule(
    { poll, clock, journal, onPolled: () => deliver.wake() },
    { cron: config.pollCron },
  )
  const health: Health = await startHealth({
    host: config.host,
    port: config.port,
    isReady: () => {
      const { lastGoodMs, failing } = schedule.status()
      const ready = lastGoodMs !== null && failing === null
      return { slack: connection(), poll: { ready, sinceMs: failing?.sinceMs ?? lastGoodMs ?? startedMs } }
    },
  })
  const slack = await connectSlack({
    botToken: config.slackBotToken,
    appToken: config.slackAppToken,
    apiUrl: config.slackApiUrl,
    channels: channelsOf(config),
    journal,
    clock,
  })
  connection = slack.connection

  const interrupted = await store.recoverSending()
  if (interrupted > 0) journal.warn('cards:interrupted', { count: interrupted })
  const { chat } = slack
  const pictures = startPictures({ store, monitor, chat, clock, journal, onReady: () => deliver.wake() })
  const deliver = startDeliver({ store, chat, clock, journal, onShown: () => pictures.wake() }, options)

  const failure = await schedule.poll()
  if (failure?.kind === 'forbidden') {
    throw new SetupError(
      'The monitoring API refused MONITOR_API_KEY: check the key, and that it was not removed.',
    )
  }
  schedule.start()
  const cards = Object.fromEntries(await store.countCards())
  log.info({ port: health.port, channels: channelsOf(config), cron: config.pollCron, cards }, 'app:started')

  return {
    port: health.port,
    stop: async () => {
      const polled = schedule.stop()
      const quiet = [deliver.stop(), pictures.stop()]
      // Whatever still waits for the API is broken off; the next start asks again.
      await monitor.close()
      await polled
      await slack.stop()
      await Promise.all(quiet)
      await health.stop()
      await store.close()
      log.info('app:stopped')
    },
  }
}

function channelsOf(config: Config): string[] {
  const routed = config.routes.map((route) => route.channel)
  return [...new Set([...(config.slackChannel === null ? [] : [config.slackChannel]), ...routed])]
}

function toJournal(log: Log): Journal {
  return {
    debug: (event, facts = {}) => log.debug(facts, event),
    info: (event, facts = {}) => log.info(facts, event),
    warn: (event, facts = {}) => log.warn(facts, event),
    error: (event, facts = {}) => log.error(facts, event),
  }
}

/** Builds every part of the bot and joins them up; nothing else. */
import { openDraw } from './charts/draw.ts'
import type { Config } from './config/config.ts'
import { absenceMs, notedEveryMs } from './domain/alert/history.ts'
import { readingTrouble } from './domain/outage/detect.ts'
import type { Health as Condition } from './domain/request/answer.ts'
import { openCharts } from './flow/chart.ts'
import { openLock } from './flow/concurrency/lock.ts'
import { within } from './flow/concurrency/within.ts'
import { openHandle } from './flow/handle.ts'
import { openEndMute } from './flow/mute/end.ts'
import { startExpiry } from './flow/mute/expiry.ts'
import { startRepeats } from './flow/mute/repeat-switch.ts'
import { openHidden } from './flow/mute/reveal.ts'
import { startBoards } from './flow/outbox/board.ts'
import { startHomes } from './flow/outbox/home.ts'
import { type LateWatch, startLateWatch } from './flow/outbox/late-cards.ts'
import { startMarkers } from './flow/outbox/markers.ts'
import { startPictures } from './flow/outbox/pictures.ts'
import { startRevive } from './flow/outbox/revive.ts'
import { startDeliver } from './flow/outbox/worker.ts'
import { type OutageWatch, startOutageWatch } from './flow/poll/outage.ts'
import { openPoll } from './flow/poll/poll.ts'
import { openRoleBook } from './flow/poll/roles.ts'
import { longestGapMs, openSchedule } from './flow/poll/schedule.ts'
import type { Ids, Logger, SteadyClock } from './flow/ports/ports.ts'
import { openAnswers } from './flow/queries/answers.ts'
import { startRetain } from './flow/retain.ts'
import { openServers } from './flow/servers.ts'
import type { Log } from './log.ts'
import { connectMonitor } from './monitor/client.ts'
import { type Health, pollState, startHealth } from './ops/health.ts'
import { openMetrics } from './ops/metrics.ts'
import { observeHandle, observeMonitor } from './ops/observe.ts'
import { type ObservedChat, observeChat } from './ops/observe-chat.ts'
import { observeJobs } from './ops/observe-jobs.ts'
import { connectSlack } from './slack/connect.ts'
import { openStore } from './store/open/open-store.ts'

/** How long work that is under way may still take when the bot is stopped; within `stopWithinMs` of main.ts. */
const partingMs = 2_000

/** A part could not be set up; the message is one sentence for the operator, without a secret. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

export type App = {
  readonly port: number
  /** Takes no request any more, and resolves when whoever is being answered is, after some seconds at most. */
  takeLeave(): Promise<void>
  stop(): Promise<void>
}

export type AppParts = {
  readonly log: Log
  readonly clock: SteadyClock
  readonly ids: Ids
  readonly random: () => number
}

/**
 * Resolves when Slack is connected and the first poll is done, whether or not the API could be reached: that may mend
 * itself. What only a person can mend (a refused token or key, a channel that is not there, a database that cannot be
 * opened, a port that is taken) is thrown, each as an error with one clear sentence.
 */
export async function openApp(config: Config, { log, clock, ids, random }: AppParts): Promise<App> {
  const metrics = openMetrics()
  const { logger, mishaps } = observeJobs(metrics.counting(toLogger(log)), clock)
  const channels = channelsOf(config)
  const startedMs = clock.nowMs()
  const gapMs = longestGapMs(config.pollCron)
  // Nobody handles that: it ends the process, also where it was met by a request that is answered all the same.
  const store = await openStore(config.database.path, (failure) => void Promise.reject(failure))
  const api = connectMonitor({
    baseUrl: config.monitorUrl,
    apiKey: config.monitorApiKey,
    clock,
    random,
    onRetry: ({ kind }) => logger.debug('api:retried', { kind }),
  })
  const monitor = observeMonitor(api, { clock, logger })
  const world = { monitor, store, clock, logger, ids, lock: openLock(), draw: openDraw() }
  const routing = {
    images: config.images,
    apiOrigin: new URL(config.monitorUrl).origin,
    routes: config.routes,
    defaultChannel: config.slackChannel,
  }

  // Begun further down; until then nobody is woken and nothing is answered.
  let wake = () => {}
  let connection = () => ({ ready: false, sinceMs: startedMs, sockets: 0 })
  let troubles: ObservedChat['troubles'] = () => []
  let outage: OutageWatch | null = null
  let lateCards: LateWatch | null = null
  let events = async (_: Request) => new Response(null, { status: 503 })

  const roleBook = openRoleBook(world)
  const isRoutedByRole = config.routes.some(({ match }) => match.role !== undefined)
  const poll = openPoll(
    { ...world, roleBook },
    {
      ...routing,
      lifecycle: config.lifecycle,
      // Polled once an hour, an hour is no absence.
      absenceMs: Math.max(absenceMs, 2 * gapMs + notedEveryMs),
    },
  )
  const onPolled = () => {
    wake()
    outage?.wake()
  }
  const schedule = openSchedule({ poll, clock, logger, random, onPolled }, { cron: config.pollCron })
  const condition = (): Condition => {
    const nowMs = clock.nowMs()
    const reading = schedule.status()
    return {
      nowMs,
      // What is open is known by it, whether or not what is over could be read as well.
      lastPollMs: reading.lastOpenMs,
      failing: readingTrouble(reading, { nowMs, gapMs }),
      isWhole: reading.isWhole,
      unreadable: reading.unreadable,
      rolesUnread: isRoutedByRole ? roleBook.doubt() : null,
      slack: connection(),
      troubles: troubles(),
      late: lateCards?.now() ?? [],
      mishaps: mishaps(),
    }
  }
  const health: Health = await startHealth({
    host: config.host,
    port: config.port,
    isReady: () => {
      return { slack: connection(), poll: pollState(condition(), startedMs) }
    },
    onBroken: (error) => logger.error('health:broken', { error }),
    metrics: () =>
      metrics.page({
        store,
        // The lag is that of a poll that read everything.
        health: () => ({ ...condition(), lastPollMs: schedule.status().lastGoodMs }),
        outageSinceMs: () => outage?.sinceMs() ?? null,
        startedMs,
      }),
    ...(config.slackSigningSecret === null ? {} : { events: (request) => events(request) }),
  })
  const slack = await connectSlack({
    botToken: config.slackBotToken,
    appToken: config.slackAppToken,
    signingSecret: config.slackSigningSecret,
    apiUrl: config.slackApiUrl,
    channels,
    logger,
    clock,
  })
  connection = slack.connection
  events = slack.events ?? events

  const interrupted = await store.recoverSending()
  if (interrupted > 0) logger.warn('cards:interrupted', { count: interrupted })
  const { directory } = slack
  const observed = observeChat(slack.chat, { clock, closed: slack.closed })
  const { chat } = observed
  troubles = observed.troubles
  const charts = openCharts(world)
  const servers = openServers(world)
  const lastPollMs = () => schedule.status().lastOpenMs
  const hidden = openHidden({ ...world, lastPollMs }, routing)
  const endMute = openEndMute({ ...world, hidden, lastPollMs })
  const pictures = startPictures({ ...world, charts, chat, onReady: () => deliver.wake() }, routing)
  const deliver = startDeliver(
    {
      ...world,
      chat,
      health: condition,
      onShown: () => {
        pictures.wake()
        markers.wake()
      },
    },
    routing,
  )
  const homes = startHomes({ ...world, chat, health: condition })
  const markers = startMarkers({ ...world, chat })
  const show = () => {
    for (const part of [deliver, pictures, markers, homes]) part.wake()
  }
  const expiry = startExpiry(
    {
      ...world,
      endMute,
      hidden,
      lastPollMs,
      lastClearMs: () => schedule.status().lastClearMs,
      onChanged: show,
    },
    { images: config.images, reminderAfterMs: config.reminderAfterMs },
  )
  wake = () => {
    show()
    expiry.wake()
  }
  const handle = openHandle(
    {
      ...world,
      directory,
      servers,
      endMute,
      answer: openAnswers({ ...world, directory, servers, charts, health: condition }),
      onChanged: () => wake(),
    },
    {
      permissions: config.permissions,
      limits: config.limits,
      channels: { all: channels, default: channels[0] ?? '' },
    },
  )

  await slack.listen({
    handle: observeHandle(handle, { clock, logger }),
    cardAt: store.cardAt,
    roleNames: servers.roleNames,
    onHome: homes.opened,
    onReopened: async (channel) => {
      observed.reopened(channel)
      await store.reopen(channel)
      deliver.reopen(channel)
    },
    ids,
  })
  const failure = await schedule.poll()
  if (failure?.kind === 'forbidden') {
    throw new SetupError(
      'The monitoring API refused MONITOR_API_KEY: check the key, and that it was not removed.',
    )
  }
  // Not before the first poll: an answer that a server is unknown counts only while what is open can be read.
  const repeats = startRepeats({ ...world, lastPollMs, onChanged: show })
  const blindness = startOutageWatch(
    { store, clock, logger, ids, reading: schedule.status, onChanged: show },
    { channels, gapMs },
  )
  outage = blindness
  const boards = startBoards(
    { store, chat, clock, logger, onChanged: deliver.wake },
    { channels: config.board ? channels : [] },
  )
  const retain = startRetain(world)
  const late = startLateWatch(world)
  lateCards = late
  const revive = startRevive({ ...world, onChanged: deliver.wake })
  schedule.start()
  const cards = Object.fromEntries((await store.countCards()).byState)
  log.info({ port: health.port, channels, cron: config.pollCron, cards }, 'app:started')

  return {
    port: health.port,
    takeLeave: slack.stop,
    stop: async () => {
      const polled = schedule.stop()
      // What is being answered is answered first, for it may be half done at the API.
      await slack.stop()
      const quiet = Promise.all(
        [blindness, boards, retain, revive, late, expiry, repeats, markers, homes, deliver, pictures].map(
          (part) => part.stop(),
        ),
      )
      // Of a change that is broken off nobody knows whether it was made, so it is given a moment to be answered.
      await within(clock, partingMs, Promise.all([polled, quiet]))
      // What still waits for the API then is broken off; the next start asks again.
      await api.close()
      await polled
      await quiet
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

function toLogger(log: Log): Logger {
  return {
    debug: (event, facts = {}) => log.debug(facts, event),
    info: (event, facts = {}) => log.info(facts, event),
    warn: (event, facts = {}) => log.warn(facts, event),
    error: (event, facts = {}) => log.error(facts, event),
  }
}

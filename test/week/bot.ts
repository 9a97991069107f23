/** The bot of the week: its real flows over a real file, joined up as `app.ts` does it, with time and neighbours by hand. */

import { absenceMs } from '../../src/domain/alert/history.ts'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { Kept } from '../../src/domain/base/retention.ts'
import type { Permissions } from '../../src/domain/request/authorise.ts'
import { openLock } from '../../src/flow/concurrency/lock.ts'
import type { Job } from '../../src/flow/concurrency/watch.ts'
import { type Handle, openHandle } from '../../src/flow/handle.ts'
import { openEndMute } from '../../src/flow/mute/end.ts'
import { openExpiry } from '../../src/flow/mute/expiry.ts'
import { openRepeats } from '../../src/flow/mute/repeat-switch.ts'
import { openHidden } from '../../src/flow/mute/reveal.ts'
import { openBoards } from '../../src/flow/outbox/board.ts'
import { openHomes } from '../../src/flow/outbox/home.ts'
import { openMarkers } from '../../src/flow/outbox/markers.ts'
import { openPictures } from '../../src/flow/outbox/pictures.ts'
import { openDeliver } from '../../src/flow/outbox/worker.ts'
import { openPoll } from '../../src/flow/poll/poll.ts'
import type { Chat, Logger, Monitor, SteadyClock } from '../../src/flow/ports/ports.ts'
import { openReminders } from '../../src/flow/reminders/remind.ts'
import { openRetain } from '../../src/flow/retain.ts'
import { openServers } from '../../src/flow/servers.ts'
import { type OpenStore, openStore } from '../../src/store/open/open-store.ts'
import { channels, defaultChannel, routes } from './hosts.ts'

const hourMs = 3_600_000
const reminderAfterMs = 30 * 60_000

const permissions: Permissions = {
  acknowledge: 'everyone',
  add_note: 'everyone',
  mute_server: 'everyone',
  mute_account: 'everyone',
  add_roles: 'everyone',
  add_marker: 'everyone',
  set_no_data: 'everyone',
  delete_server: 'nobody',
  delete_metric: 'nobody',
}

export type WeekBot = {
  readonly handle: Handle
  readonly store: OpenStore
  /** Polls, and answers how many changes of alerts that brought; null: the API could not be read. */
  poll(): Promise<number | null>
  readonly homeOpened: (userId: string) => Promise<void>
  /** How often each event was in the log. */
  readonly events: ReadonlyMap<string, number>
  readonly logger: Logger
  stop(): Promise<void>
}

export async function startBot(world: {
  readonly monitor: Monitor
  readonly chat: Chat
  readonly clock: SteadyClock
  readonly path: string
  readonly kept: Kept
}): Promise<WeekBot> {
  const { monitor, chat, clock, path, kept } = world
  const store = await openStore(path)
  const events = new Map<string, number>()
  const say = (event: string) => void events.set(event, (events.get(event) ?? 0) + 1)
  const logger: Logger = {
    debug: say,
    info: (event, facts) => {
      say(event)
      // It had been told as over, because a list left it out.
      if (event === 'alert:opened' && String(facts?.alertId).includes('~')) say('alert:opened_again')
    },
    warn: say,
    error: (event, facts) => {
      say(event)
      // The bot itself goes on; the week does not.
      if (event === 'job:broken') throw facts?.error
    },
  }
  let lastId = 0
  const ids = { make: () => `id-${clock.nowMs()}-${++lastId}` }
  const ports = { monitor, store, clock, logger, ids, lock: openLock() }
  const routing = { images: 'auto', routes, defaultChannel } as const
  let lastGoodMs: number | null = null
  const lastPollMs = () => lastGoodMs
  const startedMs = clock.nowMs()
  const health = () => ({
    nowMs: clock.nowMs(),
    lastPollMs: lastGoodMs,
    failing: null,
    isWhole: true,
    troubles: [],
    mishaps: [],
    slack: { ready: true, sinceMs: startedMs, sockets: 1 },
  })

  const poll = openPoll(ports, { ...routing, lifecycle: 'auto', absenceMs, kept })
  const hidden = openHidden({ ...ports, lastPollMs }, routing)
  const endMute = openEndMute({ ...ports, hidden, lastPollMs })
  // A picture costs as much to draw however long the bot has run: eight bytes stand for it.
  const drawing = { png: new Uint8Array(8), alt: '' }
  const charts = {
    metricsOf: async () => [],
    ofMetric: async () => ({ kind: 'drawn' as const, metric: '', drawing }),
    ofAlert: async () => drawing,
  }
  const pictures = startPart(
    openPictures({ ...ports, charts, chat, zone: 'UTC', onReady: () => deliver.wake() }),
  )
  const onShown = () => {
    pictures.wake()
    markers.wake()
  }
  const deliver = startPart(openDeliver({ ...ports, chat, health, links: [], onShown }))
  const homes = startPart(openHomes({ ...ports, chat, health }))
  const markers = startPart(openMarkers({ ...ports, chat }))
  const show = () => {
    for (const part of [deliver, pictures, markers, homes]) part.wake()
  }
  const expiry = startPart(
    openExpiry(
      { ...ports, endMute, hidden, lastPollMs, lastClearMs: lastPollMs, onChanged: show },
      { images: 'auto' },
    ),
  )
  const reminders = startPart(
    openReminders(
      { ...ports, lastPollMs, onChanged: show },
      {
        steps: [{ afterMs: reminderAfterMs, mention: null, channel: null }],
        flapSettleMs: 2 * 60_000,
        forgottenAfterMs: 4 * 60 * 60_000,
      },
    ),
  )
  const repeats = startPart(openRepeats({ ...ports, lastPollMs, onChanged: show }))
  const wake = () => {
    show()
    expiry.wake()
  }
  const handle = openHandle(
    {
      ...ports,
      directory: { zoneOf: async () => 'Europe/Berlin', membersOf: async () => new Set() },
      servers: openServers(ports),
      endMute,
      answer: async () => ({ kind: 'answer', answer: { kind: 'help', topic: null } }),
      onChanged: wake,
    },
    {
      permissions,
      limits: { muteDefaultMs: hourMs, muteMaxMs: 30 * 24 * hourMs, accountMuteMaxMs: 4 * hourMs },
      channels: { all: channels, default: defaultChannel },
    },
  )
  const boards = startPart(openBoards({ store, chat, clock, logger, onChanged: deliver.wake }, { channels }))
  const retain = startPart(openRetain(ports, kept))

  return {
    handle,
    store,
    poll: async () => {
      try {
        const { changes } = await poll()
        lastGoodMs = clock.nowMs()
        wake()
        return changes
      } catch (error) {
        if (!(error instanceof OutsideFailure)) throw error
        wake()
        return null
      }
    },
    homeOpened: homes.opened,
    events,
    logger,
    stop: async () => {
      await Promise.all(
        [boards, retain, expiry, reminders, repeats, markers, homes, deliver, pictures].map((part) =>
          part.stop(),
        ),
      )
      await store.close()
    },
  }
}

function startPart<Part extends Job>(part: Part): Part {
  part.start()
  return part
}

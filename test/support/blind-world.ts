/** A world for blindness: the real schedule, poll, SQLite and delivery, between a service and a Slack that can be away. */
import { afterEach } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { Deliver } from '../../src/flow/outbox/worker.ts'
import { type OutageWatch, openOutageWatch } from '../../src/flow/poll/outage.ts'
import { openSchedule, type Schedule } from '../../src/flow/poll/schedule.ts'
import type { Page } from '../../src/flow/ports/ports.ts'
import { deliverTo, letPass } from './delivery-world.ts'
import { type Fate, forgetfulChat } from './forgetful-chat.ts'
import { keptJournal } from './journal.ts'
import { pollWorld } from './poll-world.ts'
import { startPart } from './start-part.ts'

const gapMs = 15_000
export const channels = ['C1', 'C2']
export const away = new OutsideFailure(
  'unreachable',
  'the monitoring API could not be reached (ECONNREFUSED)',
)
export const busy = new OutsideFailure('unreachable', 'the monitoring API answered 503: no message', {
  status: 503,
})
export const refused = new OutsideFailure('forbidden', 'the API key was refused', { status: 401 })

const started: (Schedule | OutageWatch | Deliver)[] = []
afterEach(async () => {
  for (const part of started.splice(0)) await part.stop()
})

function withoutFirst(count: number): (page: Page) => Page {
  return (page) => {
    const records = page.records.slice(count)
    return { ...page, records, skipped: page.records.length - records.length }
  }
}

/** The bot between a model of the service and a Slack by hand, with real SQLite; first polls are done when it is there. */
export async function blindWorld(setting: { first?: OutsideFailure; fateOf?: () => Fate } = {}) {
  let fault: (() => Promise<never>) | null = null
  let isHistoryAway = false
  let illegible = 0
  const fail = (...failures: OutsideFailure[]) => {
    const queue = [...failures]
    const next = () => {
      const [first = away] = queue
      queue.push(first)
      queue.shift()
      return first
    }
    fault = failures.length === 0 ? null : () => Promise.reject(next())
  }
  const world = await pollWorld({
    over: ({ alerts }) => ({
      alerts: (ask) => {
        if (isHistoryAway && ask.lifecycle === 'all') return Promise.reject(away)
        return fault === null ? alerts(ask).then(withoutFirst(illegible)) : fault()
      },
    }),
  })
  const { clock, store } = world
  const logger = keptJournal()
  const slack = forgetfulChat({ nowMs: clock.nowMs, fateOf: setting.fateOf ?? (() => 'ok') })
  const blindIds: null[] = []
  let running: (Schedule | OutageWatch | Deliver)[] = []

  async function start(): Promise<OutageWatch> {
    const { deliver } = deliverTo(slack, store, clock)
    let outage: OutageWatch | null = null
    const onPolled = () => {
      deliver.wake()
      outage?.wake()
    }
    const schedule = openSchedule(
      { poll: world.poll, clock, logger, random: () => 0.5, onPolled },
      { cron: '*/15 * * * * *' },
    )
    running = [schedule, deliver]
    started.push(...running)
    await schedule.poll()
    outage = startPart(
      openOutageWatch(
        {
          store,
          clock,
          logger,
          ids: { make: () => `b${blindIds.push(null)}` },
          reading: schedule.status,
          onChanged: () => deliver.wake(),
        },
        { channels, gapMs },
      ),
    )
    running.push(outage)
    started.push(outage)
    schedule.start()
    await letPass(clock, 0)
    return outage
  }

  if (setting.first !== undefined) fail(setting.first)
  await start()
  return {
    ...world,
    logger,
    slack,
    /** All requests from now on, each with the next of these. */
    fail,
    mend: () => fail(),
    /** So many records of each page cannot be read from now on. */
    blur: (records: number) => {
      illegible = records
    },
    loseHistory: () => {
      isHistoryAway = true
    },
    findHistory: () => {
      isHistoryAway = false
    },
    /** Answers what ends it. */
    hang: () => {
      const { promise, reject } = Promise.withResolvers<never>()
      fault = () => promise
      return () => reject(away)
    },
    pass: (ms: number) => letPass(clock, ms),
    restart: async () => {
      for (const part of running) await part.stop()
      return start()
    },
    /** What the blind cards say, in the order of their posts: of each its outages, and the last of them by itself. */
    cards: (channel = 'C1') =>
      slack.messages.flatMap(({ view, channel: of }) => {
        if (view.kind !== 'blind' || of !== channel) return []
        const last = view.outages.at(-1)
        if (last === undefined) throw new Error('a card of no blind time')
        return [{ ...last, outages: view.outages }]
      }),
    count: (event: string) => logger.events().filter((one) => one === event).length,
  }
}

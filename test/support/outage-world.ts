/** Outages: the whole bot between a service and a Slack that can be away. */
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Pager } from '../../src/bot/flow/ports/pager.ts'
import type { Heartbeat, Page } from '../../src/bot/flow/ports/ports.ts'
import type { Bot, WireSettings } from '../../src/bot/wire.ts'
import { bareWorld } from './bare-world.ts'
import { openBotInMemory } from './bot-in-memory.ts'
import { letPass, letPassUntil } from './delivery-world.ts'
import type { Fate } from './forgetful-chat.ts'
import { modelService } from './model-service.ts'

export const channels = ['C1', 'C2']
export const away = new OutsideFailure(
  'unreachable',
  'the monitoring API could not be reached (ECONNREFUSED)',
)
export const busy = new OutsideFailure('unreachable', 'the monitoring API returned HTTP 503', {
  status: 503,
})
export const refused = new OutsideFailure('forbidden', 'the API key was refused', { status: 401 })

function withoutFirst(count: number): (page: Page) => Page {
  return (page) => {
    const records = page.records.slice(count)
    return { ...page, records, skipped: page.records.length - records.length }
  }
}

/** Opens the world, with the first poll done. */
export async function outageWorld(
  setting: {
    first?: OutsideFailure
    fateOf?: () => Fate
    heartbeat?: Heartbeat
    board?: boolean
    pager?: Pager
    policy?: Partial<WireSettings>
  } = {},
) {
  const { clock, store, logger, chat: slack } = await bareWorld(setting.fateOf)
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
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
  const monitor = {
    ...service.monitor,
    alerts: (ask: Parameters<typeof service.monitor.alerts>[0]) => {
      if (isHistoryAway && ask.lifecycle === 'all') return Promise.reject(away)
      return fault === null ? service.monitor.alerts(ask).then(withoutFirst(illegible)) : fault()
    },
  }
  const routes = [{ match: { server: 'nobody-*' }, channel: 'C2', mention: null }]
  let policy: Partial<WireSettings> = { routes, ...setting.policy }
  const open = (earlierPollMs: number | null = null) =>
    openBotInMemory({
      monitor,
      // A test may say later what Slack answers to a look.
      chat: { ...slack, probe: (channel) => slack.probe(channel) },
      clock,
      store,
      logger,
      settings: { images: 'auto', board: setting.board ?? false, ...policy },
      earlierPollMs,
      ...(setting.pager === undefined ? {} : { pager: setting.pager }),
      ...(setting.heartbeat === undefined ? {} : { heartbeat: setting.heartbeat }),
    })

  async function again(known: (before: Bot) => number | null): Promise<void> {
    await bot.stop()
    bot = await open(known(bot))
    await bot.start()
    await letPass(clock, 0)
  }

  if (setting.first !== undefined) fail(setting.first)
  let bot = await open()
  await bot.start()
  await letPass(clock, 0)
  return {
    clock,
    service,
    store,
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
    /** The one that runs now. */
    bot: () => bot,
    pass: (ms: number) => letPass(clock, ms),
    passUntil: (isSo: () => boolean) => letPassUntil(clock, isSo),
    restart: () => again(() => null),
    /** As SIGHUP does it: other settings in the same process. */
    reread: (over: Partial<WireSettings> = {}) => {
      policy = { ...policy, ...over }
      return again((before) => before.everPolledMs())
    },
    /** What the cards about outages say, in the order of their posts: of each its outages, and the last of them by itself. */
    cards: (channel = 'C1') =>
      slack.messages.flatMap(({ view, channel: of }) => {
        if (view.kind !== 'outage' || of !== channel) return []
        const last = view.outages.at(-1)
        if (last === undefined) throw new Error('a card of no outage')
        return [{ ...last, outages: view.outages }]
      }),
    count: (event: string) => logger.events().filter((one) => one === event).length,
  }
}

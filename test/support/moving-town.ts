/** A world for channels that are archived and unarchived: the whole bot with a manual clock, on one database over restarts. */
import type { Outcome } from '../../src/bot/domain/delivery/delivery.ts'
import type { InboundPorts } from '../../src/bot/slack/inbound/inbound-ports.ts'
import type { WireSettings } from '../../src/bot/wire.ts'
import { type BotInMemory, openBotInMemory } from './bot-in-memory.ts'
import { letPass } from './delivery-world.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'
import { modelPager } from './model-pager.ts'
import { modelService } from './model-service.ts'
import { nameOf } from './poll-world.ts'

export const minuteMs = 60_000
export const toDb = { match: { server: 'db-*' }, channel: 'C0DB', mention: '<!subteam^SDB>' }
export const usual: Partial<WireSettings> = { slackChannel: 'C0OPS', routes: [toDb] }

/** The whole bot: alerts of `db-*` go to C0DB, the rest to C0OPS. */
export async function movingTown(first: Partial<WireSettings> = usual) {
  const clock = manualClock()
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  const monitor = {
    ...service.monitor,
    setServerNotifications: async () => 'done',
    setAccountNotifications: async () => 'done',
  }
  const store = await memoryStore()
  const chat = forgetfulChat({ nowMs: clock.nowMs })
  const pager = modelPager()
  const closed = new Map<string, string>()
  const tries: string[] = []
  /** Refuses posts alone. */
  const isRestricted = (channel: string) => /^(restricted|no_permission)/.test(closed.get(channel) ?? '')
  /** A channel that is gone takes nothing, and nothing in it changes. */
  const inChannel = async (channel: string, call: () => Promise<Outcome>): Promise<Outcome> => {
    tries.push(channel)
    const why = closed.get(channel)
    return why === undefined ? call() : { kind: 'channel_unavailable', why }
  }
  const slack = {
    ...chat,
    post: (...[to, view]: Parameters<typeof chat.post>) =>
      inChannel(to.channel, async () =>
        to.threadTs === null || chat.messages.some(({ ts }) => ts === to.threadTs)
          ? chat.post(to, view)
          : { kind: 'gone', why: 'thread_not_found' },
      ),
    update: (...[at, view]: Parameters<typeof chat.update>) =>
      isRestricted(at.channel) ? chat.update(at, view) : inChannel(at.channel, () => chat.update(at, view)),
  }
  slack.probe = async (channel) => {
    const why = closed.get(channel)
    return why === undefined || isRestricted(channel) ? null : { kind: 'channel_unavailable', why }
  }
  let bot: BotInMemory | null = null
  const start = async (settings: Partial<WireSettings> = usual) => {
    await bot?.stop()
    bot = await openBotInMemory({ monitor, chat: slack, clock, store, pager, settings })
    await bot.start()
    await letPass(clock, minuteMs)
  }
  await start(first)
  let count = 0
  const does = (
    intent: Parameters<NonNullable<InboundPorts['handle']>>[0]['intent'],
    channel = 'C0OPS',
    card: { cardId: string; version: number } | null = null,
  ) => {
    if (bot === null) throw new Error('it is started')
    const keys = [`key-${++count}`]
    return bot.handle({ intent, userId: 'U0ANA', via: 'command', keys, channel, card })
  }
  return {
    clock,
    service,
    store,
    chat,
    pager,
    closed,
    tries,
    start,
    stop: () => bot?.stop(),
    does,
    pass: (minutes: number) => letPass(clock, minutes * minuteMs),
    health: () => bot?.health(),
    reopened: (channel: string) => {
      closed.delete(channel)
      return bot?.inbound()?.onReopened(channel)
    },
    /** `C0DB alert open`: every message, in the order of posting. */
    seen: () =>
      chat.messages.map(({ channel, view, threadTs }) => {
        const what = view.kind === 'alert' ? ` ${view.alert.hostname} ${view.alert.state}` : ''
        const many = 'alerts' in view && view.kind !== 'notice' ? ` ${view.alerts.length}` : ''
        return `${channel} ${nameOf(view)}${what}${many}${threadTs === null ? '' : ' in thread'}`
      }),
  }
}

/** A whole bot whose memory goes away for a while, and a quarter of an hour of a small team that goes on meanwhile. */
import { expect } from 'vitest'
import type { HomeView } from '../../src/bot/domain/request/answer.ts'
import type { Intent, Request } from '../../src/bot/domain/request/intent.ts'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import type { Leadership } from '../../src/bot/flow/ports/leadership.ts'
import type { Monitor } from '../../src/bot/flow/ports/ports.ts'
import { muting, unmuting } from './acting-world.ts'
import { type AwayStore, awayStore } from './away-store.ts'
import { openBotInMemory } from './bot-in-memory.ts'
import { letPass } from './delivery-world.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'
import { modelService } from './model-service.ts'

export const minuteMs = 60_000
/** Within which a person is told, by what they asked. */
export const toldWithinMs = 2_750

export async function awayTown({ isTrusted = () => true }: Partial<Pick<Leadership, 'isTrusted'>> = {}) {
  const clock = manualClock()
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  /** What the API was told, in order, each once however often it was repeated. */
  const told: string[] = []
  const tell = async (what: string) => {
    if (told.at(-1) !== what) told.push(what)
    return 'done'
  }
  const monitor: Monitor = {
    ...service.monitor,
    triggers: async () => ({ triggers: [], skipped: 0 }),
    metrics: async () => {
      const timestampsMs = Array.from({ length: 30 }, (_, at) => clock.nowMs() - (30 - at) * minuteMs)
      const points = timestampsMs.map((_, at) => [at, at + 1, at + 2] as const)
      return { timestampsMs, series: [{ label: 'm', units: '%', points }], skipped: 0 }
    },
    setServerNotifications: (hostname, on) => tell(`${hostname} ${on ? 'on' : 'off'}`),
    setAccountNotifications: (on) => tell(`account ${on ? 'on' : 'off'}`),
    addMarker: (text) => tell(`marker ${text}`),
    addRoles: (hostname, roles) => tell(`roles ${hostname} ${roles.join(',')}`),
  }
  const chat = forgetfulChat({ nowMs: clock.nowMs })
  const memory: AwayStore<Awaited<ReturnType<typeof memoryStore>>> = awayStore(await memoryStore())
  const leadership = { holder: 'h', term: 1, isTrusted }
  const bot = await openBotInMemory({
    monitor,
    chat,
    clock,
    store: memory.store,
    isShared: true,
    leadership,
    settings: {
      images: 'auto',
      board: true,
      reminders: {
        steps: [{ afterMs: 6 * minuteMs, mention: null, channel: null }],
        flapSettleMs: null,
        staleAckAfterMs: null,
      },
    },
  })
  const { logger } = bot
  let count = 0

  const asks = (intent: Intent, over: Partial<Request> = {}) => ({
    intent,
    userId: 'U0ANA',
    via: 'command' as const,
    keys: [`key-${++count}`],
    channel: 'C1',
    card: null,
    ...over,
  })

  /** The reply, which comes in time. */
  async function press(intent: Intent, over: Partial<Request> = {}): Promise<Reply> {
    const begunMs = clock.steadyMs()
    let came: { reply: Reply; atMs: number } | null = null
    void bot.handle(asks(intent, over)).then((reply) => {
      came = { reply, atMs: clock.steadyMs() - begunMs }
    })
    await letPass(clock, 3_000)
    expect(came, `${intent.kind} is answered in time`).not.toBeNull()
    const { reply, atMs } = came as unknown as { reply: Reply; atMs: number }
    expect(atMs).toBeLessThanOrEqual(toldWithinMs)
    return reply
  }

  return {
    clock,
    service,
    told,
    chat,
    memory,
    leadership,
    bot,
    logger,
    press,
    pass: (ms: number) => letPass(clock, ms),
    opensHome: async (userId: string): Promise<HomeView | null | undefined> => {
      void bot.inbound()?.onHome(userId)
      await letPass(clock, 3_000)
      return chat.homes.get(userId)
    },
    dead: async () => (await memory.store.countCards()).byState.get('dead') ?? 0,
  }
}

export type AwayTown = Awaited<ReturnType<typeof awayTown>>

/**
 * A quarter of an hour in which everything happens that writes. `does` is how somebody asks: a press that came to nothing is repeated once the
 * memory is back.
 */
const story: readonly ((town: AwayTown, does: AwayTown['press']) => Promise<unknown>)[] = [
  async ({ service }) => {
    for (const hostname of ['web-1', 'web-2', 'db-1']) service.open({ hostname, plugin: hostname })
  },
  (_, does) => does({ kind: 'acknowledge', alert: '1' }),
  (_, does) => does({ kind: 'add_note', alert: '1', text: 'looking' }),
  (_, does) => does(muting('web-2', { end: { kind: 'for', ms: 5 * minuteMs } })),
  ({ opensHome }) => opensHome('U0ANA'),
  async ({ service }) => service.close('1'),
  async ({ service }) => void service.open({ hostname: 'db-2', plugin: 'db-2' }),
  (_, does) => does({ kind: 'add_roles', server: { by: 'name', name: 'db-1' }, roles: ['web'] }),
  (_, does) => does(muting('db-1', { end: { kind: 'for', ms: 60 * minuteMs } })),
  (_, does) => does(unmuting('db-1')),
  (_, does) => does({ kind: 'add_marker', text: 'a release' }),
  async ({ service }) => {
    for (let at = 0; at < 6; at += 1) service.open({ hostname: `app-${at}`, plugin: 'Storm' })
  },
  async ({ service }) => {
    for (const alertId of service.openIds()) service.close(alertId)
  },
]

const stepMs = 40_000

/** Lets it pass; `between` is called after each of its steps. */
export async function passStory(town: AwayTown, between: () => Promise<unknown> = async () => undefined) {
  void town.bot.start()
  await town.pass(minuteMs)
  if (town.memory.isAway()) await between()
  for (const step of story) {
    await step(town, async (intent, over) => {
      const reply = await town.press(intent, over)
      if (reply.kind !== 'away') return reply
      if (town.memory.isAway()) await between()
      return reply.mayBeDone ? reply : town.press(intent, over)
    })
    await town.pass(stepMs)
    if (town.memory.isAway()) await between()
  }
  await town.pass(4 * minuteMs)
}

/** All that people see, and what the API was told, in an order that does not depend on moments. */
export async function seenIn({ chat, told, memory }: AwayTown) {
  // How many reminders there are depends on how long it took.
  const news = chat.messages.filter(({ view }) => view.kind !== 'notice' || view.topic !== 'unacknowledged')
  const messages = news.map(({ channel, key, threadTs, view }) => {
    const what = view.kind === 'alert' ? ` ${view.alert.hostname} ${view.alert.state}` : ''
    return `${channel} ${/^(?:alert|board)/.test(key) ? key : view.kind}${what}${threadTs === null ? '' : ' in thread'}`
  })
  const { entries } = await memory.store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 500 })
  return {
    messages: messages.toSorted(),
    keys: chat.messages.length - new Set(chat.messages.map(({ key }) => key)).size,
    told: told.map((what) => what.replace(/ until .* UTC| https.*/g, '')).toSorted(),
    audit: entries.map(({ act, hostname, outcome }) => `${act} ${hostname} ${outcome}`).toSorted(),
    mutes: (await memory.store.mutes()).mutes.length,
    switches: (await memory.store.switches()).map(({ subject, wanted }) => `${subject} ${wanted}`),
  }
}

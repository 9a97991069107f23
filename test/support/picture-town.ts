/** A world for a card with a chart: the drawing, the outbox and an unreliable Slack. The process may die at any call to them. */
import { expect } from 'vitest'
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import type { PictureWay } from '../../src/bot/domain/delivery/picture.ts'
import type { Plan } from '../../src/bot/domain/plan.ts'
import type { Drawing } from '../../src/bot/domain/request/answer.ts'
import type { Charts } from '../../src/bot/flow/chart.ts'
import { openPictures } from '../../src/bot/flow/outbox/pictures.ts'
import { openDeliver } from '../../src/bot/flow/outbox/worker.ts'
import { alone } from '../../src/bot/flow/ports/leadership.ts'
import type { Chat } from '../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { anAlert, calm, opening } from './delivery-world.ts'
import { type Fate, type ForgetfulChat, forgetfulChat } from './forgetful-chat.ts'
import { keptJournal } from './journal.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'
import { startPart } from './start-part.ts'

export type Setting = {
  way?: PictureWay
  alert?: Partial<Alert>
  /** Does an edit give people access to its picture? Null: the bot may not look. */
  editsShare?: boolean | null
  over?: (chat: ForgetfulChat, clock: ManualClock) => Partial<Chat>
  /** The process dies after so many calls to the outside. */
  life?: { left: number; readonly last: 'made' | 'not made' }
}

/** Starts a part that is not stopped, because its process dies. */
function startDying<Part extends { start(): void }>(part: Part): Part {
  part.start()
  return part
}

export const drawing: Drawing = { png: new Uint8Array([7]), alt: 'a chart' }

export async function town(
  drawings: (() => Promise<Drawing | null>)[],
  fates: Fate[] = [],
  { way = 'chart', alert: of = {}, editsShare = false, over, life }: Setting = {},
) {
  const clock = manualClock()
  const chat = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => (call === 'find' ? 'ok' : (fates.shift() ?? 'ok')),
    editsShare,
  })
  const store = await memoryStore()
  const logger = keptJournal()
  const asked: { alertId: string; fromMs: number; toMs: number }[] = []
  const charts: Charts = {
    metricsOf: async () => [],
    ofMetric: async () => ({ kind: 'unknown', similar: [] }),
    ofAlert: async ({ alertId }, window) => {
      asked.push({ alertId, ...window })
      return (drawings.shift() ?? (async () => drawing))()
    },
  }
  const start = (till?: Setting['life']) => {
    const slack = mortal<Chat>(
      { ...chat, ...over?.(chat, clock) },
      till ?? { left: Number.POSITIVE_INFINITY, last: 'made' },
    )
    const memory = mortal<Store>(store, till ?? { left: Number.POSITIVE_INFINITY, last: 'made' })
    const begin = till === undefined ? startPart : startDying
    const bringing = begin(
      openPictures({
        store: memory,
        charts,
        chat: slack,
        clock,
        logger,
        zone: 'UTC',
        onReady: () => deliver.wake(),
      }),
    )
    const health = () => calm(clock.nowMs())
    const deliver = begin(
      openDeliver({
        store: memory,
        chat: slack,
        clock,
        logger,
        health,
        leadership: alone,
        links: [],
        showLabels: null,
        routing: { routes: [], defaultChannel: null, gone: () => new Set<string>() },
        onShown: () => bringing.wake(),
      }),
    )
    return {
      wake: () => {
        deliver.wake()
        bringing.wake()
      },
    }
  }
  const parts = start(life)
  const commit = async (plan: Plan) => {
    await store.commit(plan)
    parts.wake()
  }
  const startMs = clock.nowMs()
  const alert = anAlert('1', of)
  await commit({
    ...opening([alert], 'C1', clock.nowMs()),
    pictures: [{ cardId: 'alert:1:C1', alertId: '1', way }],
  })
  return { clock, chat, commit, logger, alert, asked, store, parts, start, startMs }
}

export const picture = (chat: { messages: { view: unknown }[] }) =>
  (chat.messages[0]?.view as { picture: unknown } | undefined)?.picture

/** The replies in the thread. */
export const replies = (chat: ForgetfulChat) => chat.messages.filter(({ threadTs }) => threadTs !== null)
/** Pictures on the card that nobody can see. */
export const unseen = (chat: ForgetfulChat) => {
  const shown = picture(chat) as { fileId: string } | null | undefined
  return shown == null || chat.sharedIds.has(shown.fileId) ? null : shown.fileId
}
export const minuteMs = 60_000

/** A process that never dies. */
export const endless = { left: Number.POSITIVE_INFINITY, last: 'made' } as const
export const hanging = () => new Promise<never>(() => {})

/** Notes a new value, so that the chart is to be drawn again. */
export async function readAnew(
  { store, alert, parts }: Awaited<ReturnType<typeof town>>,
  value: number,
): Promise<void> {
  const nowMs = Date.UTC(2026, 10, 21, 4, 30)
  const reading = { units: '%', limit: null, last: { value, atMs: nowMs }, peak: value, readMs: nowMs }
  expect(await store.settleReading(alert, { reading, nextMs: null, withPicture: true })).toBe(true)
  parts.wake()
}

/** A port whose calls never return after so many; the last one is still made, or not. */
function mortal<Port extends object>(
  port: Port,
  life: { left: number; readonly last: 'made' | 'not made' },
): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const call = Reflect.get(target, name)
      if (typeof call !== 'function') return call
      return async (...args: unknown[]) => {
        life.left -= 1
        if (life.left < 0 || (life.left === 0 && life.last === 'not made')) return hanging()
        const answer = await call.apply(target, args)
        return life.left === 0 ? hanging() : answer
      }
    },
  })
}

/** Pictures come after their cards, and never stand in an alert's way. */
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { PictureWay } from '../../src/domain/delivery/picture.ts'
import type { Plan } from '../../src/domain/plan.ts'
import type { Drawing } from '../../src/domain/request/answer.ts'
import type { Charts } from '../../src/flow/chart.ts'
import { openPictures } from '../../src/flow/outbox/pictures.ts'
import { openDeliver } from '../../src/flow/outbox/worker.ts'
import { anAlert, calm, closing, letPass, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { startPart } from '../support/start-part.ts'

type Setting = {
  way?: PictureWay
  alert?: Partial<Alert>
}

const drawing: Drawing = { png: new Uint8Array([7]), alt: 'a chart' }

async function town(
  drawings: (() => Promise<Drawing | null>)[],
  fates: Fate[] = [],
  { way = 'chart', alert: over = {} }: Setting = {},
) {
  const clock = manualClock()
  const chat = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => (call === 'find' ? 'ok' : (fates.shift() ?? 'ok')),
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
  const bringing = startPart(
    openPictures({ store, charts, chat, clock, logger, zone: 'UTC', onReady: () => deliver.wake() }),
  )
  const health = () => calm(clock.nowMs())
  const routing = { routes: [], defaultChannel: null, gone: () => new Set<string>() }
  const deliver = startPart(
    openDeliver({ store, chat, clock, logger, health, links: [], routing, onShown: () => bringing.wake() }),
  )
  const commit = async (plan: Plan) => {
    await store.commit(plan)
    deliver.wake()
  }
  const alert = anAlert('1', over)
  await commit({
    ...opening([alert], 'C1', clock.nowMs()),
    pictures: [{ cardId: 'alert:1:C1', alertId: '1', way }],
  })
  return { clock, chat, commit, logger, alert, asked }
}

const picture = (chat: { messages: { view: unknown }[] }) =>
  (chat.messages[0]?.view as { picture: unknown } | undefined)?.picture

test('the card stands first; the picture is drawn, uploaded and added to the same message', async () => {
  const hanging = Promise.withResolvers<Drawing>()
  const { clock, chat, asked } = await town([() => hanging.promise])
  await letPass(clock, 60_000)
  expect(chat.messages).toHaveLength(1)
  expect(picture(chat)).toBeNull()
  expect(asked).toHaveLength(1)
  hanging.resolve(drawing)
  await letPass(clock, 2_000)
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
  expect(chat.postTimes).toHaveLength(1)
})

test('a picture that cannot be had is tried a few times; the card stays as it is', async () => {
  const failing = () => Promise.reject(new OutsideFailure('unreachable', 'no picture'))
  const { clock, chat, logger, asked } = await town(Array.from({ length: 7 }, () => failing))
  await letPass(clock, 30 * 60_000)
  expect(asked).toHaveLength(6)
  expect(logger.events()).toContain('picture:failed')
  expect(picture(chat)).toBeNull()
})

test('a picture that Slack has not ready yet is tried again, and the card is shown meanwhile', async () => {
  const { clock, chat } = await town([], ['ok', 'image_refused', 'image_refused'])
  await letPass(clock, 100)
  expect(chat.messages).toHaveLength(1)
  await letPass(clock, 60_000)
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
  expect(chat.uploads).toBe(1)
  expect(chat.postTimes).toHaveLength(1)
})

test('an alert that closed wants no picture any more', async () => {
  const failing = () => Promise.reject(new OutsideFailure('unreachable', 'no picture'))
  const { clock, commit, alert, asked } = await town([failing])
  await letPass(clock, 100)
  expect(asked).toHaveLength(1)
  await commit(closing(alert, clock.nowMs()))
  await letPass(clock, 10 * 60_000)
  expect(asked).toHaveLength(1)
})

test('an episode is drawn a minute after its close, with what came before and after it', async () => {
  const startedMs = Date.UTC(2026, 10, 21, 3, 0)
  const closedMs = Date.UTC(2026, 10, 21, 4, 0)
  const { clock, chat, asked } = await town([], [], {
    way: 'episode',
    alert: { state: 'closed', startedMs, closedMs, closedBy: 'record' },
  })
  await letPass(clock, 59_000)
  expect(asked).toEqual([])
  expect(chat.messages).toHaveLength(1)
  await letPass(clock, 10_000)
  expect(asked).toEqual([{ alertId: '1', fromMs: startedMs - 3_600_000, toMs: closedMs + 60_000 }])
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
})

test.each(['chart', 'episode'] as const)('a card whose %s has nothing to draw does without', async (way) => {
  const closed = { state: 'closed', closedMs: Date.UTC(2026, 10, 21, 3, 30), closedBy: 'record' } as const
  const alert = way === 'episode' ? closed : {}
  const { clock, chat, asked, logger } = await town([async () => null], [], { way, alert })
  await letPass(clock, 10 * 60_000)
  expect(asked).toHaveLength(1)
  expect(picture(chat)).toBeNull()
  expect(logger.entries.filter(({ level }) => level === 'warn')).toEqual([])
})

test.each(['drawn', 'refused'])(
  'the picture of an open alert that was %s after the alert had closed became its episode',
  async (how) => {
    const drawn = Promise.withResolvers<Drawing>()
    const { clock, chat, commit, alert, asked } = await town([() => drawn.promise])
    const wanted = { cardId: 'alert:1:C1', alertId: '1', way: 'episode' } as const
    await letPass(clock, 5_000)
    await commit({ ...closing(alert, clock.nowMs()), pictures: [wanted] })
    await letPass(clock, 1_000)
    if (how === 'drawn') drawn.resolve(drawing)
    else drawn.reject(new OutsideFailure('missing', 'no such metric', { status: 404 }))
    await letPass(clock, 10 * 60_000)
    expect(asked).toHaveLength(2)
    expect(picture(chat)).toMatchObject({ fileId: how === 'drawn' ? 'F2' : 'F1' })
  },
)

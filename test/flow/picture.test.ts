/** Pictures come after their cards, and never stand in an alert's way. */
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { CardView } from '../../src/domain/card/kinds.ts'
import type { Outcome } from '../../src/domain/delivery/delivery.ts'
import type { Images, PictureWay } from '../../src/domain/delivery/picture.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import type { Drawing } from '../../src/domain/request/answer.ts'
import type { Charts } from '../../src/flow/chart.ts'
import { openPictures } from '../../src/flow/outbox/pictures.ts'
import { openDeliver } from '../../src/flow/outbox/worker.ts'
import type { Chat, Picture } from '../../src/flow/ports/ports.ts'
import { anAlert, calm, closing, letPass, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat, stateOf } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { modelService } from '../support/model-service.ts'
import { startPart } from '../support/start-part.ts'

/** Longer than this nobody waits for an answer of Slack. */
const callMs = 10_000

const png: Picture = { bytes: new Uint8Array([1]), format: 'png' }

type Setting = {
  way?: PictureWay
  drawings?: (Drawing | null)[]
  alert?: Partial<Alert>
  /** How long Slack takes to fetch each picture by its link; nothing was done where that is longer than anybody waits. */
  fetchesMs?: number[]
  images?: Images
}

async function town(
  pictures: (() => Promise<Picture>)[],
  fates: Fate[] = [],
  { way = 'upload', drawings = [], alert: over = {}, fetchesMs = [], images = 'auto' }: Setting = {},
) {
  const clock = manualClock()
  const slack = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => (call === 'find' ? 'ok' : (fates.shift() ?? 'ok')),
  })
  async function fetching(view: CardView, call: () => Promise<Outcome>): Promise<Outcome> {
    const isLink = view.kind === 'alert' && view.picture?.kind === 'url'
    const fetchMs = isLink ? (fetchesMs.shift() ?? 0) : 0
    await clock.wait(Math.min(fetchMs, callMs))
    return fetchMs > callMs ? { kind: 'unknown', why: 'time_out' } : call()
  }
  const chat = Object.assign(Object.create(slack) as typeof slack, {
    post: (to, view) => fetching(view, () => slack.post(to, view)),
    update: (to, view) => fetching(view, () => slack.update(to, view)),
  } satisfies Partial<Chat>)
  const store = await memoryStore()
  const logger = keptJournal()
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  const fetched: string[] = []
  const monitor = {
    ...service.monitor,
    picture: async (url: string) => {
      fetched.push(url)
      return (pictures.shift() ?? (async () => png))()
    },
  }
  const asked: { alertId: string; fromMs: number; toMs: number }[] = []
  const charts: Charts = {
    ofMetric: async () => 'no_points',
    ofAlert: async ({ alertId }, window) => {
      asked.push({ alertId, ...window })
      return drawings.shift() ?? null
    },
  }
  const options = { images, apiOrigin: 'https://monitor.example' }
  const bringing = startPart(
    openPictures({ store, monitor, charts, chat, clock, logger, onReady: () => deliver.wake() }, options),
  )
  const health = () => calm(clock.nowMs())
  const deliver = startPart(
    openDeliver({ store, chat, clock, logger, health, onShown: () => bringing.wake() }, options),
  )
  const alert = anAlert('1', over)
  await store.commit({
    ...opening([alert], 'C1', clock.nowMs()),
    pictures: [{ cardId: 'alert:1:C1', alertId: '1', way }],
  })
  deliver.wake()
  const stop = async () => {
    await deliver.stop()
    await bringing.stop()
  }
  return { clock, chat, store, logger, deliver, alert, fetched, asked, stop }
}

const picture = (chat: { messages: { view: unknown }[] }) =>
  (chat.messages[0]?.view as { picture: unknown } | undefined)?.picture

test('the card stands first; the picture is fetched, uploaded and added to the same message', async () => {
  let handOver: (picture: Picture) => void = () => {}
  const hanging = new Promise<Picture>((resolve) => {
    handOver = resolve
  })
  const { clock, chat, fetched, stop } = await town([() => hanging])
  await letPass(clock, 60_000)
  expect(chat.messages).toHaveLength(1)
  expect(picture(chat)).toBeNull()
  expect(fetched).toEqual(['https://monitor.example/a/1.png'])
  handOver(png)
  await letPass(clock, 2_000)
  expect(picture(chat)).toMatchObject({ kind: 'file', fileId: 'F1' })
  expect(chat.postTimes).toHaveLength(1)
  await stop()
})

test('a picture that cannot be had is tried a few times; the card stays as it is', async () => {
  const failing = () => Promise.reject(new OutsideFailure('unreachable', 'no picture'))
  const { clock, chat, logger, fetched, stop } = await town([
    failing,
    failing,
    failing,
    failing,
    failing,
    failing,
  ])
  await letPass(clock, 30 * 60_000)
  expect(fetched).toHaveLength(6)
  expect(logger.events()).toContain('picture:failed')
  expect(picture(chat)).toBeNull()
  await stop()
})

test('a picture that Slack has not ready yet is tried again, and the card is shown meanwhile', async () => {
  const { clock, chat, stop } = await town([], ['ok', 'image_refused', 'image_refused'])
  await letPass(clock, 100)
  expect(chat.messages).toHaveLength(1)
  await letPass(clock, 60_000)
  expect(picture(chat)).toMatchObject({ kind: 'file' })
  expect(chat.uploads).toBe(1)
  expect(chat.postTimes).toHaveLength(1)
  await stop()
})

test('a link that Slack is slow to fetch makes no card late, and the picture comes when it can be fetched', async () => {
  const { clock, chat, store, deliver, alert, logger, stop } = await town([], [], {
    way: 'url',
    images: 'url',
    fetchesMs: [60_000, 60_000],
  })
  await letPass(clock, 100)
  expect(chat.messages).toHaveLength(1)
  expect(picture(chat)).toBeNull()
  expect(logger.events()).not.toContain('card:unknown')
  // While Slack fetches it, others of the same channel open and close.
  const other = anAlert('2')
  await store.commit(opening([other], 'C1', clock.nowMs()))
  deliver.wake()
  await letPass(clock, 2_000)
  expect(chat.messages).toHaveLength(2)
  await store.commit(closing(other, clock.nowMs()))
  deliver.wake()
  await letPass(clock, 2_000)
  expect(chat.messages.map(stateOf)).toEqual(['open', 'closed'])
  // What happens to its own card is not late for a second try, which is made when nothing is to be said.
  await letPass(clock, 8_000)
  const acked = { ...alert, ackedBy: 'U1', ackedMs: clock.nowMs(), version: alert.version + 1 }
  const plan = { alerts: [{ alert: acked, was: alert.version }], dirty: [alert.alertId] }
  await store.commit({ ...emptyPlan(clock.nowMs()), ...plan })
  deliver.wake()
  await letPass(clock, 1_000)
  expect(chat.messages[0]?.view).toMatchObject({ alert: { ackedBy: 'U1' }, picture: null })
  await letPass(clock, 5 * 60_000)
  expect(picture(chat)).toMatchObject({ kind: 'url' })
  expect(chat.postTimes).toHaveLength(2)
  await stop()
})

test('many links that Slack is slow to fetch make no other card of their channel late', async () => {
  const { clock, chat, store, deliver, stop } = await town([], [], {
    way: 'url',
    images: 'url',
    fetchesMs: Array.from({ length: 100 }, () => 60_000),
  })
  const alerts = ['2', '3', '4', '5', '6'].map((alertId) => anAlert(alertId))
  for (const alert of alerts) {
    await store.commit(opening([alert], 'C1', clock.nowMs(), true))
    deliver.wake()
    await letPass(clock, 1_500)
  }
  const other = anAlert('7')
  await store.commit(opening([other], 'C1', clock.nowMs()))
  deliver.wake()
  await letPass(clock, 20_000)
  expect(chat.messages).toHaveLength(7)
  await store.commit(closing(other, clock.nowMs()))
  deliver.wake()
  await letPass(clock, 5_000)
  expect(chat.messages.map(stateOf)).toEqual(['open', 'open', 'open', 'open', 'open', 'open', 'closed'])
  // Nobody asks for them for ever.
  await letPass(clock, 20 * 60_000)
  expect((await store.nextPicture(clock.nowMs() + 3_600_000)).job).toBeNull()
  await stop()
})

test('a link that Slack is slow to fetch is uploaded where the bot may fetch it', async () => {
  const { clock, chat, fetched, stop } = await town([], [], { way: 'url', fetchesMs: [60_000] })
  await letPass(clock, 30_000)
  expect(fetched).toEqual(['https://monitor.example/a/1.png'])
  expect(picture(chat)).toMatchObject({ kind: 'file' })
  await stop()
})

test('an alert that closed wants no picture any more', async () => {
  const failing = () => Promise.reject(new OutsideFailure('unreachable', 'no picture'))
  const { clock, store, deliver, alert, fetched, stop } = await town([failing])
  await letPass(clock, 100)
  expect(fetched).toHaveLength(1)
  await store.commit(closing(alert, clock.nowMs()))
  deliver.wake()
  await letPass(clock, 10 * 60_000)
  expect(fetched).toHaveLength(1)
  await stop()
})

const drawing: Drawing = { png: new Uint8Array([7]), alt: 'a chart' }

test('an episode is drawn a minute after its close, with what came before and after it', async () => {
  const startedMs = Date.UTC(2026, 10, 21, 3, 0)
  const closedMs = Date.UTC(2026, 10, 21, 4, 0)
  const { clock, chat, asked, fetched, stop } = await town([], [], {
    way: 'episode',
    drawings: [drawing],
    alert: { state: 'closed', startedMs, closedMs, closedBy: 'record' },
  })
  await letPass(clock, 59_000)
  expect(asked).toEqual([])
  expect(chat.messages).toHaveLength(1)
  await letPass(clock, 10_000)
  expect(asked).toEqual([{ alertId: '1', fromMs: startedMs - 3_600_000, toMs: closedMs + 60_000 }])
  expect(picture(chat)).toMatchObject({ kind: 'file', fileId: 'F1' })
  expect(fetched).toEqual([])
  await stop()
})

test('a chart that has nothing to draw gives way to the sparkline; an episode to nothing', async () => {
  const chart = await town([], [], { way: 'chart' })
  await letPass(chart.clock, 10_000)
  expect(chart.fetched).toEqual(['https://monitor.example/a/1.png'])
  expect(picture(chart.chat)).toMatchObject({ kind: 'file' })
  await chart.stop()
  const closed = {
    state: 'closed' as const,
    closedMs: Date.UTC(2026, 10, 21, 3, 30),
    closedBy: 'record' as const,
  }
  const episode = await town([], [], { way: 'episode', alert: closed })
  await letPass(episode.clock, 10 * 60_000)
  expect(episode.asked).toHaveLength(1)
  expect(episode.fetched).toEqual([])
  expect(picture(episode.chat)).toBeNull()
  expect(episode.logger.entries.filter(({ level }) => level === 'warn')).toEqual([])
  await episode.stop()
})

test('a chart is fetched from nowhere but the own origin of the API', async () => {
  const { clock, fetched, stop } = await town([], [], {
    way: 'chart',
    alert: { sparklineUrl: 'https://elsewhere.example/1.png' },
  })
  await letPass(clock, 10 * 60_000)
  expect(fetched).toEqual([])
  await stop()
})

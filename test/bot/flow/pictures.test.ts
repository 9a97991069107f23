/** Pictures come with their cards or after them, are seen by everybody, and never stand in an alert's way. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Drawing } from '../../../src/bot/domain/request/answer.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import {
  drawing,
  endless,
  hanging,
  minuteMs,
  picture,
  type Setting,
  town,
  unseen,
} from '../../support/picture-town.ts'

test('a picture that is ready in time stands in the first message', async () => {
  const { clock, chat, startMs } = await town([])
  await letPass(clock, 1_499)
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
  expect(chat.postTimes.map(({ atMs }) => atMs - startMs)).toEqual([400])
  await letPass(clock, 10 * minuteMs)
  expect(chat.updateTimes).toEqual([])
  expect(chat.messages).toHaveLength(1)
})

test.each<[string, (() => Promise<Drawing>)[], Partial<Setting>]>([
  ['the painter hangs', [hanging], {}],
  ['the upload hangs', [], { over: () => ({ upload: hanging }) }],
])('where %s the card is posted 1.5 s after the decision, without it', async (_, drawings, setting) => {
  const { clock, chat, startMs } = await town(drawings, [], { ...setting, life: endless })
  await letPass(clock, 1_499)
  expect(chat.messages).toHaveLength(0)
  await letPass(clock, 1)
  expect(chat.messages).toHaveLength(1)
  expect(picture(chat)).toBeNull()
  expect(chat.postTimes[0]?.atMs).toBe(startMs + 1_500)
})

test('the card that waits for its picture keeps no other waiting, and a picture that hangs no other picture', async () => {
  const { clock, chat, commit } = await town([hanging], [], { life: endless })
  await commit(opening([anAlert('2')], 'C1', clock.nowMs()))
  await letPass(clock, 0)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:2:C1'])
  await commit(opening([anAlert('3')], 'C2', clock.nowMs(), true))
  await letPass(clock, 500)
  expect(chat.messages[1]).toMatchObject({ key: 'alert:3:C2', view: { picture: { fileId: 'F1' } } })
})

test.each<[string, () => Promise<null>]>([
  ['there is nothing to draw', async () => null],
  [
    'the API is away, and will be asked again too late',
    () => Promise.reject(new OutsideFailure('unreachable', 'no')),
  ],
])('a card waits for nothing where %s', async (_, draw) => {
  const { chat, clock } = await town([draw])
  await letPass(clock, 0)
  expect(chat.messages).toHaveLength(1)
})

test('a picture that cannot be had is tried a few times; the card stays as it is', async () => {
  const failing = () => Promise.reject(new OutsideFailure('unreachable', 'no picture'))
  const { clock, chat, logger, asked } = await town(Array.from({ length: 7 }, () => failing))
  await letPass(clock, 30 * 60_000)
  expect(asked).toHaveLength(6)
  expect(logger.events()).toContain('picture:failed')
  expect(picture(chat)).toBeNull()
})

test('a picture that Slack has not ready yet is tried again, and the card waits no longer for it than it may', async () => {
  const { clock, chat, asked, startMs } = await town([], ['image_refused', 'image_refused', 'image_refused'])
  await letPass(clock, 1_500)
  expect(chat.messages).toHaveLength(1)
  expect(Number(chat.postTimes.at(-1)?.atMs) - startMs).toBeLessThanOrEqual(1_500)
  await letPass(clock, minuteMs)
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
  expect(unseen(chat)).toBeNull()
  expect(asked).toHaveLength(1)
})

test.each([
  [59_000, true],
  [70_000, false],
])('Slack has a minute to take a picture in: %s ms', async (takesMs, isShown) => {
  const { clock, chat } = await town([], [], {
    editsShare: null,
    over: (chat, clock) => {
      const readyMs = clock.nowMs() + takesMs
      return {
        post: async (to, view) =>
          clock.nowMs() >= readyMs || !JSON.stringify(view).includes('"fileId"')
            ? chat.post(to, view)
            : { kind: 'image_refused', why: 'invalid slack file' },
      }
    },
  })
  await letPass(clock, 10 * minuteMs)
  expect(chat.messages[0]?.threadTs).toBeNull()
  expect(picture(chat) !== null).toBe(isShown)
  expect(unseen(chat)).toBeNull()
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

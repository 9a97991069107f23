/** Automatic markers: each at most once, with the link to the message that tells of what was done. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openMarkers } from '../../../src/bot/flow/outbox/markers.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { modelService } from '../../support/model-service.ts'
import { startPart } from '../../support/start-part.ts'

const minuteMs = 60_000
const refused = new OutsideFailure('unreachable', 'nobody there', { code: 'ECONNREFUSED' })
const timedOut = new OutsideFailure('unreachable', 'no answer in time', { code: 'ETIMEDOUT' })

/** `fates`: what becomes of the calls, one after the other; after the last they all succeed. */
async function world(fates: readonly (OutsideFailure | null)[] = [], over: Partial<Chat> = {}) {
  const { clock, store, logger, chat: slack } = await bareWorld()
  const dropped: string[] = []
  const chat = { ...slack, ...over }
  const waiting = [...fates]
  let hanging = Promise.resolve()
  const monitor = {
    ...modelService({ form: 'flip', nowMs: clock.nowMs }).monitor,
    addMarker: async (notes: string) => {
      dropped.push(notes)
      await hanging
      const failure = waiting.shift() ?? null
      if (failure !== null) throw failure
      return 'the marker was added'
    },
  }
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  const start = () => startPart(openMarkers({ store, monitor, chat, clock, logger }))
  return {
    clock,
    store,
    logger,
    dropped,
    start,
    /** From now on the API does not answer, until the function that this answers is called. */
    hang: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hanging = promise
      return resolve
    },
    want: (cardId: string | null) =>
      store.commit({
        ...emptyPlan(clock.nowMs()),
        markers: [{ markerId: 'm1', text: 'muted web-1', cardId }],
      }),
    show: () => store.settle('alert:1:C1', { state: 'shown', ts: '5.000001', shown: 1 }),
  }
}

test('a marker waits for the message that it links to, and is dropped once', async () => {
  const { clock, dropped, start, want, show } = await world()
  const markers = start()
  await want('alert:1:C1')
  markers.wake()
  await letPass(clock, 5 * minuteMs)
  expect(dropped).toEqual([])
  await show()
  markers.wake()
  await letPass(clock, 60 * minuteMs)
  expect(dropped).toEqual(['muted web-1 https://slack.example/archives/C1/p5000001'])
})

test('one without a message is dropped at once, and one whose link cannot be had without it', async () => {
  const one = await world()
  one.start()
  await one.want(null)
  await letPass(one.clock, 2 * minuteMs)
  expect(one.dropped).toEqual(['muted web-1'])

  const other = await world([], {
    permalink: async () => {
      throw new OutsideFailure('missing', 'no such message')
    },
  })
  await other.want('alert:1:C1')
  await other.show()
  other.start()
  await letPass(other.clock, minuteMs)
  expect(other.dropped).toEqual(['muted web-1'])
})

test('what certainly was not done is tried again, five times within the hour', async () => {
  const { clock, dropped, start, want } = await world(Array.from({ length: 9 }, () => refused))
  await want(null)
  start()
  await letPass(clock, 59 * minuteMs)
  expect(dropped).toHaveLength(5)
  await letPass(clock, 24 * 60 * minuteMs)
  expect(dropped).toHaveLength(5)
})

test('an API that is back takes it then', async () => {
  const { clock, dropped, start, want, logger } = await world([refused, refused])
  await want(null)
  start()
  await letPass(clock, 10 * minuteMs)
  expect(dropped).toHaveLength(3)
  expect(logger.events().at(-1)).toBe('marker:dropped')
})

test.each([
  ['what may have been done', timedOut],
  ['what the API refused', new OutsideFailure('rejected', 'notes: too long')],
])('%s is not tried again', async (_, failure) => {
  const { clock, dropped, start, want } = await world([failure])
  await want(null)
  start()
  await letPass(clock, 24 * 60 * minuteMs)
  expect(dropped).toHaveLength(1)
})

test('one that was being dropped when the process died is not dropped again', async () => {
  const { clock, dropped, start, want, store, logger, hang } = await world()
  const release = hang()
  await want(null)
  start()
  await letPass(clock, 0)
  expect(dropped).toHaveLength(1)
  start()
  await letPass(clock, 60 * minuteMs)
  expect(dropped).toHaveLength(1)
  expect(logger.events()).toContain('markers:interrupted')
  expect(await store.recoverMarkers()).toBe(0)
  release()
})

test('a marker that waited five hours for Slack was dropped as of now', async () => {
  const { clock, want, start, show, dropped, logger } = await world()
  await want('alert:1:C1')
  start()
  await letPass(clock, 5 * 60 * minuteMs)
  await show()
  await letPass(clock, 2 * minuteMs)
  expect(dropped).toEqual([])
  expect(logger.events()).toContain('marker:too_late')
})

test('a marker was tried again sooner than the API had asked for', async () => {
  const limited = new OutsideFailure('rate_limited', 'too many', { retryAfterMs: 10 * minuteMs })
  const { clock, want, start, dropped } = await world([limited])
  await want(null)
  start()
  await letPass(clock, 9 * minuteMs)
  expect(dropped).toHaveLength(1)
  await letPass(clock, 20 * minuteMs)
  expect(dropped).toHaveLength(2)
})

/** What drawing may hold and keep waiting: the thread ends when nobody needs it, and a queue has an end. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { openDraw } from '../../src/charts/draw.ts'

const bars = { title: 'Alerts opened a day', bars: [{ label: '1 Nov', value: 3 }] }
const limits = { idleMs: 30_000, waitMs: 30_000, waitingMax: 50 }
const isPng = (bytes: Uint8Array) => Buffer.from(bytes.subarray(1, 4)).toString() === 'PNG'

/** The threads that were started since. */
function seenThreads(): Worker[] {
  const threads: Worker[] = []
  const note = (message: unknown) => void threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  onTestFinished(() => void unsubscribe('worker_threads', note))
  return threads
}

test('a thread that has nothing to draw ends, and the next picture starts another one', async () => {
  const threads = seenThreads()
  const draw = openDraw({ ...limits, idleMs: 200 })
  expect(isPng(await draw.bars(bars))).toBe(true)
  const [first] = threads
  if (first === undefined) throw new Error('no thread was started')
  // An idle thread alone would let this process end.
  first.ref()
  await once(first, 'exit')
  expect(isPng(await draw.bars(bars))).toBe(true)
  expect(threads).toHaveLength(2)
})

test('pictures that follow each other are drawn by one thread', async () => {
  const threads = seenThreads()
  const draw = openDraw(limits)
  for (let n = 0; n < 3; n += 1) await draw.bars(bars)
  expect(threads).toHaveLength(1)
})

test('more pictures than may wait are refused at once, and those that wait are drawn', async () => {
  const draw = openDraw({ ...limits, waitingMax: 2 })
  const asked = [1, 2, 3].map(() => draw.bars(bars))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  await expect(asked[2]).rejects.toMatchObject({ kind: 'rate_limited' })
  expect(isPng(await draw.bars(bars))).toBe(true)
})

test('a picture that could not be begun in time is given up, and the next one is drawn', async () => {
  const draw = openDraw({ ...limits, waitMs: 1 })
  const [first, second] = [draw.bars(bars), draw.bars(bars)]
  await expect(second).rejects.toMatchObject({ kind: 'rate_limited' })
  expect(isPng(await first)).toBe(true)
  expect(isPng(await draw.bars(bars))).toBe(true)
})

/** A channel that was closed and works again is used at once. */
import { expect, test } from 'vitest'
import { anAlert, deliverTo, letPass, opening } from '../support/delivery-world.ts'
import { forgetfulChat } from '../support/forgetful-chat.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'

test('after an invitation the alerts that waited came five minutes later', async () => {
  const clock = manualClock()
  let isClosed = true
  const chat = forgetfulChat({ nowMs: clock.nowMs, fateOf: () => (isClosed ? 'closed_door' : 'ok') })
  const store = await memoryStore()
  const { deliver } = deliverTo(chat, store, clock)
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', clock.nowMs()))
  deliver.wake()
  await letPass(clock, 10_000)
  isClosed = false
  await store.reopen('C1')
  deliver.reopen('C1')
  await letPass(clock, 5_000)
  expect(chat.messages).toHaveLength(2)
  await deliver.stop()
})

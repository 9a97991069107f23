/** Pictures come after their cards, and never stand in an alert's way. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/failure.ts'
import { startDeliver } from '../../src/flow/deliver.ts'
import { startPictures } from '../../src/flow/picture.ts'
import type { Picture } from '../../src/flow/ports.ts'
import { anAlert, closing, letPass, memoryStore, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { modelService } from '../support/model-service.ts'

const png: Picture = { bytes: new Uint8Array([1]), format: 'png' }

async function town(pictures: (() => Promise<Picture>)[], fates: Fate[] = []) {
  const clock = manualClock()
  const chat = forgetfulChat({
    nowMs: clock.nowMs,
    fateOf: (call) => (call === 'find' ? 'ok' : (fates.shift() ?? 'ok')),
  })
  const store = await memoryStore()
  const journal = keptJournal()
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  const fetched: string[] = []
  const monitor = {
    ...service.monitor,
    picture: async (url: string) => {
      fetched.push(url)
      return (pictures.shift() ?? (async () => png))()
    },
  }
  const bringing = startPictures({ store, monitor, chat, clock, journal, onReady: () => deliver.wake() })
  const deliver = startDeliver(
    { store, chat, clock, journal, onShown: () => bringing.wake() },
    { images: 'auto', apiOrigin: 'https://monitor.example' },
  )
  const alert = anAlert('1')
  await store.commit({
    ...opening([alert], 'C1', clock.nowMs()),
    pictures: [{ alertId: '1', way: 'upload' }],
  })
  deliver.wake()
  const stop = async () => {
    await deliver.stop()
    await bringing.stop()
  }
  return { clock, chat, store, journal, deliver, alert, fetched, stop }
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
  const { clock, chat, journal, fetched, stop } = await town([
    failing,
    failing,
    failing,
    failing,
    failing,
    failing,
  ])
  await letPass(clock, 30 * 60_000)
  expect(fetched).toHaveLength(6)
  expect(journal.events()).toContain('picture:failed')
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

/** A picture that comes after its card: everybody sees it in the end, with one reply at most, over a kill at any call. */
import { describe, expect, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Drawing } from '../../../src/bot/domain/request/answer.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { drawing, minuteMs, picture, readAnew, replies, town, unseen } from '../../support/picture-town.ts'

test.each([
  ['edits share', true],
  ['they do not', false],
  ['nobody can tell', null],
])(
  'the card stands first where the picture takes long; where %s, everybody sees it in the end',
  async (_, editsShare) => {
    const drawn = Promise.withResolvers<Drawing>()
    const { clock, chat, asked, store } = await town([() => drawn.promise], [], { editsShare })
    await letPass(clock, minuteMs)
    expect(chat.messages).toHaveLength(1)
    expect(picture(chat)).toBeNull()
    expect(asked).toHaveLength(1)
    drawn.resolve(drawing)
    await letPass(clock, minuteMs)
    expect(picture(chat)).toMatchObject({ fileId: 'F1' })
    expect(unseen(chat)).toBeNull()
    expect(replies(chat)).toHaveLength(editsShare === true ? 0 : 1)
    const known = editsShare === null ? [] : [['C1', editsShare ? 'yes' : 'no'] as const]
    expect(await store.state('edits share ')).toEqual(new Map(known))
  },
)

test.each([true, false])(
  'whether edits share (%s) is looked at once a channel, and remembered',
  async (editsShare) => {
    const it = await town([], [], { editsShare })
    const { clock, chat, store } = it
    await letPass(clock, minuteMs)
    expect(await store.state('edits share ')).toEqual(new Map())
    for (const value of [1, 2, 3]) {
      await readAnew(it, value)
      await letPass(clock, minuteMs)
      expect(picture(chat)).toMatchObject({ fileId: `F${value + 1}` })
      expect(unseen(chat)).toBeNull()
      expect(await store.state('edits share ')).toEqual(new Map([['C1', editsShare ? 'yes' : 'no']]))
      // One reply, with the newest.
      expect(replies(chat).map(({ view }) => view.kind === 'picture' && view.fileId)).toEqual(
        editsShare ? [] : [`F${value + 1}`],
      )
    }
    expect(chat.postTimes).toHaveLength(editsShare ? 1 : 4)
  },
)

test('a channel without replies keeps its card, which does without later pictures, and no other card waits', async () => {
  const refused = { kind: 'no_thread', why: 'restricted_action_non_threadable_channel' } as const
  const it = await town([], [], {
    over: (chat) => ({
      post: async (to, view) => (to.threadTs === null ? chat.post(to, view) : refused),
    }),
  })
  const { clock, chat, store } = it
  await letPass(clock, 1_000)
  await readAnew(it, 1)
  await letPass(clock, 10 * minuteMs)
  expect(picture(chat)).toMatchObject({ fileId: 'F1' })
  expect(unseen(chat)).toBeNull()
  expect(await store.waitingCards()).toEqual([])
  await it.commit(opening([anAlert('2')], 'C1', clock.nowMs()))
  await letPass(clock, 1_000)
  expect(chat.messages.map(({ key }) => key)).toContain('alert:2:C1')
})

test('a card whose message was deleted is posted anew with its picture, and not once more in its thread', async () => {
  const it = await town([])
  const { clock, chat, commit } = it
  await letPass(clock, 1_000)
  await readAnew(it, 1)
  await letPass(clock, minuteMs)
  expect(replies(chat)).toHaveLength(1)
  chat.messages.splice(0)
  await commit({ ...emptyPlan(clock.nowMs()), dirty: ['1'] })
  await letPass(clock, minuteMs)
  expect(chat.messages).toHaveLength(1)
  expect(picture(chat)).toMatchObject({ fileId: 'F2' })
})

describe.each(['made', 'not made'] as const)(
  'a process that dies at any call, the last of which was %s',
  (last) => {
    const stories: readonly [string, (it: Awaited<ReturnType<typeof town>>) => Promise<void>][] = [
      ['with a picture in the first message', async ({ clock }) => letPass(clock, minuteMs)],
      [
        'with a later picture',
        async (it) => {
          await letPass(it.clock, 5_000)
          await readAnew(it, 1)
          await letPass(it.clock, minuteMs)
        },
      ],
    ]
    test.each(stories)(
      '%s posts one card, whose picture everybody sees, and at most one reply',
      async (_, tell) => {
        for (let calls = 1; calls < 200; calls += 1) {
          const life = { left: calls, last }
          const it = await town([], [], { life })
          await tell(it)
          const isOver = life.left > 0
          life.left = Number.NEGATIVE_INFINITY
          await it.store.recoverSending()
          it.start()
          await letPass(it.clock, 15 * minuteMs)
          const { chat } = it
          const said = `${calls} calls`
          expect(
            chat.messages.filter(({ threadTs }) => threadTs === null),
            said,
          ).toHaveLength(1)
          expect(picture(chat), said).not.toBeNull()
          expect(unseen(chat), said).toBeNull()
          expect(replies(chat).length, said).toBeLessThanOrEqual(1)
          if (isOver) return
        }
        throw new Error('it never ended')
      },
    )
  },
)

/** A channel that takes no posts may still take updates, which prove nothing of posts. */
import { expect, test } from 'vitest'
import { movingTown } from '../../support/moving-town.ts'

test.each(['no_permission', 'restricted_action_read_only_channel'])(
  'a channel that refuses posts (%s) was no trouble any more once a card in it was updated',
  async (why) => {
    const it = await movingTown()
    const before = it.service.open({ hostname: 'db-0' })
    await it.pass(2)
    const { update } = it.chat
    // It is under way as the post is refused, and works.
    it.chat.update = async (...call) => {
      await it.clock.wait(5_000)
      return update(...call)
    }
    it.closed.set('C0DB', why)
    it.service.open({ hostname: 'db-1' })
    it.service.close(before)
    await it.pass(2)
    expect(
      it.chat.messages.filter(({ channel }) => channel === 'C0DB').map(({ view }) => view),
    ).toMatchObject([{ kind: 'alert', alert: { hostname: 'db-0', state: 'closed' } }])
    expect((await it.health())?.troubles).toMatchObject([
      { channel: 'C0DB', kind: 'channel_unavailable', why },
    ])
    it.closed.delete('C0DB')
    await it.pass(6)
    expect(it.seen()).toContain('C0DB alert db-1 open')
    expect((await it.health())?.troubles).toEqual([])
  },
)

/** The board: one message a channel that is kept up to date, that is pinned once, and that no alert ever waits for. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { boardCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openBoards } from '../../../src/bot/flow/outbox/board.ts'
import { openPins } from '../../../src/bot/flow/outbox/pins.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { aMute } from '../../support/acting-rows.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import type { Fate } from '../../support/forgetful-chat.ts'
import { startPart } from '../../support/start-part.ts'

const minuteMs = 60_000

async function world(
  channels: readonly string[],
  fateOf: (call: string, channel: string) => Fate = () => 'ok',
) {
  const { clock, store, logger, chat: slack } = await bareWorld(fateOf)
  const edits: { atMs: number; channel: string; kind: string }[] = []
  const refusals = { count: 0 }
  const chat = {
    ...slack,
    remove: async (at: Parameters<typeof slack.remove>[0]) => {
      refusals.count -= 1
      if (refusals.count >= 0) throw new OutsideFailure('rejected', 'Slack did not delete it: not_in_channel')
      return slack.remove(at)
    },
    update: (...[at, view]: Parameters<typeof slack.update>) => {
      edits.push({ atMs: clock.nowMs(), channel: at.channel, kind: view.kind })
      return slack.update(at, view)
    },
  }
  const { deliver, commit } = deliverTo(chat, store, clock)
  const ports = { store, chat, clock, logger, onChanged: () => deliver.wake() }
  const start = (wanted = channels) => startPart(openBoards(ports, { channels: wanted }))
  const boards = start()
  await letPass(clock, 0)
  return { clock, commit, edits, slack, boards, start, refusals }
}

function boardsIn({ slack }: Awaited<ReturnType<typeof world>>) {
  return slack.messages.flatMap(({ view }) => (view.kind === 'board' ? [view] : []))
}

test('every channel gets a board, one, also after a restart', async () => {
  const town = await world(['C1', 'C2'])
  await letPass(town.clock, minuteMs)
  await town.boards.stop()
  town.start()
  await letPass(town.clock, 5 * minuteMs)
  expect(town.slack.messages.map(({ key }) => key).sort()).toEqual(['board:C1', 'board:C2'])
})

test('where the policy wants none there is none', async () => {
  const town = await world([])
  await letPass(town.clock, 5 * minuteMs)
  expect(town.slack.messages).toEqual([])
})

test('an old board is deleted where there is to be none any more, and the others stay', async () => {
  const town = await world(['C1', 'C2'])
  await letPass(town.clock, minuteMs)
  await town.boards.stop()
  const off = town.start(['C2'])
  await letPass(town.clock, 3 * minuteMs)
  expect(town.slack.messages.map(({ key }) => key)).toEqual(['board:C2'])
  await town.commit(opening([anAlert('1')], 'C2', town.clock.nowMs()))
  await letPass(town.clock, 3 * minuteMs)
  expect(boardsIn(town)).toHaveLength(1)
  await off.stop()
  town.start(['C1', 'C2'])
  await letPass(town.clock, 3 * minuteMs)
  expect(boardsIn(town)).toHaveLength(2)
})

test('an old board that Slack does not let be deleted is tried again, and edited no more', async () => {
  const town = await world(['C1'])
  await letPass(town.clock, minuteMs)
  await town.boards.stop()
  const remove = town.refusals
  remove.count = 2
  town.start([])
  await letPass(town.clock, 2 * minuteMs)
  const edits = town.edits.length
  await town.commit({ ...opening([anAlert('1')], 'C1', town.clock.nowMs()), cards: [] })
  await letPass(town.clock, 30 * minuteMs)
  expect(boardsIn(town)).toHaveLength(1)
  expect(town.edits).toHaveLength(edits)
  await letPass(town.clock, 3 * 60 * minuteMs)
  expect(boardsIn(town)).toEqual([])
})

test('it shows what is open and how the bot is, and its last good poll grows no older than a minute or so', async () => {
  const town = await world(['C1'])
  await town.commit(opening([anAlert('1')], 'C1', town.clock.nowMs()))
  await letPass(town.clock, 30 * minuteMs)
  const [board, ...none] = boardsIn(town)
  expect(none).toEqual([])
  expect(board).toMatchObject({ open: [{ alertId: '1' }], health: { failing: null } })
  expect(town.clock.nowMs() - (board?.health.lastPollMs ?? 0)).toBeLessThanOrEqual(70_000)
})

test('a board said for ten seconds that nothing is open, above a red card', async () => {
  const town = await world(['C1'])
  await letPass(town.clock, minuteMs)
  // It was freshened this very second, and rests.
  expect(boardsIn(town)).toMatchObject([{ open: [] }])
  await town.commit(opening([anAlert('1')], 'C1', town.clock.nowMs()))
  await letPass(town.clock, 1_000)
  expect(boardsIn(town)).toMatchObject([{ open: [{ alertId: '1' }] }])
})

test('a storm of changes edits it at most six times a minute, and what came last is shown in the end', async () => {
  const town = await world(['C1'])
  const alerts = Array.from({ length: 120 }, (_, n) => anAlert(String(n)))
  for (const alert of alerts) {
    // No cards of their own, so that the board alone is edited.
    await town.commit({ ...opening([alert], 'C1', town.clock.nowMs()), cards: [] })
    await letPass(town.clock, 1_000)
  }
  await letPass(town.clock, 15_000)
  const times = town.edits.map(({ atMs }) => atMs)
  expect(times.length).toBeGreaterThan(8)
  const most = Math.max(...times.map((atMs) => times.filter((t) => t >= atMs && t < atMs + minuteMs).length))
  expect(most).toBeLessThanOrEqual(6)
  const [board] = boardsIn(town)
  expect(board?.open).toHaveLength(120)
})

test('boards leave the cards of alerts half of the calls, whatever the channels', async () => {
  const channels = Array.from({ length: 30 }, (_, n) => `C${n}`)
  const town = await world(channels)
  await letPass(town.clock, 5 * minuteMs)
  const alerts = Array.from({ length: 5 }, (_, n) => anAlert(String(n)))
  await town.commit(opening(alerts, 'C1', town.clock.nowMs()))
  await letPass(town.clock, 20_000)
  const nowMs = town.clock.nowMs()
  for (const alert of alerts) await town.commit(closing(alert, nowMs))
  await letPass(town.clock, 1)
  const first = town.edits.filter(({ atMs }) => atMs === nowMs).map(({ kind }) => kind)
  expect(first.filter((kind) => kind === 'alert')).toHaveLength(5)
})

test('one that somebody deleted comes back', async () => {
  const town = await world(['C1'])
  town.slack.messages.splice(0)
  await letPass(town.clock, 3 * minuteMs)
  expect(boardsIn(town)).toHaveLength(1)
})

test('a board showed a mute of the account minutes late, after two hundred cards', async () => {
  const { clock, store, chat } = await bareWorld()
  const alerts = Array.from({ length: 200 }, (_, n) => anAlert(String(n)))
  await store.commit(opening(alerts, 'C1', clock.nowMs()))
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C1')] })
  const { commit } = deliverTo(chat, store, clock)
  await letPass(clock, 10 * minuteMs)
  const mute = aMute('account', { subject: null })
  const mutes = [{ mute, was: null }]
  await commit({ ...emptyPlan(clock.nowMs()), mutes, dirtySubjects: [null] })
  await letPass(clock, minuteMs)
  const board = chat.messages.find(({ key }) => key === 'board:C1')
  expect(board?.view).toMatchObject({ mutes: [{ muteId: 'account' }] })
})

test('a board that may not be edited any more was frozen for ever', async () => {
  const posts: number[] = []
  const { clock, store, chat: slack } = await bareWorld()
  const chat: Chat = {
    ...slack,
    post: (to, view) => {
      posts.push(clock.nowMs())
      return slack.post(to, view)
    },
    update: async () => ({ kind: 'frozen', why: 'edit_window_closed' }),
  }
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C1')] })
  const { commit } = deliverTo(chat, store, clock)
  for (let minute = 0; minute < 150; minute += 1) {
    await commit({ ...emptyPlan(clock.nowMs()), dirtyCards: ['board:C1'] })
    await letPass(clock, minuteMs)
  }
  expect(posts.map((atMs) => Math.round((atMs - (posts[0] ?? 0)) / minuteMs))).toEqual([0, 60, 120])
})

const hourMs = 60 * 60_000

async function pinWorld(failures: OutsideFailure[] = []) {
  const { clock, store, logger } = await bareWorld()
  const calls: string[] = []
  const call = (name: string) => async (at: { ts: string }) => {
    calls.push(`${name} ${at.ts}`)
    const failure = failures.shift()
    if (failure !== undefined) throw failure
  }
  const chat = { pin: call('pin'), unpin: call('unpin') }
  const start = () => startPart(openPins({ store, chat, clock, logger }, { channels: ['C1'] }))
  const card = boardCard('C1')
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [card] })
  const show = (ts: string) => store.settle(card.cardId, { state: 'shown', ts })
  return { clock, store, logger, calls, start, show }
}

const refused = (code: string, kind: 'forbidden' | 'unreachable' = 'forbidden') =>
  new OutsideFailure(kind, `Slack did not pin a message: ${code}`, { code })

test('a board is pinned once it is shown, and never again, whoever takes the pin away and whatever restarts', async () => {
  const town = await pinWorld()
  const pins = town.start()
  await letPass(town.clock, 0)
  expect(town.calls).toEqual([])
  await town.show('1.1')
  pins.wake()
  await letPass(town.clock, hourMs)
  await pins.stop()
  town.start()
  await letPass(town.clock, hourMs)
  expect(town.calls).toEqual(['pin 1.1'])
})

test('a board in a new message is pinned there, and the old pin goes first', async () => {
  const town = await pinWorld()
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 0)
  await town.show('2.2')
  pins.wake()
  await letPass(town.clock, 0)
  expect(town.calls).toEqual(['pin 1.1', 'unpin 1.1', 'pin 2.2'])
})

test('without the scope it is tried once a start, logged once, and said in the status', async () => {
  const town = await pinWorld([refused('missing_scope')])
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 24 * hourMs)
  expect(town.calls).toEqual(['pin 1.1'])
  expect(town.logger.events().filter((event) => event === 'board:not_pinned')).toHaveLength(1)
  expect(pins.unpinned()).toEqual([{ channel: 'C1', why: 'missing_scope' }])
  // The app was installed again with it.
  await pins.stop()
  const next = town.start()
  await letPass(town.clock, hourMs)
  expect(town.calls).toEqual(['pin 1.1', 'pin 1.1'])
  expect(next.unpinned()).toEqual([])
})

test('where Slack is away it is tried again, a few times', async () => {
  const town = await pinWorld(Array.from({ length: 9 }, () => refused('no_answer', 'unreachable')))
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 24 * hourMs)
  expect(town.calls).toHaveLength(5)
  expect(pins.unpinned()).toEqual([{ channel: 'C1', why: 'no_answer' }])
})

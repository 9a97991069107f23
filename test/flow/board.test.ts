/** The board: one message a channel that is kept up to date, and that no alert ever waits for. */
import { afterEach, expect, test } from 'vitest'
import { type Boards, startBoards } from '../../src/flow/board.ts'
import type { Deliver } from '../../src/flow/deliver.ts'
import { anAlert, closing, deliverTo, letPass, memoryStore, opening } from '../support/delivery-world.ts'
import { type Fate, forgetfulChat } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'

const minuteMs = 60_000

const started: (Boards | Deliver)[] = []
afterEach(async () => {
  for (const part of started.splice(0)) await part.stop()
})

async function world(
  channels: readonly string[],
  fateOf: (call: string, channel: string) => Fate = () => 'ok',
) {
  const clock = manualClock()
  const store = await memoryStore()
  const edits: { atMs: number; channel: string; kind: string }[] = []
  const slack = forgetfulChat({ nowMs: clock.nowMs, fateOf })
  const chat = {
    ...slack,
    update: (...[at, view]: Parameters<typeof slack.update>) => {
      edits.push({ atMs: clock.nowMs(), channel: at.channel, kind: view.kind })
      return slack.update(at, view)
    },
  }
  const { deliver } = deliverTo(chat, store, clock)
  const start = () => {
    const boards = startBoards(
      { store, clock, journal: keptJournal(), onChanged: () => deliver.wake() },
      { channels },
    )
    started.push(boards)
    return boards
  }
  started.push(deliver)
  const boards = start()
  await letPass(clock, 0)
  return { clock, store, edits, slack, deliver, boards, start }
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

test('it shows what is open and how the bot is, and its last good poll grows no older than a minute or so', async () => {
  const town = await world(['C1'])
  await town.store.commit(opening([anAlert('1')], 'C1', town.clock.nowMs()))
  town.deliver.wake()
  await letPass(town.clock, 30 * minuteMs)
  const [board, ...none] = boardsIn(town)
  expect(none).toEqual([])
  expect(board).toMatchObject({ open: [{ alertId: '1' }], health: { failing: null } })
  expect(town.clock.nowMs() - (board?.health.lastPollMs ?? 0)).toBeLessThanOrEqual(70_000)
})

test('a storm of changes edits it at most six times a minute, and what came last is shown in the end', async () => {
  const town = await world(['C1'])
  const alerts = Array.from({ length: 120 }, (_, n) => anAlert(String(n)))
  for (const alert of alerts) {
    // No cards of their own, so that the board alone is edited.
    await town.store.commit({ ...opening([alert], 'C1', town.clock.nowMs()), cards: [] })
    town.deliver.wake()
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
  await town.store.commit(opening(alerts, 'C1', town.clock.nowMs()))
  town.deliver.wake()
  await letPass(town.clock, 20_000)
  const nowMs = town.clock.nowMs()
  for (const alert of alerts) await town.store.commit(closing(alert, nowMs))
  town.deliver.wake()
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

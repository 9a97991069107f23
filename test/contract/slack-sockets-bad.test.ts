/** Sockets that come to nothing or die in silence: people are answered on the other one, and soon there are two again. */
import { expect, onTestFinished, test } from 'vitest'
import type { SocketFault } from '../../src/workspace/delivery/sockets.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { inboundTown } from '../support/inbound.ts'
import { jumpingClock } from '../support/jumping-clock.ts'
import { patienceMs } from '../support/patience.ts'

const typed = { user: 'ana', channel: '#alerts', command: '/mon', text: 'status' } as const
const soon = { timeout: patienceMs, interval: 20 }
/** How long a hello, and the pause after a failure, are waited for. */
const pauseMs = 25_000
/** Between two jumps of the clock: what the last one began is answered by then, also where the machine does much else. */
const jumping = { timeout: patienceMs, interval: 400 }

async function withTwo(over: { readonly pongMs?: number } = {}) {
  const clock = jumpingClock()
  const workspace = { seed: 7, pingMs: 1_000 }
  const town = await inboundTown({ clock, secondSocketAfterMs: 50, workspace, ...over })
  const sockets = () => [town.slack.connection().sockets, town.workspace.sockets()]
  await expect.poll(sockets, soon).toEqual([2, 2])
  const asks = async (times: number) => {
    const before = town.requests.length
    for (let count = 0; count < times; count += 1)
      expect(await town.workspace.acts.command(typed)).toEqual({ ok: true })
    expect(town.requests).toHaveLength(before + times)
  }
  /** While the clock jumps again and again. */
  const bothAgain = async () => {
    await expect
      .poll(() => {
        clock.jump(pauseMs)
        return town.slack.connection().sockets
      }, jumping)
      .toBe(2)
    await expect.poll(sockets, soon).toEqual([2, 2])
  }
  return { ...town, clock, sockets, asks, bothAgain }
}

test.each<SocketFault['kind']>(['no_hello', 'hang_upgrade', 'refuse_upgrade'])(
  'the next socket meets %s: commands go over the other one, and the third one works',
  async (kind) => {
    const { workspace, slack, clock, sockets, asks, logger } = await withTwo()
    const met = new Promise<void>((resolve) => {
      workspace.events.listen(({ event }) => {
        if (event.type === 'fault_used') resolve()
      })
    })
    await workspace.acts.socketFault({ kind, times: 1 })
    await workspace.acts.cut({ which: 'one' })
    await expect.poll(() => slack.connection().sockets, soon).toBe(1)
    await asks(5)
    await met
    expect(sockets()).toEqual([1, 1])
    await expect
      .poll(() => {
        clock.jump(pauseMs)
        return logger.events().includes('socket:failed')
      }, jumping)
      .toBe(true)
    await asks(5)
    await expect.poll(sockets, soon).toEqual([2, 2])
    expect(slack.connection().ready).toBe(true)
  },
)

test('none says hello any more: not ready, asked ever more slowly, and ready by itself when it is over', async () => {
  const { workspace, slack, clock, bothAgain, asks, logger } = await withTwo()
  await workspace.acts.socketFault({ kind: 'no_hello', times: null })
  await workspace.acts.cut({ which: 'all' })
  await expect.poll(() => slack.connection().ready, soon).toBe(false)
  expect(await workspace.acts.command(typed)).toMatchObject({ error: 'dispatch_failed' })
  const failures = () => logger.entries.filter(({ event }) => event === 'socket:failed').length
  await expect
    .poll(() => {
      clock.jump(pauseMs)
      return failures()
    }, jumping)
    .toBeGreaterThanOrEqual(4)
  await workspace.acts.clearFaults({})
  await bothAgain()
  await asks(5)
})

test('one of ten too many is told so: it does not hammer, and comes in when there is room', async () => {
  const { workspace, slack, clock, bothAgain, logger } = await withTwo()
  const others = await Promise.all(Array.from({ length: 8 }, () => stranger(workspace)))
  expect(workspace.sockets()).toBe(10)
  await workspace.acts.disconnect({ reason: 'too_many_websockets', which: 'all' })
  await expect.poll(() => workspace.sockets()).toBe(0)
  const more = await Promise.all(Array.from({ length: 10 }, () => stranger(workspace)))
  await expect.poll(() => workspace.sockets(), soon).toBe(10)
  await expect.poll(() => slack.connection(), soon).toMatchObject({ ready: false, sockets: 0 })
  const failures = () => logger.entries.filter(({ event }) => event === 'socket:failed').length
  const beganMs = clock.nowMs()
  await expect
    .poll(() => {
      clock.jump(200)
      return failures()
    }, soon)
    .toBeGreaterThanOrEqual(10)
  // Five of each socket: with pauses of 1, 2, 4 and 8 s between them.
  expect(clock.nowMs() - beganMs).toBeGreaterThan(14_000)
  for (const other of [...others, ...more]) other.close()
  await bothAgain()
})

test('a socket on which nobody answers pings any more is given up, and opened again', async () => {
  const { workspace, slack, sockets, asks, logger } = await withTwo({ pongMs: 3_000 })
  await workspace.acts.socketFault({ kind: 'pong_loss', times: 0 })
  await expect.poll(() => logger.events().includes('socket:lost'), { timeout: patienceMs }).toBe(true)
  await workspace.acts.clearFaults({})
  await expect.poll(sockets, { timeout: patienceMs }).toEqual([2, 2])
  expect(slack.connection().ready).toBe(true)
  await asks(5)
})

/** A socket of some other process with the same token. */
async function stranger(workspace: Workspace): Promise<WebSocket> {
  const answer = await fetch(`${workspace.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.appToken}` },
  })
  const { url } = (await answer.json()) as { url: string }
  const socket = new WebSocket(url)
  onTestFinished(() => socket.close())
  await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
  return socket
}

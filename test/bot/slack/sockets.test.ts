/** Two sockets of Socket Mode: one serves while the other is opened anew, whatever happens to them. */
import type { App } from '@slack/bolt'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openSockets } from '../../../src/bot/slack/lines.ts'
import type { WorkspaceOptions } from '../../support/slack.ts'
import { alerts, openEdge, until } from './edge.ts'

async function openLine(options: WorkspaceOptions = {}) {
  const edge = await openEdge(options)
  const { workspace, clock } = edge
  const said: string[] = []
  const reach = { ...edge.reach, log: { ...silentLog, info: (event: string) => void said.push(event) } }
  const line = openSockets({ appToken: new Secret(workspace.appToken), reach, clock })
  const heard: string[] = []
  const app = {
    async processEvent({ body, ack }: { body: { text: string }; ack: () => Promise<void> }) {
      heard.push(body.text)
      await ack()
    },
  }
  line.receiver.init(app as unknown as App)
  onTestFinished(async () => void (await line.receiver.stop()))
  const command = (name: string) =>
    workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: name })
  /** Time passes until so many are open. */
  const sockets = (count: number) =>
    until(`${count} sockets`, () => {
      void clock.runFor(1_000)
      return line.connection().sockets === count && workspace.sockets() >= count
    })
  return { ...edge, line, said, heard, command, sockets }
}

test('the second socket is opened half a minute after the first, and both serve', async () => {
  const { line, clock, workspace, heard, command, sockets } = await openLine()
  expect(line.connection()).toMatchObject({ isReady: false, sockets: 0 })
  await line.receiver.start()
  expect(line.connection()).toMatchObject({ isReady: true, sinceMs: clock.nowMs(), sockets: 1 })
  await sockets(2)
  expect(clock.steadyMs()).toBeGreaterThanOrEqual(30_000)
  for (const name of ['/a', '/b', '/c', '/d']) expect(await command(name)).toEqual({ ok: true })
  expect(heard).toEqual(['/a', '/b', '/c', '/d'])
  expect(workspace.sockets()).toBe(2)
})

test.each(['refresh_requested', 'warning', 'link_disabled'] as const)(
  'a socket that Slack closes (%s) is opened anew while the other one serves',
  async (reason) => {
    const { workspace, line, said, command, sockets } = await openLine()
    await line.receiver.start()
    await sockets(2)
    const { sinceMs } = line.connection()
    await workspace.acts.disconnect({ reason, which: 'one' })
    // After a warning it is offered requests until it is closed.
    await until('its end', () => said.includes('socket:closed'))
    expect(await command('/a')).toEqual({ ok: true })
    await sockets(2)
    expect(line.connection()).toMatchObject({ isReady: true, sinceMs })
  },
)

test('sockets that are cut are opened anew', async () => {
  const { workspace, line, heard, command, sockets } = await openLine()
  await line.receiver.start()
  await workspace.acts.cut()
  await until('the loss', () => !line.connection().isReady || workspace.sockets() > 0)
  await sockets(2)
  expect(await command('/a')).toEqual({ ok: true })
  expect(heard).toEqual(['/a'])
})

test.each(['no_hello', 'refuse_upgrade', 'hang_upgrade'] as const)(
  'a socket that never comes about (%s) does not hold up the start, and another one follows',
  async (kind) => {
    const { workspace, clock, line, sockets } = await openLine()
    await workspace.acts.socketFault({ kind })
    const started = line.receiver.start()
    await until('the first failure', () => {
      void clock.runFor(1_000)
      return line.connection().why !== null || line.connection().sockets > 0
    })
    await started
    await sockets(2)
    expect(line.connection().why).toBeNull()
  },
)

test('a refused app token is named, and tried again once it is taken', async () => {
  const { workspace, line, sockets } = await openLine()
  await workspace.acts.revoke({ token: 'app' })
  await line.receiver.start()
  expect(line.connection()).toMatchObject({ isReady: false, why: 'token_revoked' })
  await workspace.acts.revoke({ token: 'app', revoked: false })
  await sockets(2)
})

async function openTwo() {
  const one = await openLine()
  await one.line.receiver.start()
  const { workspace, clock, reach } = one
  const other = openSockets({ appToken: new Secret(workspace.appToken), reach, clock })
  onTestFinished(async () => void (await other.receiver.stop()))
  await other.receiver.start()
  const strangers = (are: boolean) =>
    until(`strangers: ${are}`, () => {
      void clock.runFor(1_000)
      return other.connection().strangers > 0 === are
    })
  return { one: one.line, other, clock, strangers }
}

test('sockets of another bot that uses the same app are noticed within minutes, and so is their end', async () => {
  const { one, strangers } = await openTwo()
  expect(await strangers(true)).toBe(true)
  await one.receiver.stop()
  expect(await strangers(false)).toBe(true)
})

test('sockets that a frozen bot left behind for a moment are no other bot', async () => {
  const { one, other, clock } = await openTwo()
  expect(other.connection().strangers).toBe(0)
  await one.receiver.stop()
  const untilMs = clock.steadyMs() + 15 * 60_000
  await until('a quarter of an hour', () => {
    void clock.runFor(1_000)
    expect(other.connection().strangers).toBe(0)
    return clock.steadyMs() > untilMs
  })
})

test('a stop closes all of them, and none comes back', async () => {
  const { workspace, clock, line, sockets } = await openLine()
  await line.receiver.start()
  await sockets(2)
  await line.receiver.stop()
  await clock.runFor(120_000)
  await until('their end', () => workspace.sockets() === 0)
  expect(line.connection()).toMatchObject({ isReady: false, sockets: 0 })
})

test('a stop waits three seconds for a socket whose other end never closes', async () => {
  const { workspace, clock, line } = await openLine()
  await line.receiver.start()
  await workspace.acts.socketFault({ kind: 'never_close', times: null })
  const stopped = line.receiver.stop()
  await clock.runFor(2_900)
  expect(line.connection().sockets).toBe(1)
  await clock.runFor(100)
  expect(line.connection().sockets).toBe(0)
  await stopped
})

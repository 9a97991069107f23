/** Whoever may not act any more changes nothing outside, and says of each call for certain that it was not made. */
import { expect, test } from 'vitest'
import { mayHaveBeenDone, OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { fencedChat, fencedHeartbeat, fencedMonitor } from '../../../src/bot/flow/fence.ts'
import { alone } from '../../../src/bot/flow/ports/leadership.ts'
import type { Chat, Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { forgetfulChat } from '../../support/forgetful-chat.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

/** Notes each call that came through. */
function heard<Port extends object>() {
  const calls: string[] = []
  const answer = async (name: string) => {
    calls.push(name)
    return name === 'post' || name === 'update' ? { kind: 'shown', ts: '1.1' } : 'done'
  }
  const names = [
    ...['post', 'update', 'find', 'remove', 'pin', 'unpin', 'upload', 'publishHome', 'probe', 'isShared'],
    ...['permalink', 'setServerNotifications', 'setAccountNotifications', 'endMute', 'muteAlert', 'send'],
    ...['setNoDataGroup', 'addRoles', 'addMarker', 'deleteServer', 'deleteCustomMetrics'],
    ...['alerts', 'triggers', 'roles', 'metrics', 'silences', 'previewMute'],
  ]
  const port = Object.fromEntries(names.map((name) => [name, () => answer(name)])) as Port
  return { calls, port }
}

const reads = ['probe', 'isShared', 'permalink', 'alerts', 'triggers', 'roles', 'metrics', 'silences']
const all = (port: object) => Object.entries(port) as [string, () => Promise<unknown>][]

test('while it is not trusted only reads pass, and what was not done can not have been done', async () => {
  let isTrusted = true
  const { calls, port } = heard<Chat & Monitor & { send(): Promise<void> }>()
  const leadership = { ...alone, isTrusted: () => isTrusted }
  const fenced = {
    ...fencedMonitor<Monitor>(port, leadership),
    send: fencedHeartbeat(port, leadership).send,
  }
  const { post, update, find, remove, pin, unpin, upload, publishHome } = fencedChat(port, leadership)
  const chat = { post, update, find, remove, pin, unpin, upload, publishHome }
  for (const [, call] of all({ ...fenced, ...chat })) await call()
  expect(new Set(calls)).toEqual(new Set(Object.keys(port)))
  isTrusted = false
  calls.length = 0
  for (const [name, call] of all({ ...fenced, ...chat })) {
    const came = await call().catch((error: unknown) => error)
    if (name === 'post' || name === 'update') expect(came).toMatchObject({ kind: 'later' })
    else if (came instanceof OutsideFailure) expect(mayHaveBeenDone(came)).toBe(false)
  }
  expect(calls.sort()).toEqual([...reads, 'previewMute'].sort())
})

test('a card whose post is not trusted any more waits unsent, and is posted once it is', async () => {
  let isTrusted = false
  const clock = manualClock()
  const slack = forgetfulChat({ nowMs: clock.nowMs })
  const store = await memoryStore()
  const chat = fencedChat(slack, { ...alone, isTrusted: () => isTrusted })
  const { commit } = deliverTo(chat, store, clock)
  await commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await letPass(clock, 10_000)
  expect(slack.postTimes).toEqual([])
  expect((await store.countCards()).byState).toEqual(new Map([['wanted', 1]]))
  isTrusted = true
  await letPass(clock, 60_000)
  expect(slack.messages.map(({ key }) => key)).toEqual(['alert:1:C1'])
})

/** Which messages a change may show in, beside what the random nights hold. */
import { expect, test } from 'vitest'
import { World } from '../../../src/bot/world/world.ts'
import { alertOf, muteOf, postOf } from '../worlds/builders.ts'

test.each([
  ['opens', {}],
  ['is over before it is seen', { closedMs: 1, closedBy: 'end' }],
])('the message of a mute counts an alert of its server that %s', (_, over) => {
  const world = new World()
  world.put('mutes', muteOf({ id: 'm', subject: 'server:web-1', act: 'a' }))
  world.put('posts', postOf({ id: 'said', kind: 'said', data: { act: 'a' } }))
  world.dirty.clear()
  world.put('alerts', alertOf({ host: 'web-1', ...over }))
  expect([...world.dirty]).toEqual(['said'])
})

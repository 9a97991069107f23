import type { Monitor } from '../../../src/next/api/port.ts'
import { isHidden } from '../../../src/next/decide/hidden.ts'
import { routeOf } from '../../../src/next/decide/matching.ts'
import type { Scene } from '../../../src/next/view/scene.ts'
import type { Alert } from '../../../src/next/world/types.ts'
import { alertOf, postOf } from './builders.ts'

export async function poll(monitor: Monitor, scene: () => Scene): Promise<void> {
  const start = await monitor.sweep('start', [])
  const head = await monitor.head([])
  const { world, nowMs } = scene()
  world.decide(() => {
    for (const one of start.alerts) {
      const id = world.latest.get(one.key)
      const there = world.alerts.get(id ?? '')
      if (there === undefined)
        world.put('alerts', alertOf({ ...one, id: one.key, firstSeenMs: nowMs, key: one.key }))
      else if (there.closedMs === null) world.patch('alerts', there.id, { value: one.value })
    }
    for (const alert of world.open.values()) {
      if (start.alerts.some((one) => one.key === alert.key)) continue
      void head
      world.patch('alerts', alert.id, { closedMs: nowMs, closedBy: 'end' })
    }
    world.setFact('polled', { atMs: nowMs, unreadable: 0, ignored: 0 })
  })
}

export function announce(scene: Scene): void {
  const { world, nowMs, policy, defaultChannel } = scene
  world.decide(() => {
    for (const mute of world.activeMutes.values())
      if (mute.untilMs !== null && mute.untilMs <= nowMs)
        world.patch('mutes', mute.id, { ended: { atMs: nowMs, by: 'time' } })
    const shut = world.fact('shut') ?? {}
    for (const alert of world.open.values()) {
      if (isHidden(world, alert, nowMs)) continue
      const target = routeOf(policy, alert, [], defaultChannel).channel
      const channel = Object.hasOwn(shut, target) ? defaultChannel : target
      const there = world
        .postsAbout(alert.id)
        .filter((post) => post.kind === 'alert' && post.state !== 'dead')
      if (there.some((post) => post.forChannel === target && !Object.hasOwn(shut, post.channel))) continue
      if (
        there.length > 0 &&
        there.some((post) => post.channel === channel || !Object.hasOwn(shut, post.channel))
      )
        continue
      put(scene, alert, channel, target)
    }
    for (const post of world.posts.values()) {
      if (
        post.state === 'new' &&
        post.sentMs === null &&
        post.channel !== defaultChannel &&
        Object.hasOwn(shut, post.channel)
      )
        world.remove('posts', post.id, 'gone')
    }
  })
}

function put({ world, nowMs }: Scene, alert: Alert, channel: string, forChannel: string): void {
  let id = `alert:${alert.id}:${channel}`
  while (world.posts.has(id)) id += '+'
  world.put(
    'posts',
    postOf({
      id,
      channel,
      forChannel,
      isLoud: true,
      createdMs: nowMs,
      dueMs: nowMs,
      shows: [{ alert: alert.id, isQuiet: false, atMs: nowMs }],
    }),
  )
}

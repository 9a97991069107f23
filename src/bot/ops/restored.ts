/** What a start makes of a database that was brought back from a backup. */
import { want } from '../decide/new-post.ts'
import { doubt } from '../loops/settle.ts'
import { tellAnew } from '../loops/switches.ts'
import type { World } from '../world/world.ts'

/**
 * What a start does first on a backup that was brought back, and only then: it ends every mute, tells the monitoring to notify of
 * everything that it knows, looks for what may have been posted since, and lists quietly what is open now. A Postgres that was brought
 * back by its own tools has the mark where a person wrote it (docs/operating.md).
 */
export function afterRestore(world: World, nowMs: number, channel: string | null): boolean {
  if (world.fact('restored') === undefined) return false
  world.decide(() => {
    const switches = [
      'account',
      ...[...hostsOf(world)].map((host) => `server:${host}`),
      ...world.switches.keys(),
    ]
    for (const { id } of [...world.activeMutes.values()])
      world.patch('mutes', id, { ended: { atMs: nowMs, by: 'restore' } })
    for (const id of new Set(switches)) tellAnew({ world, nowMs }, id)
    for (const post of world.posts.values()) {
      if (post.state === 'new') doubt(world, post, nowMs)
      // It may have been edited since.
      else if (post.state === 'live' && !post.isShownClosed)
        world.patch('posts', post.id, { shownHash: null })
    }
    // Without it the next poll is a first one: a quiet list, which calls nobody.
    world.remove('facts', 'polled', 'gone')
    world.remove('facts', 'restored', 'gone')
    const id = world.nextId(nowMs)
    const text = 'every mute has ended, and what people did since that backup is gone'
    const act = { id, atMs: nowMs, by: 'monbot', kind: 'restore', subject: 'the database' } as const
    world.put('acts', { ...act, outcome: 'done', data: { text } })
    if (channel !== null)
      want(world, nowMs, {
        id: `said:${id}:${channel}`,
        kind: 'said',
        channel,
        data: { act: id },
        isLoud: true,
      })
  })
  return true
}

/** Every server that it has heard of. */
function hostsOf(world: World): Set<string> {
  const listed = Object.values(world.fact('roles')?.servers ?? {}).flat()
  const muted = [...world.mutes.values()].flatMap(({ subject }) => subject.match(/^server:(.*)$/)?.[1] ?? [])
  return new Set([...[...world.alerts.values()].map(({ host }) => host), ...listed, ...muted])
}

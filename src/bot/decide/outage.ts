/** An outage of the monitoring is told aloud in every channel, and its messages say so when it is over. */
import { minute } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import { channelsOf, isShut } from './channels.ts'
import { isUnsent, want } from './new-post.ts'
import { note } from './noted.ts'

/** So many polls in a row that failed are an outage; a refused key counts as so many. */
export const outageAfter = 3

/** Longer without a poll, and nobody knows when it was over. */
const measuredWithinMs = 5 * minute

export function tellOutage(scene: Scene): void {
  const { world, policy, nowMs, defaultChannel } = scene
  const failing = world.fact('failing') ?? null
  if (failing === null || failing.count < outageAfter) return
  if (failing.toldMs === null) {
    world.setFact('failing', { ...failing, toldMs: nowMs })
    note(scene, { kind: 'outage', subject: 'the monitoring', data: { why: failing.why } })
  }
  const { sinceMs } = failing
  for (const channel of channelsOf(policy, defaultChannel)) {
    if (isShut(world, channel)) continue
    const id = `outage:${sinceMs}:${channel}`
    want(world, nowMs, { id, kind: 'outage', channel, isLoud: true, data: { sinceMs, untilMs: null } })
  }
}

/** The monitoring can be read again: in one stretch with what it listed, so that the message counts right. */
export function endOutage({ world, nowMs }: Scene): void {
  const failing = world.fact('failing') ?? null
  if (failing === null) return
  world.setFact('failing', null)
  const isUnmeasured = nowMs - (failing.lastMs ?? failing.sinceMs) > measuredWithinMs
  for (const post of world.posts.values()) {
    if (post.kind !== 'outage' || (post.data.untilMs ?? null) !== null) continue
    const data = { ...post.data, untilMs: nowMs, ...(isUnmeasured && { isUnmeasured }) }
    if (isUnsent(post)) world.remove('posts', post.id, 'gone')
    else world.patch('posts', post.id, { data, urgency: 2 })
  }
}

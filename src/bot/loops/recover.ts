/**
 * What a start does before its loops: whatever was under way when the process before ended is in doubt, and what Slack shows is
 * compared once. Calls that were made stay made.
 */
import { hour, minute } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import type { Post } from '../world/types.ts'
import { doubt, isAllClosed } from './settle.ts'
import { repeatsFrom } from './switches.ts'

/** What closed longer ago is not rendered anew. */
const renderedForMs = hour
const repeatAfterMs = minute

export function recover(scene: Scene): void {
  const { world, nowMs } = scene
  world.decide(() => {
    for (const post of world.posts.values()) recoverPost(scene, post)
    for (const { id, does, state } of world.effects.values()) {
      if (state === 'asked') world.patch('effects', id, { state: 'unknown', dueMs: nowMs })
      if (state === 'unknown' && does === 'page') world.patch('effects', id, { dueMs: nowMs })
    }
    for (const { id, told } of world.switches.values()) {
      if (told === 'unknown')
        world.patch('switches', id, { telling: null, dueMs: nowMs, repeatsMs: repeatsFrom(nowMs) })
    }
  })
  world.dirty.clear()
  compareAll(scene)
}

/** After a start or a change of the policy every message may show something else. */
export function compareAll(scene: Scene): void {
  const { world } = scene
  for (const post of world.posts.values()) if (isToBeCompared(scene, post)) world.dirty.add(post.id)
}

function recoverPost({ world, nowMs }: Scene, post: Post): void {
  if (post.state === 'sending') doubt(world, post, nowMs)
  // Its edit was under way, and may still come.
  if (post.state === 'live' && post.shownHash === null) {
    world.patch('posts', post.id, { repeatMs: nowMs + repeatAfterMs })
  }
}

/** A change of rendering must not edit two weeks of cards: what was shown closed is left as it is after an hour. */
function isToBeCompared({ world, nowMs }: Scene, post: Post): boolean {
  if (post.state !== 'live' || !post.isShownClosed || post.shownHash === null) return true
  if (post.recheckMs !== null || post.repeatMs !== null || !isAllClosed(world, post)) return true
  return post.shows.some(({ alert }) => nowMs - (world.alerts.get(alert)?.closedMs ?? 0) < renderedForMs)
}

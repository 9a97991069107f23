/** Where an alert stands: the one living message, single or list, on which people find it. */
import { minute } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { isShut, targetOf } from './channels.ts'
import { isUnsent } from './new-post.ts'

/** The pager and the reminders do not wait longer for Slack. */
const slackMayTakeMs = 2 * minute

export function isCard({ kind }: Post): boolean {
  return kind === 'alert' || kind === 'list'
}

/**
 * Its message in the channel where it is to be told now; or in another one that is readable, where it was told while that one was shut.
 */
export function standingPost(scene: Scene, alert: Alert): Post | null {
  const { world } = scene
  const ids = world.about.get(alert.id)
  if (ids === undefined) return null
  const target = targetOf(scene, alert)
  let elsewhere: Post | null = null
  for (const id of ids) {
    const post = world.posts.get(id)
    if (post === undefined || post.state === 'dead' || !isCard(post)) continue
    if (post.channel === target.channel) return post
    if (post.forChannel === target.forChannel && !isShut(world, post.channel)) elsewhere ??= post
  }
  return elsewhere
}

/** Since when people could know of what stands on it; null while they could not. */
export function heardMs(post: Post, nowMs: number): number | null {
  if (post.state === 'live') return post.sentMs ?? post.createdMs
  return nowMs >= post.createdMs + slackMayTakeMs ? post.createdMs : null
}

/** When it called people last, itself or by a reply; null for a quiet one. What is not sent yet will call. */
export function loudMs(world: World, post: Post, nowMs: number): number | null {
  const loud = [post, ...world.repliesTo(post.id)].filter(({ isLoud, state }) => isLoud && state !== 'dead')
  if (loud.length === 0) return null
  return Math.max(...loud.map((one) => (isUnsent(one) ? nowMs : (one.sentMs ?? one.createdMs))))
}

/** The message in a channel that tells an act. */
export function messageOf(world: World, act: string): Post | undefined {
  return world.postsTelling(act).find(({ kind, thread }) => kind === 'said' && thread === null)
}

/** Groups with more than `max` of a kind become one: nobody reads twenty messages of one moment. */
export function merged<T extends { readonly alerts: readonly Alert[] }>(groups: readonly T[], max: number) {
  const [first] = groups
  if (first === undefined || groups.length <= max) return groups
  return [{ ...first, alerts: groups.flatMap(({ alerts }) => alerts) }]
}

export function openOn(world: World, post: Post): Alert[] {
  return post.shows.flatMap(({ alert }) => world.open.get(alert) ?? [])
}

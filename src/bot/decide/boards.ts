/** A board in each channel where alerts are told, and when it is looked at anew: it counts more than one record. */
import { minute, second } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import type { World } from '../world/world.ts'
import { channelsOf } from './channels.ts'
import { want } from './new-post.ts'

/** A change is shown so soon; the time of the last poll, which is always another one, so soon. */
const changedMs = 10 * second
const sameMs = minute

type Shown = { readonly summary: string; readonly atMs: number }
const shownBy = new WeakMap<World, Shown>()

export function keepBoards(scene: Scene): void {
  const { world, policy, nowMs, defaultChannel } = scene
  // Before the first look at the monitoring there is nothing to say.
  const isBlind = world.fact('polled') === undefined && (world.fact('failing') ?? null) === null
  if (!policy.board || isBlind) return
  const channels = channelsOf(policy, defaultChannel)
  for (const channel of channels)
    want(world, nowMs, { id: `board:${channel}`, kind: 'board', channel, urgency: 5 })
  const shown = shownBy.get(world)
  const summary = summaryOf(world)
  const forMs = summary === shown?.summary ? sameMs : changedMs
  if (shown !== undefined && nowMs - shown.atMs < forMs) return
  shownBy.set(world, { summary, atMs: nowMs })
  for (const channel of channels) if (world.posts.has(`board:${channel}`)) world.dirty.add(`board:${channel}`)
}

/** What a board tells, in short: if it is the same, nothing but times changed. */
function summaryOf(world: World): string {
  let held = 0
  let rounds = 0
  for (const alert of world.open.values()) {
    if (alert.holder !== null) held += 1
    if (alert.round !== null) rounds += 1
  }
  const failing = world.fact('failing')?.sinceMs
  const shut = Object.keys(world.fact('shut') ?? {}).join()
  return [world.open.size, held, rounds, world.mutesVersion, failing, shut].join(' ')
}

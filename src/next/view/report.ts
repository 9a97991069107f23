/** The line at a change of shift, and the weekly report of the noisiest rules. */
import type { KnownBlock } from '@slack/types'
import type { Post } from '../world/types.ts'
import { section } from './blocks.ts'
import type { Scene } from './scene.ts'
import { date, people } from './words.ts'

export function shiftBlocks(post: Post, { world }: Scene): KnownBlock[] {
  const { atMs = post.createdMs } = post.data
  const shifts = world.fact('oncall')?.shifts ?? []
  const now = shifts.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
  const before = shifts.filter(
    ({ fromMs, untilMs }) => fromMs < atMs && atMs - 1 < untilMs && untilMs <= atMs,
  )
  const untilMs = Math.min(...now.map((shift) => shift.untilMs))
  const from = before.length === 0 ? '' : `, after ${people(before.map(({ person }) => person))}`
  if (now.length === 0) return [section(`📟 Nobody is on call from ${date(atMs)}${from}`)]
  const who = people(now.map(({ person }) => person))
  return [section(`📟 ${who} ${now.length === 1 ? 'is' : 'are'} on call until ${date(untilMs)}${from}`)]
}

export function reportBlocks(_post: Post, _scene: Scene): KnownBlock[] {
  return [section('Report')]
}

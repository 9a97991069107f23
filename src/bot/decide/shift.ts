/** A line in each channel when somebody else comes on call, once. */
import { hour } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import type { Shift } from '../world/facts.ts'
import { channelsOf, isShut } from './channels.ts'
import { want } from './new-post.ts'

/** A change is told late, but not when it is no news any more. */
const lateMaxMs = hour

export function tellShift({ world, policy, nowMs, defaultChannel }: Scene): void {
  const shifts = world.fact('oncall')?.shifts ?? []
  const begins = shifts.map(({ fromMs }) => fromMs).filter((ms) => ms <= nowMs && nowMs - ms < lateMaxMs)
  const atMs = Math.max(...begins)
  if (begins.length === 0 || peopleAt(shifts, atMs) === peopleAt(shifts, atMs - 1)) return
  for (const channel of channelsOf(policy, defaultChannel)) {
    if (isShut(world, channel)) continue
    want(world, nowMs, { id: `shift:${atMs}:${channel}`, kind: 'shift', channel, data: { atMs }, urgency: 3 })
  }
}

function peopleAt(shifts: readonly Shift[], ms: number): string {
  const now = shifts.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs)
  return [...new Set(now.map(({ person }) => person))].sort().join()
}

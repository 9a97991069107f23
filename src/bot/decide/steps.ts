/** Which steps of the reminders an alert has reached in its round, counted from when people could know of it. */
import type { ReminderStep } from '../config/policy.ts'
import type { Scene } from '../view/scene.ts'
import type { Alert, Post } from '../world/types.ts'
import { isMatch, rolesOf } from './matching.ts'
import { heardMs, standingPost } from './standing.ts'

export type Reached = {
  readonly alert: Alert
  readonly round: { readonly count: number; readonly fromMs: number }
  /** Where it stands: only that message reminds and pages. */
  readonly post: Post
  /** Steps of the policy by their place in it, the earliest first. */
  readonly steps: readonly { readonly at: number; readonly step: ReminderStep }[]
}

/** Alerts in a round that stand on a message and have reached a step. */
export function reachedIn(scene: Scene): Reached[] {
  const { world, policy, nowMs } = scene
  if (policy.reminders.length === 0) return []
  const found: Reached[] = []
  for (const alert of world.open.values()) {
    const { round, unlistedMs } = alert
    // Of what is no longer listed nobody knows whether it is over.
    if (round === null || unlistedMs !== null) continue
    const post = standingPost(scene, alert)
    const heard = post === null ? null : heardMs(post, nowMs)
    if (post === null || heard === null) continue
    const forMs = nowMs - Math.max(round.fromMs, heard)
    if (!policy.reminders.some(({ afterMs }) => afterMs <= forMs)) continue
    const roles = rolesOf(world, alert.host)
    const steps = policy.reminders
      .map((step, at) => ({ at, step }))
      .filter(
        ({ step }) => step.afterMs <= forMs && (step.match === null || isMatch(step.match, alert, roles)),
      )
    if (steps.length > 0) found.push({ alert, round, post, steps })
  }
  return found
}

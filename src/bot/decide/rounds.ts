/**
 * A round is a stretch in which nobody is on an alert though it is audible: open, not hidden, not ignored. It belongs to the alert;
 * reminders and pages take their ids from it. What came back onto its old card begins one once it is told aloud, and what was snoozed
 * once that is over.
 */
import type { Scene } from '../view/scene.ts'
import type { Alert } from '../world/types.ts'
import { apart } from './apart.ts'
import { isAudible } from './channels.ts'
import { note } from './noted.ts'
import { namedAlert } from './trouble.ts'

/** Who is on it from now on, null for nobody: that ends its round, and the snooze of before. */
export function heldBy(holder: string | null, nowMs: number, snooze: Alert['snooze'] = null) {
  return { holder, heldMs: holder === null ? null : nowMs, snooze, round: null }
}

export function keepRounds(scene: Scene): void {
  const { world } = scene
  for (const alert of world.open.values()) apart(world, `alert ${alert.id}`, () => keep(scene, alert))
}

function keep(scene: Scene, alert: Alert): void {
  const { world, nowMs } = scene
  const { id, rounds } = alert
  const canBeHeard = isAudible(scene, alert)
  // Of the quiet list of a first poll: whoever takes or mutes it has seen it.
  const isFirstPoll = alert.isFirstPoll && alert.holder === null && canBeHeard
  if (isFirstPoll !== alert.isFirstPoll) world.patch('alerts', id, { isFirstPoll })
  const hasSettled = isBack(scene, alert) && !isSettling(scene, alert)
  if (hasSettled && alert.holder !== null && (alert.heldMs ?? 0) < alert.firstSeenMs) {
    // Told aloud, it is everybody's again.
    world.patch('alerts', id, heldBy(null, nowMs))
  } else if (alert.holder !== null && alert.snooze && alert.snooze.untilMs <= nowMs) {
    world.patch('alerts', id, { holder: null, heldMs: null })
    note(scene, { kind: 'snooze_ended', subject: namedAlert(alert), alert: id, host: alert.host })
  }
  const holder = world.alerts.get(id)?.holder ?? null
  const isRound = canBeHeard && holder === null && !isFirstPoll && !isSettling(scene, alert)
  if (isRound && alert.round === null) {
    world.patch('alerts', id, { rounds: rounds + 1, round: { count: rounds + 1, fromMs: nowMs } })
  } else if (!isRound && alert.round !== null) world.patch('alerts', id, { round: null })
}

/** It came back onto its old card, and is to be told aloud if it stays. */
function isBack({ policy }: Scene, { reopened, rounds }: Alert): boolean {
  return policy.flapSettleMs !== null && reopened > 0 && rounds === 0
}

function isSettling(scene: Scene, alert: Alert): boolean {
  return isBack(scene, alert) && scene.nowMs - alert.firstSeenMs < (scene.policy.flapSettleMs ?? 0)
}

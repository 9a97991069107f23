/** Decides when an alert is escalated, and when that is out of date. Pure. */
import { type Alert, isLive } from '../alert/alert.ts'
import { type AlertMatch, isMatch } from '../alert/match.ts'
import { asPolicySays } from '../oncall/mention.ts'
import type { NoticeView } from './kinds.ts'

/** One step of an escalation: each is later and reaches more people. */
export type ReminderStep = {
  /** How long nobody had it. */
  readonly afterMs: number
  /** Who is mentioned, in Slack's notation; null: whom the route mentions. */
  readonly mention: string | null
  /** Another channel, where it stands by itself; null: in the thread of the card and in its channel. */
  readonly channel: string | null
  /** Absent: any alert. */
  readonly match?: AlertMatch
  /** It also asks the pager to call somebody. */
  readonly page?: true
}

export type Reminders = {
  /** In rising order of their times. */
  readonly steps: readonly ReminderStep[]
  /** An alert that reopened on its card is announced again after being open for so long; null: never. */
  readonly flapSettleMs: number | null
  /** So long after an acknowledgement its owner is asked; null: never. */
  readonly staleAckAfterMs: number | null
}

/** A reminder that was made: its card, its channel, whom it mentioned and when. */
export type Reminded = {
  readonly alertId: string
  readonly cardId: string
  readonly channel: string
  readonly mention: string | null
  readonly createdMs: number
}

/** Distinguishes the card of a step from those of other steps, also of those that the policy has later. */
export function stepId(of: string, { afterMs }: ReminderStep): string {
  return `${of}:after-${afterMs}`
}

/**
 * Whether the people of this step have had its reminder, also if the policy has given the step another time since: a reminder with a
 * time that no step has counts for the first step to the same people that lacks one. Those to others do not count. Whom the route
 * mentions are the same people, whoever that is by now (`mention`) and was when the card was made (`cardMention`).
 */
export function isReminded(
  step: ReminderStep,
  steps: readonly ReminderStep[],
  told: readonly Reminded[],
  to: { readonly channel: string; readonly mention: string | null; readonly cardMention: string | null },
): boolean {
  const placeOf = (one: Pick<ReminderStep, 'channel' | 'mention'>) =>
    `${one.channel ?? to.channel} ${asPolicySays(one.mention ?? to.mention) ?? ''}`
  const before = placeOf({ channel: step.channel, mention: step.mention ?? to.cardMention })
  const toldHere = told.filter((one) => placeOf(one) === placeOf(step) || placeOf(one) === before)
  // Older versions gave the card of the step that was then the first no time: NaN, which no step has.
  const timesMs = toldHere.map(({ cardId }) => Number(/:after-(\d+)$/.exec(cardId)?.[1]))
  const lost = timesMs.filter((ms) => !steps.some(({ afterMs }) => afterMs === ms)).length
  const left = steps.filter((one) => placeOf(one) === placeOf(step) && !timesMs.includes(one.afterMs))
  const at = left.indexOf(step)
  return at < 0 || at < lost
}

/** The steps that remind: one that pages at once has nothing to add to the card, which is posted at the same moment. */
export function remindingSteps(steps: readonly ReminderStep[]): readonly ReminderStep[] {
  return steps.filter(({ afterMs }) => afterMs > 0)
}

/** The alerts that a step is about. */
export function matching<Of extends { readonly alert: Alert }>(
  { match }: ReminderStep,
  group: readonly Of[],
): readonly Of[] {
  return match === undefined ? group : group.filter(({ alert }) => isMatch(alert, match))
}

/** The last step that is due for any alert of the group, without catching up on earlier ones; null if none is. */
export function dueStep(
  steps: readonly ReminderStep[],
  group: readonly { readonly alert: Alert; readonly sinceMs: number }[],
  nowMs: number,
): ReminderStep | null {
  const isDue = (step: ReminderStep) =>
    matching(step, group).some(({ sinceMs }) => step.afterMs <= nowMs - sinceMs)
  return steps.findLast(isDue) ?? null
}

/** Clocks differ by so much: what is dated later was written before the clock was set back. */
export const aheadMaxMs = 60_000

/**
 * The latest of these times, without those in the future, which were written before the clock was set back; 0 if there is none.
 */
export function lastKnown(times: readonly (number | null)[], nowMs: number): number {
  return Math.max(0, ...times.flatMap((ms) => (ms === null || ms > nowMs + aheadMaxMs ? [] : [ms])))
}

/**
 * When its reminders began again, because it was released, reopened or no longer muted; 0 if it was none of these. `openMs`: since
 * when it has been open and not muted.
 */
export function reminderCycleStart(
  { startedMs, firstSeenMs, ownershipConfirmedMs, reopenedMs }: Alert,
  openMs: number,
): number {
  const unmutedMs = openMs > Math.max(startedMs, firstSeenMs) ? openMs : 0
  return Math.max(ownershipConfirmedMs ?? 0, reopenedMs ?? 0, unmutedMs)
}

/** When its owner last confirmed to have it. */
export function heldSinceMs({ ackedMs, ownershipConfirmedMs }: Alert): number {
  return Math.max(ackedMs ?? 0, ownershipConfirmedMs ?? 0)
}

/** The alerts that nobody has acknowledged. */
export function waitingOf(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state, ackedBy }) => state === 'open' && ackedBy === null)
}

/** The alerts that this person still has, without having confirmed that since they were asked. */
export function staleAcksOf(
  alerts: readonly Alert[],
  { owner, askedMs }: { readonly owner: string; readonly askedMs: number },
): readonly Alert[] {
  return alerts.filter(
    (alert) => alert.state === 'open' && alert.ackedBy === owner && heldSinceMs(alert) <= askedMs,
  )
}

/** The alerts that this person still has; a one-off never closes, and is somebody's as an open one is. */
export function heldBy(alerts: readonly Alert[], owner: string): readonly Alert[] {
  return alerts.filter((alert) => isLive(alert) && alert.ackedBy === owner)
}

/** The alerts that a notice calls people for and that still need it; null if it is news without them. */
export function calledFor(view: NoticeView): readonly Alert[] | null {
  switch (view.topic) {
    case 'unacknowledged':
    case 'flap_reminder':
      return waitingOf(view.alerts)
    case 'became_critical':
      return criticalOf(view.alerts)
    case 'stale_ack':
      return staleAcksOf(view.alerts, view)
    case 'handed':
    case 'change_notice':
    case 'description':
    // News by themselves: the channel is told once, and not again when they are needed.
    case 'page_failed':
    case 'page_works':
    case 'file':
    case 'report':
    case 'handoff':
      return null
  }
}

/** The alerts that are still critical. */
export function criticalOf(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state, severity }) => state === 'open' && severity === 'critical')
}

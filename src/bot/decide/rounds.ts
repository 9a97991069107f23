/**
 * A round is a stretch in which nobody is on an alert though it is audible: open, not hidden, not ignored. It belongs to the alert;
 * reminders and pages take their ids from it. What came back onto its old card begins one once it is told aloud, and what was snoozed
 * once that is over. Each step of the policy reminds once a round, one message for all that stand on one card; steps that were missed
 * are not caught up on, but for the last one. Whoever has been on an alert for long is asked whether they still are.
 */
import type { ReminderStep } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, Post } from '../world/types.ts'
import { isMatch, namedAlert, rolesOf } from './matching.ts'
import {
  heardMs,
  isAudible,
  isMember,
  isShut,
  mentionOf,
  mentionsOf,
  merged,
  openOn,
  standingPost,
} from './standing.ts'
import { note, want } from './want.ts'

/** Who is on it from now on, null for nobody: that ends its round, and the snooze of before. */
export function heldBy(holder: string | null, nowMs: number, snooze: Alert['snooze'] = null) {
  return { holder, heldMs: holder === null ? null : nowMs, snooze, round: null }
}

export function keepRounds(scene: Scene): void {
  const { world } = scene
  for (const alert of world.open.values()) world.apart(`alert ${alert.id}`, () => keep(scene, alert))
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

type Due = { readonly post: Post; readonly at: number; readonly step: ReminderStep; readonly alerts: Alert[] }

/** More reminders of one step at once in a channel are one message. */
const atOnceMax = 3

export function remind(scene: Scene): void {
  const { world } = scene
  const dues = new Map<string, Due>()
  for (const reached of reachedIn(scene)) {
    world.apart(`alert ${reached.alert.id}`, () => {
      const last = reached.steps.findLast(({ step }) => isSaid(step))
      if (last === undefined || isReminded(scene, reached, last.at)) return
      const name = `${reached.post.id} ${last.at}`
      const due = dues.get(name)
      if (due === undefined) dues.set(name, { post: reached.post, ...last, alerts: [reached.alert] })
      else due.alerts.push(reached.alert)
    })
  }
  for (const due of dues.values()) addOthers(scene, due)
  for (const some of Map.groupBy(dues.values(), ({ post, at }) => `${post.channel} ${at}`).values()) {
    for (const due of merged(some, atOnceMax))
      world.apart(`reminder of ${due.post.id}`, () => tell(scene, due))
  }
  for (const alert of world.open.values())
    if (alert.holder !== null) world.apart(`alert ${alert.id}`, () => askHolder(scene, alert, alert.holder))
}

/** What pages at once needs no reminder: its card has just come. */
function isSaid({ afterMs, page, channel }: ReminderStep): boolean {
  return !(page && afterMs === 0 && channel === null)
}

/** In this round, this step or a later one. */
function isReminded({ world }: Scene, { alert, round }: Reached, at: number): boolean {
  return world.postsAbout(alert.id).some(({ kind, data, shows }) => {
    if (kind !== 'remind' || (data.step ?? 0) < at) return false
    return shows.some((shown) => shown.alert === alert.id && shown.atMs >= round.fromMs)
  })
}

/** The message counts all on its card on which nobody is: they are reminded of with it, though they came a little later. */
function addOthers(scene: Scene, { post, at, step, alerts }: Due): void {
  const due = new Set(alerts.map(({ id }) => id))
  const isLater = (alert: Alert) => alert.round !== null && !due.has(alert.id) && step.match === null
  for (const alert of openOn(scene.world, post)) {
    if (!isLater(alert) || alert.round === null) continue
    const reached = { alert, round: alert.round, post, steps: [] }
    if (standingPost(scene, alert)?.id === post.id && !isReminded(scene, reached, at)) alerts.push(alert)
  }
}

function tell(scene: Scene, { post, at, step, alerts }: Due): void {
  const { world, nowMs } = scene
  const [first] = alerts
  if (first?.round == null) return
  const elsewhere = step.channel !== null && !isShut(world, step.channel) ? step.channel : null
  const wish = {
    id: `remind:${post.id}:${first.id}:${first.round.count}:${at}`,
    kind: 'remind',
    channel: elsewhere ?? post.channel,
    thread: elsewhere === null ? post.id : null,
    isBroadcast: elsewhere === null,
    isLoud: true,
    mention: step.mention === null ? mentionsOf(scene, alerts) : mentionOf(scene, step.mention),
    data: { step: at, about: post.id, round: first.round.count },
    shows: alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs })),
  } as const
  want(world, nowMs, wish)
}

/** Still on it? Once for each taking, in the thread, to whoever took it. */
function askHolder(scene: Scene, alert: Alert, holder: string | null): void {
  const { world, policy, nowMs } = scene
  const { forgottenAfterMs } = policy
  const { heldMs } = alert
  if (forgottenAfterMs === null || heldMs === null || holder === null || alert.snooze) return
  if (nowMs - heldMs < forgottenAfterMs || !isMember(holder) || !isAudible(scene, alert)) return
  const post = standingPost(scene, alert)
  if (post?.state !== 'live') return
  const together = openOn(world, post).filter((other) => other.holder === holder && other.heldMs === heldMs)
  want(world, nowMs, {
    id: `forgotten:${post.id}:${heldMs}`,
    kind: 'forgotten',
    channel: post.channel,
    thread: post.id,
    isLoud: true,
    mention: `<@${holder}>`,
    data: { about: post.id },
    shows: together.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs })),
  })
}

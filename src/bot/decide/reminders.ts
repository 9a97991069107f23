/**
 * Reminds while nobody is on an alert: each step of the policy once a round, one message for all that stand on one card. Steps that were
 * missed are not caught up on, but for the last one. Whoever has been on an alert for long is asked whether they still are.
 */
import type { ReminderStep } from '../config/policy.ts'
import type { Scene } from '../view/scene.ts'
import type { Alert, Post } from '../world/types.ts'
import { apart } from './apart.ts'
import { isAudible, isMember, isShut, mentionOf, mentionsOf } from './channels.ts'
import { want } from './new-post.ts'
import { merged, openOn, standingPost } from './standing.ts'
import { type Reached, reachedIn } from './steps.ts'

type Due = { readonly post: Post; readonly at: number; readonly step: ReminderStep; readonly alerts: Alert[] }

/** More reminders of one step at once in a channel are one message. */
const atOnceMax = 3

export function remind(scene: Scene): void {
  const { world } = scene
  const dues = new Map<string, Due>()
  for (const reached of reachedIn(scene)) {
    apart(world, `alert ${reached.alert.id}`, () => {
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
      apart(world, `reminder of ${due.post.id}`, () => tell(scene, due))
  }
  for (const alert of world.open.values())
    if (alert.holder !== null) apart(world, `alert ${alert.id}`, () => askHolder(scene, alert, alert.holder))
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

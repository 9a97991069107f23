/**
 * A round is a stretch in which nobody is on an alert though it is audible: open, not hidden, not ignored. It belongs to the alert;
 * reminders and pages take their ids from it. What came back onto its old card begins one once it is told aloud, and what was snoozed
 * once that is over. Each step of the policy reminds once a round, one message for all that stand on one card; steps that were missed
 * are not caught up on, but for the last one. Whoever has been on an alert for long is asked whether they still are. What happens to an
 * alert that stands already, and must be heard, is told in the thread of its message and in the channel, once.
 */
import { minute } from '../clock.ts'
import type { ReminderStep } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, AloudWhy, Post } from '../world/types.ts'
import { isMatch, rolesOf } from './matching.ts'
import {
  byPost,
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
import { noteOf, want } from './want.ts'

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
    noteOf(scene, alert, { kind: 'snooze_ended' })
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

/** More reminders of one step at once in a channel are one message. */
const atOnceMax = 3

type Due = Reached & { readonly what: string; readonly at: number; readonly step: ReminderStep }

export function remind(scene: Scene): void {
  const { world } = scene
  const dues: Due[] = []
  for (const reached of reachedIn(scene)) {
    world.apart(`alert ${reached.alert.id}`, () => {
      const last = reached.steps.findLast(({ step }) => isSaid(step))
      if (last !== undefined && !isReminded(scene, reached, last.at))
        dues.push({ ...reached, ...last, what: String(last.at) })
    })
  }
  const groups = byPost(dues)
  for (const due of groups) addOthers(scene, due, due.alerts)
  for (const due of merged(groups, atOnceMax))
    world.apart(`reminder of ${due.post.id}`, () => tell(scene, due, due.alerts))
  for (const alert of world.open.values())
    if (alert.holder !== null) world.apart(`alert ${alert.id}`, () => askHolder(scene, alert, alert.holder))
}

/** What pages at once needs no reminder: its card has just come. */
function isSaid({ afterMs, page, channel }: ReminderStep): boolean {
  return !(page && afterMs === 0 && channel === null)
}

type InRound = Pick<Reached, 'alert' | 'round'>

/** In this round, this step or a later one. */
function isReminded({ world }: Scene, { alert, round }: InRound, at: number): boolean {
  return world.postsAbout(alert.id).some(({ kind, data, shows }) => {
    if (kind !== 'remind' || (data.step ?? 0) < at) return false
    return shows.some((one) => one.alert === alert.id && !one.isQuiet && one.atMs >= round.fromMs)
  })
}

/** The message counts all on its card on which nobody is: they are reminded of with it, though they came a little later. */
function addOthers(scene: Scene, { post, at, step }: Due, alerts: Alert[]): void {
  if (step.match !== null) return
  const due = new Set(alerts.map(({ id }) => id))
  for (const alert of openOn(scene.world, post)) {
    const { id, round } = alert
    if (round === null || due.has(id) || isReminded(scene, { alert, round }, at)) continue
    if (standingPost(scene, alert)?.id === post.id) alerts.push(alert)
  }
}

function tell(scene: Scene, { post, at, step, alert, round }: Due, alerts: readonly Alert[]): void {
  const { channel } = step
  const isElsewhere = channel !== null && !isShut(scene.world, channel)
  say(scene, post, alerts, {
    id: `remind:${post.id}:${alert.id}:${round.count}:${at}`,
    kind: 'remind',
    data: { step: at, about: post.id },
    ...(step.mention !== null && { mention: mentionOf(scene, step.mention) }),
    ...(isElsewhere && { channel, forChannel: channel, thread: null, isBroadcast: false }),
  })
}

/** Loudly, in the thread of a message and in the channel, of these alerts on it. */
function say(
  scene: Scene,
  { id: thread, channel, forChannel }: Post,
  alerts: readonly Alert[],
  wish: Partial<Post> & { readonly id: string; readonly kind: Post['kind'] },
): void {
  const { world, nowMs } = scene
  const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs }))
  const place = { channel, forChannel, thread, isBroadcast: true }
  want(world, nowMs, { ...place, isLoud: true, mention: mentionsOf(scene, alerts), shows, ...wish })
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
  const id = `forgotten:${post.id}:${heldMs}`
  const data = { about: post.id }
  say(scene, post, together, { id, kind: 'forgotten', isBroadcast: false, mention: `<@${holder}>`, data })
}

type Aloud = { readonly post: Post; readonly what: AloudWhy; readonly alert: Alert }

/** What was told of a message a moment ago takes more of the same quietly. */
const takesForMs = 15 * minute
/** An alert that goes to and fro between warning and critical calls once. */
const againAfterMs = 10 * minute

export function wantAloud(scene: Scene): void {
  const { world } = scene
  const sayings: Aloud[] = []
  for (const alert of world.open.values()) {
    // Nothing happened to most of them.
    if (alert.reopened === 0 && (alert.criticalMs ?? null) === null && !alert.snooze) continue
    world.apart(`alert ${alert.id}`, () => {
      const post = standingPost(scene, alert)
      const what = post === null ? null : whyOf(scene, alert, post)
      if (post === null || what === null || isTakenBefore(scene, { post, what, alert })) return
      sayings.push({ post, what, alert })
    })
  }
  for (const group of merged(byPost(sayings), atOnceMax))
    world.apart(`aloud ${group.post.id}`, () => tellAloud(scene, group, group.alerts))
}

/** Null: its message said so itself, or it was told. */
function whyOf(scene: Scene, alert: Alert, post: Post): AloudWhy | null {
  const { criticalMs = null, reopened, round, holder } = alert
  const snooze = holder === null ? alert.snooze : null
  const isCritical = criticalMs !== null && alert.severity === 'critical'
  const isBack = scene.policy.flapSettleMs !== null && reopened > 0 && round?.count === 1
  if ((!isCritical && !isBack && !snooze) || !isAudible(scene, alert)) return null
  // A loud message says by itself what happened before it was sent; a quiet list of a first poll calls nobody.
  const saidMs = post.isLoud ? (post.sentMs ?? Number.POSITIVE_INFINITY) : 0
  const told = scene.world.postsAbout(alert.id).filter(({ kind }) => kind === 'aloud')
  if (isCritical && criticalMs > saidMs) {
    const isOfRise = (one: Post['shows'][number]) =>
      one.alert === alert.id && one.atMs > criticalMs - againAfterMs
    const isTold = told.some(({ data, shows }) => data.why === 'critical' && shows.some(isOfRise))
    if (!isTold) return 'critical'
  }
  if (snooze && snooze.untilMs > saidMs) {
    const isSince = ({ shows }: Post) =>
      shows.some((one) => one.alert === alert.id && one.atMs >= snooze.untilMs)
    if (!told.some(isSince)) return 'snoozed'
  }
  const joinedMs = post.shows.findLast((shown) => shown.alert === alert.id)?.atMs ?? 0
  return isBack && told.length === 0 && joinedMs > saidMs ? 'reopened' : null
}

/** Several of one list that come back one after the other are told once, and then quietly by an edit. */
function isTakenBefore({ world, nowMs }: Scene, { post, what, alert }: Aloud): boolean {
  if (post.kind !== 'list' || what === 'snoozed') return false
  const recent = world
    .repliesTo(post.id)
    .find(
      ({ kind, data, createdMs, state }) =>
        kind === 'aloud' && data.why === what && state !== 'dead' && nowMs - createdMs < takesForMs,
    )
  if (recent === undefined) return false
  world.patch('posts', recent.id, {
    shows: [...recent.shows, { alert: alert.id, isQuiet: true, atMs: nowMs }],
  })
  return true
}

function tellAloud(scene: Scene, { post, what, alert: first }: Aloud, alerts: readonly Alert[]): void {
  const id = `aloud:${post.id}:${first.id}:${first.round?.count ?? first.rounds}`
  say(scene, post, alerts, { id, kind: 'aloud', data: { why: what } })
}

/**
 * The laws of announcing, as a listener who looks at the world after each round and keeps a record of what could be heard. It computes
 * by itself when an alert was audible and nobody was on it: nothing here reads what the rounds of the bot say.
 */
import { minute, second } from '../../../src/bot/clock.ts'
import { isMatch, kindOf, troubleOf } from '../../../src/bot/decide/matching.ts'
import { isAudible, isShut, targetOf } from '../../../src/bot/decide/standing.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Alert, Effect, Post } from '../../../src/bot/world/types.ts'
import type { World } from '../../../src/bot/world/world.ts'

const slackMs = 15 * second
/** A round of the announcer, a poll and a look of the test may lie between a cause and what follows from it. */
const soonMs = 20 * second
const unsentCountsAfterMs = 2 * minute
/** What came back is told aloud once it stays so long; at most, where the policy changes. */
const settlesWithinMs = 2 * minute

type Stretch = {
  readonly fromMs: number
  readonly isFirst: boolean
  readonly criticalMs: number
  readonly deadMs: number
  /** Seen first after a death: it may have been hidden before, so a step may come for a second time. */
  readonly isGuessed: boolean
}
type Memory = {
  readonly stretches: Map<string, Stretch>
  readonly opened: Set<string>
  readonly seenPosts: Set<string>
  readonly lateCalls: Map<string, number>
  world: World | null
}

export type Listener = { look(scene: Scene): void; readonly problems: string[] }

export function openListener(): Listener {
  const problems = new Set<string>()
  const memory = {
    stretches: new Map<string, Stretch>(),
    opened: new Set<string>(),
    seenPosts: new Set<string>(),
    lateCalls: new Map<string, number>(),
    world: null as World | null,
  }
  return {
    look(scene) {
      // A bot that was dead, and forgot what was not on disk, has as long again; what was heard before counts.
      if (scene.world !== memory.world) {
        for (const id of memory.stretches.keys()) if (!scene.world.alerts.has(id)) memory.stretches.delete(id)
        for (const { id, firstSeenMs, criticalMs } of scene.world.alerts.values()) {
          const there = {
            fromMs: firstSeenMs,
            criticalMs: criticalMs ?? 0,
            isFirst: false,
            isGuessed: true,
          }
          const stretch = memory.stretches.get(id) ?? (memory.world === null ? null : there)
          if (stretch !== null) memory.stretches.set(id, { ...stretch, deadMs: scene.nowMs - stretch.fromMs })
        }
      }
      memory.world = scene.world
      for (const law of [stands, joinsRightly, isHeard, saysWhy, callsEnd, mutesEnd, fewAtOnce])
        for (const problem of law(scene, memory)) problems.add(problem)
      for (const { id } of scene.world.posts.values()) memory.seenPosts.add(id)
    },
    get problems() {
      return [...problems]
    },
  }
}

function isCard({ kind }: Post): boolean {
  return kind === 'alert' || kind === 'list'
}

/** On exactly one living message where it is to be told; what may not be told waits nowhere; what closed unseen is told too. */
function stands(scene: Scene, { opened }: Memory): string[] {
  const { world } = scene
  const problems: string[] = []
  for (const alert of world.alerts.values()) {
    const cards = world.postsAbout(alert.id).filter((post) => isCard(post) && post.state !== 'dead')
    const perChannel = Map.groupBy(cards, ({ channel }) => channel)
    for (const [channel, some] of perChannel)
      if (some.length > 1) problems.push(`${alert.id} stands ${some.length} times in ${channel}`)
    const canBeTold = isAudible(scene, alert)
    if (!canBeTold && cards.some((post) => post.state === 'new' && post.firstSentMs === null))
      problems.push(`${alert.id} is hidden and waits to be told`)
    if (!canBeTold) opened.delete(alert.id)
    if (!canBeTold || alert.closedMs !== null || alert.isOneoff) continue
    opened.add(alert.id)
    const target = targetOf(scene, alert)
    const isHere = cards.some(
      ({ channel, forChannel }) =>
        channel === target.channel || (forChannel === target.forChannel && !isShut(world, channel)),
    )
    if (!isHere) problems.push(`${alert.id} stands nowhere in ${target.channel}`)
  }
  for (const id of opened) {
    const isGone = world.alerts.has(id) && world.postsAbout(id).length === 0
    if (isGone && isAudible(scene, world.alerts.get(id) as Alert))
      problems.push(`${id} was open and is told nowhere`)
  }
  return problems
}

function repliesOf({ world }: Scene, post: Post): Post[] {
  return [...(world.replies.get(post.id) ?? [])].flatMap((id) => world.posts.get(id) ?? [])
}

function toldMs(post: Post, nowMs: number): number {
  return post.sentMs ?? (post.state === 'new' ? nowMs : post.createdMs)
}

/** Quietly goes onto a message only what came back within ten minutes, or onto a list of its kind that was loud within fifteen. */
function joinsRightly(scene: Scene): string[] {
  const { world, nowMs } = scene
  return [...world.posts.values()].filter(isCard).flatMap((post) =>
    post.shows.flatMap(({ alert: id, isQuiet, atMs }, at) => {
      const alert = world.alerts.get(id)
      // What makes a new quiet message is of a first poll, though somebody may be on it by now.
      const isJoin = isQuiet && atMs === nowMs && post.createdMs < nowMs
      if (!isJoin || alert === undefined || alert.isFirstPoll) return []
      const others = post.shows
        .filter((_, place) => place < at)
        .flatMap((one) => world.alerts.get(one.alert) ?? [])
      const isBack = others.some(
        (other) =>
          troubleOf(other) === troubleOf(alert) &&
          other.closedMs !== null &&
          other.closedMs > nowMs - 10 * minute,
      )
      const loud = [post, ...repliesOf(scene, post)].filter((one) => one.isLoud)
      const isFresh = loud.some((one) => toldMs(one, nowMs) > nowMs - 15 * minute)
      const isKind = others.every((other) => kindOf(other) === kindOf(alert)) && others.length > 1
      const isFirstCritical =
        alert.severity === 'critical' &&
        !others.some(({ severity }) => severity === 'critical') &&
        // One that was not sent yet says so itself.
        (post.sentMs ?? nowMs) < nowMs
      if (isBack) return []
      if (!isFresh || !isKind) return [`${id} went quietly onto ${post.id}`]
      return isFirstCritical ? [`${id} is the first critical one of ${post.id}, and quiet`] : []
    }),
  )
}

/** Each audible stretch in which nobody is on it had a loud message in time, and its page; and no step twice. */
function isHeard(scene: Scene, { stretches }: Memory): string[] {
  const { world, nowMs } = scene
  const problems: string[] = []
  for (const alert of world.alerts.values()) {
    const isOne =
      world.open.has(alert.id) && alert.holder === null && isAudible(scene, alert) && !alert.isFirstPoll
    const before = stretches.get(alert.id)
    if (!isOne) {
      stretches.delete(alert.id)
      continue
    }
    const criticalMs = alert.criticalMs ?? 0
    if (before === undefined || before.criticalMs < criticalMs)
      stretches.set(alert.id, {
        fromMs: nowMs,
        criticalMs,
        isFirst: nowMs - alert.firstSeenMs < second,
        deadMs: 0,
        isGuessed: false,
      })
    const stretch = stretches.get(alert.id) as Stretch
    problems.push(...loudInTime(scene, alert, stretch), ...stepsOnce(scene, alert, stretch))
  }
  return problems
}

function loudInTime(scene: Scene, alert: Alert, { fromMs, isFirst, criticalMs, deadMs }: Stretch): string[] {
  const { world, policy, nowMs } = scene
  const about = world.postsAbout(alert.id)
  // What a person deleted was heard.
  const loud = about.filter((post) => post.isLoud && (post.state !== 'dead' || post.sentMs !== null))
  const settleMs = alert.reopened > 0 ? settlesWithinMs : 0
  const joined = about.filter(
    (post) => post.kind === 'list' && post.shows.some((one) => one.alert === alert.id && one.isQuiet),
  )
  // A list was loud a moment before; what came back is heard once it stays.
  const sinceMs = joined.length > 0 && alert.reopened === 0 ? fromMs - 15 * minute : fromMs
  const isNeverAloud = alert.reopened > 0 && policy.flapSettleMs === null
  // Of several critical ones on a list the first was told aloud.
  const isOneMore = about.filter(isCard).some((post) =>
    post.shows.some((one) => {
      const other = world.alerts.get(one.alert)
      const wasOpen = other !== undefined && (other.closedMs ?? nowMs) > fromMs && other.firstSeenMs <= fromMs
      const wasTold = wasOpen && !other.isFirstPoll
      return wasTold && other.severity === 'critical' && (other.criticalMs ?? 0) < fromMs
    }),
  )
  const isDue = (isFirst && !isNeverAloud) || (criticalMs === fromMs && !isOneMore)
  const ofList = joined.flatMap((post) => repliesOf(scene, post)).filter((post) => post.isLoud)
  // Of a list what was told aloud a moment ago takes more of the same by an edit.
  const isAdded = loud.some((post) => post.kind === 'aloud' && toldMs(post, nowMs) >= fromMs - 15 * minute)
  const isOnce = isAdded || [...loud, ...ofList].some((post) => toldMs(post, nowMs) >= sinceMs - slackMs)
  if (isDue && nowMs > fromMs + deadMs + settleMs + soonMs && !isOnce)
    return [`nobody heard of ${alert.id} (${criticalMs > 0 ? 'critical' : 'opened'})`]
  const step = policy.reminders.find(({ match, page, afterMs }) => match === null && !(page && afterMs === 0))
  const heard = heardFrom(scene, alert)
  if (step === undefined || heard === null) return []
  const dueMs = Math.max(fromMs, heard) + deadMs + settleMs + step.afterMs + soonMs
  const isReminded = loud.some((post) => post.createdMs >= fromMs)
  return nowMs > dueMs && !isReminded ? [`nobody heard of ${alert.id} in its round`] : []
}

/** What is told aloud says what happened to each that it tells of. */
function saysWhy({ world, nowMs }: Scene): string[] {
  return [...world.posts.values()].flatMap(({ id, kind, data, shows }) =>
    shows.flatMap(({ alert: one, atMs }) => {
      const alert = world.alerts.get(one)
      if (kind !== 'aloud' || atMs !== nowMs || alert === undefined) return []
      const happened = {
        reopened: alert.reopened > 0,
        critical: (alert.criticalMs ?? 0) > 0,
        snoozed: alert.snooze,
      }
      return happened[data.why ?? 'critical'] ? [] : [`${id} says that ${one} was ${data.why}`]
    }),
  )
}

function heardFrom({ world, nowMs, ...scene }: Scene, alert: Alert): number | null {
  const target = targetOf({ world, nowMs, ...scene }, alert)
  const cards = world.postsAbout(alert.id).filter((post) => isCard(post) && post.state !== 'dead')
  const card =
    cards.find(({ channel }) => channel === target.channel) ??
    cards.find(({ forChannel }) => forChannel === target.forChannel)
  if (card === undefined) return null
  if (card.state === 'live') return card.sentMs ?? card.createdMs
  return card.createdMs + unsentCountsAfterMs
}

/** What the pager was told of this alert, alone or with others of one call. */
function triggersOf({ world }: Scene, id: string): Effect[] {
  const triggers = [...world.effects.values()].filter(({ data }) => data.type === 'triggered')
  const keys = new Set(
    triggers.filter(({ data }) => data.alerts?.includes(id)).map(({ data }) => data.dedupKey),
  )
  return triggers.filter(({ data }) => keys.has(data.dedupKey))
}

function stepsOnce(scene: Scene, alert: Alert, { fromMs, deadMs, isGuessed }: Stretch): string[] {
  const { world, policy, nowMs } = scene
  const settleMs = alert.reopened > 0 ? settlesWithinMs : 0
  const heard = heardFrom(scene, alert)
  return policy.reminders.flatMap((step, at) => {
    const reminders = world
      .postsAbout(alert.id)
      .filter(
        ({ kind, data, shows }) =>
          kind === 'remind' &&
          data.step === at &&
          shows.some((one) => one.alert === alert.id && one.atMs > fromMs + settleMs),
      )
    const pages = triggersOf(scene, alert.id).filter(({ data }) => data.step === at)
    const fresh = pages.filter(({ atMs }) => atMs > fromMs + settleMs)
    const isTwice = [
      ...(reminders.length > 1 && !isGuessed ? [`${alert.id} was reminded of twice in step ${at}`] : []),
      ...(fresh.length > 1 && !isGuessed ? [`${alert.id} was paged twice in step ${at}`] : []),
    ]
    const isMeant = step.match === null || isMatch(step.match, alert, [])
    if (!step.page || !isMeant || heard === null || scene.pager === null) return isTwice
    const isLate = nowMs > Math.max(fromMs + settleMs, heard) + deadMs + step.afterMs + soonMs
    const isCalled =
      fresh.length > 0 ||
      pages.some(({ atMs, data }) => atMs >= fromMs || !isOver(scene, data.dedupKey ?? ''))
    return isLate && !isCalled ? [...isTwice, `nobody was paged about ${alert.id} in step ${at}`] : isTwice
  })
}

function isOver({ world }: Scene, key: string): boolean {
  return [...world.effects.values()].some(({ data }) => data.dedupKey === key && data.type === 'resolved')
}

/** A call ends once somebody is on each of its alerts, or they are over or hidden; and is not ended before. */
function callsEnd(scene: Scene, { stretches, lateCalls }: Memory): string[] {
  const { world, nowMs } = scene
  return [...world.effects.values()].flatMap(({ does, data, atMs }) => {
    const key = data.dedupKey ?? ''
    if (does !== 'page') return []
    if (data.type === 'resolved') {
      const isEarly =
        atMs === nowMs &&
        (data.alerts ?? []).some(
          (id) =>
            stretches.get(id) !== undefined &&
            stretches.get(id)?.fromMs !== nowMs &&
            (world.alerts.get(id)?.round ?? null) !== null,
        )
      return isEarly ? [`the call ${key} ended though somebody waits`] : []
    }
    const isWaiting = (data.alerts ?? []).some((id) => stretches.has(id))
    if (isWaiting || isOver(scene, key)) {
      lateCalls.delete(key)
      return []
    }
    const sinceMs = lateCalls.get(key) ?? nowMs
    lateCalls.set(key, sinceMs)
    return nowMs - sinceMs > soonMs ? [`the call ${key} goes on though nobody waits`] : []
  })
}

function mutesEnd({ world, nowMs }: Scene): string[] {
  return [...world.activeMutes.values()].flatMap(({ id, untilMs, maxUntilMs }) =>
    (untilMs ?? maxUntilMs) < nowMs - 80 * second ? [`the mute ${id} outlives its end`] : [],
  )
}

/** One round makes at most three loud new cards for a route, and none of a kind that a list could hold. */
function fewAtOnce({ world }: Scene, { seenPosts }: Memory): string[] {
  const fresh = [...world.posts.values()].filter(
    (post) => isCard(post) && post.isLoud && !seenPosts.has(post.id),
  )
  return [...Map.groupBy(fresh, ({ channel, forChannel }) => `${channel} for ${forChannel}`)].flatMap(
    ([place, some]) => (some.length > 3 ? [`${some.length} new cards at once in ${place}`] : []),
  )
}

/**
 * Every open alert that people may hear of stands on exactly one living message of its channel: what is missing is put onto its old card,
 * onto a list of its kind, or into a new message, of which one round makes at most three a channel.
 */
import { minute } from '../clock.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, Post, Shown } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { kindOf, troubleOf } from './matching.ts'
import {
  type AlertTarget,
  isAudible,
  isCard,
  isShut,
  loudMs,
  mentionsOf,
  openOn,
  standingPost,
  targetOf,
} from './standing.ts'
import { isUnsent, want } from './want.ts'

export type Limits = typeof usualLimits
export const usualLimits = {
  /** What comes back so soon goes onto its old card. */
  joinsCardWithinMs: 10 * minute,
  /** A list takes more so long after it called people last. */
  joinsListWithinMs: 15 * minute,
  /** More than so many waiting at once become lists; and one round makes no more messages than these. */
  singlesMax: 3,
}

/** Alerts in one reply of a list's thread. */
const linesOnPage = 80
/** What Slack refused for good is wanted again after a pause that grows; the health says so meanwhile. */
const refusedWaitsMs = minute
const refusedWaitsMaxMs = 60 * minute

type Missing = { readonly alert: Alert; readonly target: AlertTarget }

export function wantPosts(scene: Scene, limits: Limits = usualLimits): void {
  const { world } = scene
  withdraw(scene)
  const missing = missingIn(scene)
  if (missing.length > 0) {
    const waiting = join(scene, missing, limits)
    for (const [place, some] of Map.groupBy(waiting, ({ target }) => placeOf(target))) {
      const first = some.filter(({ alert }) => alert.isFirstPoll)
      const later = some.filter(({ alert }) => !alert.isFirstPoll)
      world.apart(`first posts of ${place}`, () => tellFirst(scene, first))
      world.apart(`posts of ${place}`, () => tell(scene, later, limits))
    }
  }
  for (const post of world.posts.values())
    if (post.kind === 'list') world.apart(`lines of ${post.id}`, () => wantLines(scene, post))
}

/** What is told in the default channel for one that is shut stands there for that one. */
function placeOf({ channel, forChannel }: { readonly channel: string; readonly forChannel: string }): string {
  return `${channel} ${forChannel}`
}

/** Takes from messages that were never sent what nobody shall hear of by now, and what is to be told elsewhere. */
function withdraw(scene: Scene): void {
  const { world } = scene
  for (const post of world.posts.values()) {
    if (!isCard(post) || !isUnsent(post)) continue
    // What is left of it is placed anew.
    world.apart(`post ${post.id}`, () => {
      if (!post.shows.every(({ alert }) => isToBeToldHere(scene, post, alert))) drop(scene, post)
    })
  }
}

function isToBeToldHere(scene: Scene, post: Post, id: string): boolean {
  const alert = scene.world.alerts.get(id)
  if (alert === undefined || !isAudible(scene, alert)) return false
  const isHere = placeOf(post) === placeOf(targetOf(scene, alert))
  return isHere || (alert.closedMs !== null && !isShut(scene.world, post.channel))
}

function drop({ world }: Scene, post: Post): void {
  // Of a card that a person deleted, replies still stand.
  for (const reply of world.repliesTo(post.id)) if (isUnsent(reply)) world.remove('posts', reply.id, 'gone')
  world.remove('posts', post.id, 'gone')
  // What was over before anybody saw it is still to be told, if it may be.
  for (const { alert } of post.shows) {
    const isOver = world.alerts.has(alert) && !world.open.has(alert)
    if (isOver && !world.postsAbout(alert).some(isCard)) world.patch('alerts', alert, { isUntold: true })
  }
}

function missingIn(scene: Scene): Missing[] {
  const { world } = scene
  const missing: Missing[] = []
  for (const alert of world.open.values()) {
    world.apart(`alert ${alert.id}`, () => {
      if (!isAudible(scene, alert) || standingPost(scene, alert) !== null) return
      const target = targetOf(scene, alert)
      if (!isRefused(scene, alert, target)) missing.push({ alert, target })
    })
  }
  for (const alert of world.alerts.values()) {
    if (alert.isUntold !== true) continue
    world.apart(`alert ${alert.id}`, () => {
      world.patch('alerts', alert.id, { isUntold: false })
      if (isAudible(scene, alert)) missing.push({ alert, target: targetOf(scene, alert) })
    })
  }
  return missing
}

function isRefused({ world, nowMs }: Scene, alert: Alert, { channel }: AlertTarget): boolean {
  const refused = deadIn(world, alert, channel).filter(({ ts }) => ts === null)
  const waitsMs = Math.min(refusedWaitsMs * 2 ** refused.length, refusedWaitsMaxMs)
  return refused.some(({ createdMs }) => nowMs - createdMs < waitsMs)
}

/** Its cards that Slack will never take, or that somebody deleted. */
function deadIn(world: World, { id }: Alert, channel: string): Post[] {
  const cards = world.postsAbout(id).filter(isCard)
  return cards.filter((post) => post.state === 'dead' && post.channel === channel)
}

/** Onto old cards and lists that stand; answers with what is left. */
function join(scene: Scene, missing: readonly Missing[], limits: Limits): Missing[] {
  const { world, nowMs } = scene
  const formers = formersIn(scene, limits)
  const lists = listsIn(scene, limits)
  const joins = new Map<string, Shown[]>()
  const add = ({ id }: Post, { alert }: Missing) =>
    joins.set(id, [...(joins.get(id) ?? []), { alert: alert.id, isQuiet: true, atMs: nowMs }])
  const waiting: Missing[] = []
  for (const one of missing) {
    world.apart(`alert ${one.alert.id}`, () => {
      const former = formers.get(troubleOf(one.alert))
      const card = former && cardOf(scene, one, former, joins)
      const list = card === undefined ? lists.find(one) : null
      if (former !== undefined && card !== undefined) {
        comeBack(scene, one.alert, former)
        add(card, one)
        // What reminded of the one before says how it is now.
        for (const post of world.postsAbout(former.id)) if (post.kind === 'remind') add(post, one)
      } else if (list !== null) add(list, one)
      else waiting.push(one)
    })
  }
  for (const [id, added] of joins) {
    const shows = world.posts.get(id)?.shows ?? []
    world.patch('posts', id, { shows: [...shows, ...added], isShownClosed: false })
  }
  return waiting
}

/** What closed a moment ago, the last of each trouble. */
function formersIn({ world, nowMs }: Scene, { joinsCardWithinMs }: Limits): ReadonlyMap<string, Alert> {
  const formers = new Map<string, Alert>()
  for (const alert of world.alerts.values()) {
    const { closedMs } = alert
    if (closedMs === null || nowMs - closedMs >= joinsCardWithinMs) continue
    world.apart(`alert ${alert.id}`, () => {
      const trouble = troubleOf(alert)
      if ((formers.get(trouble)?.closedMs ?? 0) <= closedMs) formers.set(trouble, alert)
    })
  }
  return formers
}

/** The living message on which what comes back stood. `joins`: cards that something else has just come back onto. */
function cardOf(
  { world }: Scene,
  { alert, target }: Missing,
  former: Alert,
  joins: ReadonlyMap<string, unknown>,
) {
  // What was told before and is only told elsewhere by now did not come back.
  const isNew = alert.closedMs === null && !alert.isOneoff && alert.rounds === 0 && alert.reopened === 0
  if (!isNew) return undefined
  return world.postsAbout(former.id).find((card) => {
    if (
      !isCard(card) ||
      placeOf(card) !== placeOf(target) ||
      card.state === 'dead' ||
      isShut(world, card.channel)
    )
      return false
    // A card shows one open alert.
    return card.kind === 'list' || (openOn(world, card).length === 0 && !joins.has(card.id))
  })
}

/**
 * Whoever was on it stays on it until it has been open so long that it is told aloud; unless somebody took this one while it was hidden.
 */
function comeBack({ world, nowMs }: Scene, alert: Alert, former: Alert): void {
  const hasRisen = alert.severity === 'critical' && former.severity !== 'critical'
  world.patch('alerts', alert.id, {
    reopened: former.reopened + 1,
    reopenedFromMs: former.reopenedFromMs ?? former.firstSeenMs,
    ...(alert.holder === null &&
      former.holder !== null && { holder: former.holder, heldMs: former.heldMs, snooze: former.snooze }),
    ...(hasRisen && { criticalMs: nowMs }),
  })
}

/** Lists that take joins: of one kind, with something open on them, and loud a short time ago. */
function listsIn({ world, nowMs }: Scene, { joinsListWithinMs }: Limits) {
  const lists = new Map<string, { readonly post: Post; readonly hasCritical: boolean }[]>()
  for (const post of world.posts.values()) {
    if (!isOfOneKind(post) || post.state === 'dead' || isShut(world, post.channel)) continue
    const called = loudMs(world, post, nowMs)
    const open = openOn(world, post)
    if (called === null || nowMs - called >= joinsListWithinMs || open.length === 0) continue
    const hasCritical = isUnsent(post) || open.some(({ severity }) => severity === 'critical')
    const name = `${post.data.of} ${placeOf(post)}`
    lists.set(name, [...(lists.get(name) ?? []), { post, hasCritical }])
  }
  return {
    /** The first critical one is told aloud. */
    find({ alert, target }: Missing): Post | null {
      const isCritical = alert.severity === 'critical'
      const some = alert.closedMs === null ? (lists.get(`${kindOf(alert)} ${placeOf(target)}`) ?? []) : []
      return some.find(({ hasCritical }) => hasCritical || !isCritical)?.post ?? null
    },
  }
}

/** A first poll calls nobody: one quiet list. */
function tellFirst(scene: Scene, some: readonly Missing[]): void {
  if (some.length > 1) list(scene, some, null)
  else for (const one of some) single(scene, one)
}

function tell(scene: Scene, later: readonly Missing[], { singlesMax }: Limits): void {
  const [one] = later
  if (one === undefined) return
  const { world } = scene
  const folded = [...world.posts.values()].filter(
    (post) => isUnsent(post) && post.isLoud && isFoldable(world, post, one.target),
  )
  const open = folded.flatMap((post) => openOn(world, post))
  const all = [...open.map((alert) => ({ alert, target: targetOf(scene, alert) })), ...later]
  if (all.length <= singlesMax) {
    for (const some of later) single(scene, some)
    return
  }
  for (const post of folded) drop(scene, post)
  const kinds = [...Map.groupBy(all, ({ alert }) => kindOf(alert))].sort(
    ([, a], [, b]) => b.length - a.length,
  )
  const large = kinds.filter(([, some]) => some.length > singlesMax)
  const small = kinds.filter(([, some]) => some.length <= singlesMax).flatMap(([, some]) => some)
  if (large.length + small.length <= singlesMax) {
    for (const [kind, some] of large) list(scene, some, kind)
    for (const some of small) single(scene, some)
    return
  }
  // One message is kept for the mixed list.
  for (const [kind, some] of large.slice(0, singlesMax - 1)) list(scene, some, kind)
  list(scene, [...large.slice(singlesMax - 1).flatMap(([, some]) => some), ...small], null)
}

/** A single or a mixed list of the same place, of which nothing is over. */
function isFoldable(world: World, post: Post, target: AlertTarget): boolean {
  const isHere = placeOf(post) === placeOf(target)
  return isHere && isCard(post) && !isOfOneKind(post) && openOn(world, post).length === post.shows.length
}

function isOfOneKind({ kind, data }: Post): boolean {
  return kind === 'list' && (data.of ?? null) !== null
}

function single({ world, nowMs }: Scene, { alert, target }: Missing): void {
  const { channel, forChannel } = target
  const base = `alert:${alert.id}:${channel}`
  // The id of a dead one is not used again.
  const dead = deadIn(world, alert, channel)
  const isLoud = !alert.isFirstPoll
  want(world, nowMs, {
    id: dead.length === 0 ? base : `${base}:${dead.length + 1}`,
    kind: 'alert',
    channel,
    forChannel,
    isLoud,
    mention: isLoud && alert.closedMs === null ? target.mention : null,
    shows: [{ alert: alert.id, isQuiet: !isLoud, atMs: nowMs }],
  })
}

/** `of`: their kind, or null for a mixed one. */
function list(scene: Scene, some: readonly Missing[], of: string | null): void {
  const { world, nowMs } = scene
  const [first] = some
  if (first === undefined) return
  const { channel, forChannel } = first.target
  const isFirst = first.alert.isFirstPoll
  const alerts = some.map(({ alert }) => alert)
  want(world, nowMs, {
    id: `list:${world.nextId(nowMs)}:${channel}`,
    kind: 'list',
    channel,
    forChannel,
    isLoud: !isFirst,
    mention: isFirst ? null : mentionsOf(scene, alerts),
    data: { of, ...(isFirst && { isFirst }) },
    shows: alerts.map(({ id }) => ({ alert: id, isQuiet: isFirst, atMs: nowMs })),
  })
}

/** The lines of a list, 80 a reply of its thread. */
function wantLines({ world, nowMs }: Scene, post: Post): void {
  if (post.state === 'dead' || post.shows.length < 2) return
  for (let page = 0; page * linesOnPage < post.shows.length; page += 1) {
    const id = `lines:${post.id}:${page}`
    const shows = post.shows.slice(page * linesOnPage, (page + 1) * linesOnPage)
    const { channel, forChannel, id: thread } = post
    want(world, nowMs, { id, kind: 'lines', channel, forChannel, thread, shows, data: { page }, urgency: 4 })
    // What a list shows only grows.
    if (world.posts.get(id)?.shows.length !== shows.length) world.patch('posts', id, { shows })
  }
}

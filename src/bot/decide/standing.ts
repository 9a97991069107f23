/**
 * Where an alert is told and who is mentioned there: its route, or the default channel while the route's one is shut; and where it stands:
 * the one living message, single or list, on which people find it.
 */
import { minute } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Fact, Shift } from '../world/facts.ts'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { isHidden } from './hidden.ts'
import { isMatch, rolesOf } from './matching.ts'
import { isUnsent } from './want.ts'

type Target = { readonly channel: string; readonly mention: string | null }

/** `forChannel` is where the policy wants it, `channel` where it can be told now. The mention is as Slack takes it. */
export type AlertTarget = Target & { readonly forChannel: string }

/** What the policy says of an alert, by policy and roles of that moment: records never change. */
type Ruling = {
  readonly policy: Policy
  readonly roles: Fact | undefined
  readonly defaultChannel: string
  readonly route: Target
  readonly isIgnored: boolean
}
const rulings = new WeakMap<Alert, Ruling>()

/** All channels in which alerts may be told: the default and those of the routes. */
export function channelsOf(policy: Policy, defaultChannel: string): string[] {
  return [...new Set([defaultChannel, ...policy.routes.map(({ channel }) => channel)])]
}

export function hasBoard({ policy, defaultChannel }: Scene, channel: string): boolean {
  return policy.board && channelsOf(policy, defaultChannel).includes(channel)
}

/** It takes nothing until a person acts. */
export function isShut(world: World, channel: string): boolean {
  return Object.hasOwn(world.fact('shut') ?? {}, channel)
}

export function targetOf(scene: Scene, alert: Alert): AlertTarget {
  const { world, defaultChannel } = scene
  const { route } = rulingOf(scene, alert)
  const isElsewhere = isShut(world, route.channel) && !isShut(world, defaultChannel)
  return {
    channel: isElsewhere ? defaultChannel : route.channel,
    forChannel: route.channel,
    mention: mentionOf(scene, route.mention),
  }
}

/** Those of the routes of these alerts, each once; null for none. */
export function mentionsOf(scene: Scene, alerts: readonly Alert[]): string | null {
  const mentions = new Set(alerts.flatMap((alert) => targetOf(scene, alert).mention ?? []))
  return mentions.size === 0 ? null : [...mentions].join(' ')
}

/** People hear of it: nobody hid it, and the policy does not ignore it. */
export function isAudible(scene: Scene, alert: Alert): boolean {
  return !isHidden(scene.world, alert, scene.nowMs) && !rulingOf(scene, alert).isIgnored
}

export function isLeftOut(scene: Scene, alert: Alert): boolean {
  return rulingOf(scene, alert).isIgnored
}

/** Slack does not show it as it should. Nobody misses the board of a channel that refuses. */
export function isBehind(world: World, { kind, channel, state, shownHash }: Post): boolean {
  if (kind === 'board' && isShut(world, channel)) return false
  return state === 'live' ? shownHash === null : state !== 'dead'
}

/** All that is open but what the policy ignores. */
export function openIn(scene: Scene): Alert[] {
  return [...scene.world.open.values()].filter((alert) => !isLeftOut(scene, alert))
}

/** The word `oncall` means whoever is on call now; all else is text for Slack. */
export function mentionOf(scene: Scene, mention: string | null): string | null {
  const wordOf = (word: string) => (word === 'oncall' ? onCallMention(scene) : word)
  return mention?.split(' ').map(wordOf).join(' ') ?? null
}

function onCallMention({ world, nowMs }: Scene): string {
  const people = new Set(onCallAt(world, nowMs).map(({ person }) => person))
  if (people.size === 0) return '(nobody is known to be on call)'
  return [...people].map(mentionOfPerson).join(' ')
}

const none: readonly Shift[] = []
const laid = new WeakMap<readonly Shift[], readonly [calendar: readonly Shift[], both: readonly Shift[]]>()

/** Who is on call when: the calendar's shifts, with the covers laid over them. */
export function shiftsIn(world: World): readonly Shift[] {
  const calendar = world.fact('oncall')?.shifts ?? none
  const covers = world.fact('covers') ?? none
  const [of, known] = laid.get(covers) ?? []
  if (known !== undefined && of === calendar) return known
  const both = covers.reduce(layOver, calendar)
  laid.set(covers, [calendar, both])
  return both
}

function layOver(shifts: readonly Shift[], cover: Shift): readonly Shift[] {
  const { fromMs, untilMs, person } = cover
  const under = shifts.filter((one) => one.fromMs < untilMs && fromMs < one.untilMs && one.person !== person)
  const around = shifts.flatMap((one) => [
    { ...one, untilMs: Math.min(one.untilMs, fromMs) },
    { ...one, fromMs: Math.max(one.fromMs, untilMs) },
  ])
  const own = { ...cover, covers: under.map((one) => one.person) }
  return [...around, own].filter((one) => one.fromMs < one.untilMs)
}

export function onCallAt(world: World, ms: number): Shift[] {
  return shiftsIn(world).filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs)
}

/** For a page: whom it calls while somebody covers. PagerDuty always decides itself. */
export function coverCalled({ world, pager, nowMs }: Scene): { readonly to?: string } {
  const cover = onCallAt(world, nowMs).find(({ covers }) => covers !== undefined)
  return pager !== 'webhook' || cover === undefined ? {} : { to: cover.person }
}

/** A member's id mentions; of a name, only letters and spaces are taken. */
function mentionOfPerson(person: string): string {
  if (isMember(person)) return `<@${person}>`
  return person.replace(/^name:/, '').replaceAll(/[^\p{L}\p{N} .-]/gu, '')
}

export function isMember(person: string): boolean {
  return /^[UW][A-Z0-9]+$/.test(person)
}

function rulingOf({ world, policy, defaultChannel }: Scene, alert: Alert): Ruling {
  const roles = world.facts.get('roles')
  const known = rulings.get(alert)
  if (known?.policy === policy && known.roles === roles && known.defaultChannel === defaultChannel)
    return known
  const own = rolesOf(world, alert.host)
  const unrouted = { channel: defaultChannel, mention: null }
  const ruling = {
    policy,
    roles,
    defaultChannel,
    // The first that matches, else the default channel without a mention.
    route: policy.routes.find(({ match }) => isMatch(match, alert, own)) ?? unrouted,
    isIgnored: policy.ignore.some((match) => isMatch(match, alert, own)),
  }
  rulings.set(alert, ruling)
  return ruling
}

/** The pager and the reminders do not wait longer for Slack. */
const slackMayTakeMs = 2 * minute

export function isCard({ kind }: Post): boolean {
  return kind === 'alert' || kind === 'list'
}

/** Slack refused it for good, and an alert on it that is still open stands on no other message. */
export function isUnseen(world: World, { state, shows }: Post): boolean {
  const isStanding = (post: Post) => post.state === 'live' && isCard(post)
  return (
    state === 'dead' &&
    shows.some(({ alert }) => world.open.has(alert) && !world.postsAbout(alert).some(isStanding))
  )
}

/**
 * Its message in the channel where it is to be told now; or in another one that is readable, where it was told while that one was shut.
 */
export function standingPost(scene: Scene, alert: Alert): Post | null {
  const { world } = scene
  const ids = world.about.get(alert.id)
  if (ids === undefined) return null
  const target = targetOf(scene, alert)
  let elsewhere: Post | null = null
  for (const id of ids) {
    const post = world.posts.get(id)
    if (post === undefined || post.state === 'dead' || !isCard(post)) continue
    if (post.channel === target.channel) return post
    if (post.forChannel === target.forChannel && !isShut(world, post.channel)) elsewhere ??= post
  }
  return elsewhere
}

/** Since when people could know of what stands on it; null while they could not. */
export function heardMs(post: Post, nowMs: number): number | null {
  if (post.state === 'live') return post.sentMs ?? post.createdMs
  return nowMs >= post.createdMs + slackMayTakeMs ? post.createdMs : null
}

/** When it called people last, itself or by a reply; null for a quiet one. What is not sent yet will call. */
export function loudMs(world: World, post: Post, nowMs: number): number | null {
  const loud = [post, ...world.repliesTo(post.id)].filter(({ isLoud, state }) => isLoud && state !== 'dead')
  if (loud.length === 0) return null
  return Math.max(...loud.map((one) => (isUnsent(one) ? nowMs : (one.sentMs ?? one.createdMs))))
}

/** The message in a channel that tells an act. */
export function messageOf(world: World, act: string): Post | undefined {
  return world.postsTelling(act).find(({ kind, thread }) => kind === 'said' && thread === null)
}

/** What is to be said of an alert, and on which post; `what` may be said of several alerts together. */
type Saying = { readonly post: Post; readonly alert: Alert; readonly what: string }

/** The alerts of one post together. */
export function byPost<T extends Saying>(sayings: readonly T[]): (T & { readonly alerts: Alert[] })[] {
  const groups = Map.groupBy(sayings, ({ post, what }) => `${post.id} ${what}`).values()
  return [...groups].flatMap((some) =>
    some.slice(0, 1).map((first) => ({ ...first, alerts: some.map(({ alert }) => alert) })),
  )
}

/** More than `max` groups of a channel become one: nobody reads twenty messages of one moment. */
export function merged<T extends Saying & { readonly alerts: readonly Alert[] }>(groups: T[], max: number) {
  const places = Map.groupBy(groups, ({ post, what }) => `${post.channel} ${what}`).values()
  return [...places].flatMap((some) => {
    const [first] = some
    if (first === undefined || some.length <= max) return some
    return [{ ...first, alerts: some.flatMap(({ alerts }) => alerts) }]
  })
}

export function openOn(world: World, post: Post): Alert[] {
  return post.shows.flatMap(({ alert }) => world.open.get(alert) ?? [])
}

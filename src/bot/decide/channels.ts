/** Where an alert is told and who is mentioned there: its route, or the default channel while the route's one is shut. */
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/scene.ts'
import type { Fact } from '../world/facts.ts'
import type { Alert } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { isHidden } from './hidden.ts'
import { isIgnored, rolesOf, routeOf, type Target } from './matching.ts'

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
  const shifts = world.fact('oncall')?.shifts ?? []
  const people = new Set(
    shifts.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs).map(({ person }) => person),
  )
  if (people.size === 0) return '(nobody is known to be on call)'
  return [...people].map(mentionOfPerson).join(' ')
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
  const ruling = {
    policy,
    roles,
    defaultChannel,
    route: routeOf(policy, alert, own, defaultChannel),
    isIgnored: isIgnored(policy, alert, own),
  }
  rulings.set(alert, ruling)
  return ruling
}

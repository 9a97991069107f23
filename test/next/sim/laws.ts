/** The laws: what must hold once everything that went wrong has passed. Each break of one is a line. */
import { isHidden } from '../../../src/next/decide/hidden.ts'
import { isIgnored, rolesOf } from '../../../src/next/decide/matching.ts'
import { wantedOff } from '../../../src/next/loops/switches.ts'
import { keyHash } from '../../../src/next/slack/key.ts'
import type { Scene } from '../../../src/next/view/scene.ts'
import type { Alert } from '../../../src/next/world/types.ts'
import type { Bot } from '../worlds/bot.ts'
import { viewOf } from '../worlds/plain-view.ts'

export function broken(bot: Bot): string[] {
  const scene = bot.scene()
  return [
    ...bot.slack.wrongs,
    ...openAlertsStandOnce(bot, scene),
    ...slackShowsTheView(bot, scene),
    ...nothingIsSaidTwice(bot, scene),
    ...everythingIsKnown(bot),
    ...switchesAreTold(bot, scene),
    ...mutesEnd(scene),
    ...nothingIsUnderWay(scene),
    ...theDiskHoldsTheWorld(bot, scene),
  ]
}

/** What is open in the monitoring is open here, and nothing else is. */
function everythingIsKnown(bot: Bot): string[] {
  const { world } = bot.scene()
  const listed = [...bot.api.records.values()].filter((record) => record.endedMs === null && !record.isOneoff)
  const open = new Set([...world.open.values()].map((alert) => alert.key))
  const unknown = listed.filter((record) => !open.delete(`${record.number}@${record.startedMs}`))
  return [
    ...unknown.map(({ number }) => `#${number} is open and not known to be`),
    ...[...open].map((key) => `${key} is not open and taken to be`),
  ]
}

function isAudible(scene: Scene, alert: Alert): boolean {
  const { world, policy, nowMs } = scene
  return !isHidden(world, alert, nowMs) && !isIgnored(policy, alert, rolesOf(world, alert.host))
}

function openAlertsStandOnce(bot: Bot, scene: Scene): string[] {
  const { world } = scene
  return [...world.open.values()].flatMap((alert) => {
    if (!isAudible(scene, alert)) return []
    const cards = world.postsAbout(alert.id).filter(({ kind }) => kind === 'alert' || kind === 'list')
    const standing = cards.filter((post) => {
      const { isMember, isArchived } = bot.slack.channelOf(post.channel)
      const isThere = bot.slack.standing(post.channel).some((message) => message.ts === post.ts)
      return post.state === 'live' && isThere && isMember && !isArchived
    })
    const where = cards.map(({ id, state, channel }) => `${id} in ${channel} ${state}`).join(', ')
    // In the channel that was shut meanwhile and in the one that stood in for it, but never twice in one.
    const places = new Set(standing.map(({ channel }) => channel))
    return standing.length > 0 && places.size === standing.length
      ? []
      : [`${alert.id} stands ${standing.length} times: ${where}`]
  })
}

function slackShowsTheView(bot: Bot, scene: Scene): string[] {
  return [...scene.world.posts.values()].flatMap((post) => {
    const message = bot.slack.standing(post.channel).find(({ ts }) => ts === post.ts)
    if (post.state !== 'live' || Object.hasOwn(scene.world.fact('shut') ?? {}, post.channel)) return []
    if (message === undefined) return [`${post.id} is taken to be there and is not`]
    const view = viewOf(post, scene)
    if (message.text === view.text && message.blocks === JSON.stringify(view.blocks)) return []
    return [`${post.id} shows ${message.text} in place of ${view.text}`]
  })
}

function nothingIsSaidTwice(bot: Bot, { world }: Scene): string[] {
  const ids = new Map([...world.posts.values()].map((post) => [keyHash(post.id), post]))
  const byKey = Map.groupBy(
    bot.slack.standing().filter((message) => message.isOurs),
    ({ key }) => key ?? '',
  )
  return [...byKey].flatMap(([key, messages]) => {
    const post = ids.get(key)
    if (post === undefined) return [`nobody knows of: ${messages.map(({ text }) => text).join('; ')}`]
    if (messages.length > 1) return [`${post.id} stands ${messages.length} times`]
    return post.state === 'live' && post.ts === messages[0]?.ts
      ? []
      : [`${post.id} stands and is ${post.state}`]
  })
}

function switchesAreTold(bot: Bot, scene: Scene): string[] {
  const off = wantedOff(scene)
  return [...new Set([...off.keys(), ...bot.api.switches.keys()])].flatMap((id) => {
    const isOn = bot.api.switches.get(id) ?? true
    return isOn === !off.has(id) ? [] : [`${id} is ${isOn ? 'on' : 'off'}`]
  })
}

function mutesEnd({ world, nowMs }: Scene): string[] {
  return [...world.activeMutes.values()].flatMap(({ id, untilMs }) =>
    untilMs !== null && untilMs < nowMs - 10_000 ? [`mute ${id} outlives its end`] : [],
  )
}

function nothingIsUnderWay({ world }: Scene): string[] {
  const shut = world.fact('shut') ?? {}
  const posts = [...world.posts.values()].filter(
    ({ state, channel }) => state !== 'live' && state !== 'dead' && !Object.hasOwn(shut, channel),
  )
  const switches = [...world.switches.values()].filter(({ told }) => told === 'unknown')
  return [
    ...posts.map(({ id, state }) => `${id} is still ${state}`),
    ...switches.map(({ id }) => `${id} is unknown`),
  ]
}

function theDiskHoldsTheWorld(bot: Bot, { world }: Scene): string[] {
  const onDisk = new Map(bot.disk.live().map(({ kind, id, doc }) => [`${kind} ${id}`, doc]))
  const kinds = ['alerts', 'posts', 'mutes', 'switches', 'acts', 'effects'] as const
  return kinds.flatMap((kind) =>
    [...world[kind].values()].flatMap((record) =>
      onDisk.get(`${kind} ${record.id}`) === JSON.stringify(record)
        ? []
        : [`${kind} ${record.id} is not on disk`],
    ),
  )
}

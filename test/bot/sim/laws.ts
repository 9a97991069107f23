/** The laws: what must hold once everything that went wrong has passed. Each break of one is a line. */
import { channelsOf, isAudible } from '../../../src/bot/decide/standing.ts'
import { wantedOff } from '../../../src/bot/loops/switches.ts'
import { keyHash } from '../../../src/bot/slack/look.ts'
import { type Scene, viewOf } from '../../../src/bot/view/view.ts'
import type { Post } from '../../../src/bot/world/types.ts'
import type { Bot } from '../worlds/bot.ts'
import type { FakeMessage } from '../worlds/fake-slack.ts'

export function broken(bot: Bot): string[] {
  const scene = bot.scene()
  return [
    ...bot.slack.wrongs,
    ...nothingThrew(bot),
    ...openAlertsStandOnce(bot, scene),
    ...slackShowsTheView(bot, scene),
    ...nothingIsSaidTwice(bot, scene),
    ...everythingIsKnown(bot),
    ...switchesAreTold(bot, scene),
    ...whoIsWaitedForIsHeard(bot, scene),
    ...callsAreTold(bot, scene),
    ...mutesEnd(scene),
    ...snoozesEnd(bot, scene),
    ...decisionsAreWhole(scene),
    ...nothingIsUnderWay(scene),
    ...theDiskHoldsTheWorld(bot, scene),
  ]
}

/** Whatever goes wrong outside, no code of ours throws. */
function nothingThrew({ logged }: Bot): string[] {
  return logged.filter((line) =>
    /^(?:call|picture|poll|round|slack|view):failed|set_aside|TypeError/.test(line),
  )
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
    if (post.kind === 'board') return boardWrong(scene, post, message.text, view.text)
    if (message.text === view.text && message.blocks === JSON.stringify(post.isPlain ? [] : view.blocks))
      return []
    return [`${post.id} shows ${message.text} in place of ${view.text}`]
  })
}

/** The time of the last poll may be a minute old on a board. */
function boardWrong(
  { policy, defaultChannel }: Scene,
  { id, channel }: Post,
  shows: string,
  wanted: string,
): string[] {
  const settled = (text: string) => text.replace(/Last good poll <[^>]*>/, '')
  const isUsed = channelsOf(policy, defaultChannel).includes(channel)
  return !isUsed || settled(shows) === settled(wanted) ? [] : [`${id} shows ${shows} in place of ${wanted}`]
}

function nothingIsSaidTwice(bot: Bot, { world }: Scene): string[] {
  const ids = new Map([...world.posts.values()].map((post) => [keyHash(post.id), post]))
  // Of two copies of a card one was deleted, and what its thread held says nothing to anybody.
  const isSeen = ({ channel, threadTs }: FakeMessage) =>
    threadTs === null || bot.slack.standing(channel).some(({ ts }) => ts === threadTs)
  const byKey = Map.groupBy(
    bot.slack.standing().filter((message) => message.isOurs && isSeen(message)),
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
  const wrong = [...new Set([...off.keys(), ...bot.api.switches.keys()])].flatMap((id) => {
    const isOn = bot.api.switches.get(id) ?? true
    return isOn === !off.has(id) ? [] : [`${id} is ${isOn ? 'on' : 'off'}`]
  })
  const unsure = [...off.values()].flat().filter(({ isConfirmed }) => !isConfirmed)
  return [...wrong, ...unsure.map(({ id }) => `mute ${id} was told and is not confirmed`)]
}

function mutesEnd({ world, nowMs }: Scene): string[] {
  return [...world.activeMutes.values()].flatMap(({ id, untilMs }) =>
    untilMs !== null && untilMs < nowMs - 10_000 ? [`mute ${id} outlives its end`] : [],
  )
}

/** Of what was snoozed nobody is left on it, and it was told aloud once; or what else called since then said so. */
function snoozesEnd(bot: Bot, scene: Scene): string[] {
  const { world, nowMs } = scene
  return [...world.open.values()].flatMap((alert) => {
    const { id, holder, snooze } = alert
    if (!snooze || snooze.untilMs > nowMs - 10_000) return []
    if (holder !== null) return [`the snooze of ${id} outlives its end`]
    const isLater = ({ isLoud, sentMs }: Post) => isLoud && (sentMs ?? 0) >= snooze.untilMs
    const later = world.postsAbout(id).filter((post) => post.kind !== 'remind' && isLater(post))
    const ends = new Set(later.filter(({ data }) => data.why === 'snoozed').map((post) => keyHash(post.id)))
    const told = new Set(bot.slack.messages.flatMap(({ key }) => (ends.has(key ?? '') ? [key] : [])))
    const isTold = told.size === 1 || (ends.size === 0 && later.length > 0)
    return isTold || !isAudible(scene, alert)
      ? []
      : [`the end of the snooze of ${id} was told ${told.size} times`]
  })
}

/** A mute, the act that made it and the message that tells of it were one decision. */
function decisionsAreWhole({ world }: Scene): string[] {
  const told = new Set([...world.posts.values()].map(({ data }) => data.act))
  return [...world.mutes.values()].flatMap(({ id, act }) =>
    world.acts.has(act) && told.has(act) ? [] : [`mute ${id} is there without its act or message`],
  )
}

function nothingIsUnderWay({ world }: Scene): string[] {
  const shut = world.fact('shut') ?? {}
  const posts = [...world.posts.values()].filter(
    ({ state, channel }) => state !== 'live' && state !== 'dead' && !Object.hasOwn(shut, channel),
  )
  const again = [...world.posts.values()].filter(
    ({ repeatMs, recheckMs, channel }) => (repeatMs ?? recheckMs) !== null && !Object.hasOwn(shut, channel),
  )
  const switches = [...world.switches.values()].filter(({ told }) => told === 'unknown')
  return [
    ...posts.map(({ id, state }) => `${id} is still ${state}`),
    ...again.map(({ id }) => `${id} is repeated or looked for on and on`),
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

/** Long after the last trouble: each alert that nobody is on was told aloud in its round, and its page arrived. */
function whoIsWaitedForIsHeard(bot: Bot, scene: Scene): string[] {
  const { world } = scene
  return [...world.open.values()].flatMap((alert) => {
    if (alert.holder !== null || alert.isFirstPoll || !isAudible(scene, alert)) return []
    if (alert.round === null) return [`${alert.id} has no round`]
    const { fromMs } = alert.round
    const loud = world.postsAbout(alert.id).filter((post) => post.isLoud && post.firstSentMs !== null)
    const keys = new Set(loud.map(({ id }) => keyHash(id)))
    const isHeard = bot.slack.messages.some(({ key, atMs }) => atMs >= fromMs && keys.has(key ?? ''))
    const isCalled = bot.api.pages.some(
      ({ id, type }) =>
        type === 'triggered' && world.effects.get(id)?.data.alerts?.includes(alert.id) === true,
    )
    return [
      ...(isHeard ? [] : [`nobody heard of ${alert.id}`]),
      ...(isCalled ? [] : [`nobody was called about ${alert.id}`]),
    ]
  })
}

/** Each call arrives in order, and ends once nobody waits. */
function callsAreTold(bot: Bot, { world }: Scene): string[] {
  const order = ['triggered', 'acknowledged', 'resolved']
  // A repeat of what had arrived may come late.
  const first = bot.api.pages.filter(({ id }, at) => bot.api.pages.findIndex((one) => one.id === id) === at)
  return [...Map.groupBy(first, ({ dedupKey }) => dedupKey)].flatMap(([key, events]) => {
    const types = events.map(({ type }) => order.indexOf(type))
    const isInOrder = types.every((type, at) => at === 0 || (types[at - 1] ?? 0) <= type)
    const isWaiting = [...world.open.values()].some(
      ({ id, round }) =>
        round !== null && events.some((event) => world.effects.get(event.id)?.data.alerts?.includes(id)),
    )
    const isOver = events.some(({ type }) => type === 'resolved')
    return [
      ...(isInOrder
        ? []
        : [`the call ${key} came out of order: ${events.map(({ type }) => type).join(', ')}`]),
      ...(isWaiting || isOver ? [] : [`the call ${key} never ended`]),
    ]
  })
}

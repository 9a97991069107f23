/** Plays a history on the whole bot, lets it come to rest, and says which laws do not hold. */
import type { Policy } from '../../../src/bot/config/policy.ts'
import { heldBy } from '../../../src/bot/decide/rounds.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import { type Bot, type Break, openBot } from '../worlds/bot.ts'
import { actOf, muteOf, policyOf, postOf, recordOf } from '../worlds/builders.ts'
import { chanceOf } from '../worlds/chance.ts'
import type { ApiFault } from '../worlds/fake-api.ts'
import type { Fault, Method } from '../worlds/fake-slack.ts'
import { openListener } from '../worlds/laws.ts'
import { historyOf, type Moment, shortened, told, troubleMaxMs } from './history.ts'
import { broken } from './laws.ts'

const minute = 60_000
/** Repeats, probes of channels and looks for copies are over by then. */
const restMs = 32 * minute

export type Played = { readonly problems: string[]; readonly bot: Bot }

const step = { match: null, mention: null, channel: null, page: true }
const base = policyOf({
  reminders: [{ ...step, afterMs: 5 * minute }],
  isAccountMuteUnset: false,
  images: true,
})
const routes = [
  [],
  [{ match: { server: ['web-*'] }, channel: 'C1', mention: '<!here>' }],
  [{ match: { server: ['db-*', 'web-2'] }, channel: 'C2', mention: null }],
  [
    { match: { plugin: ['disk'] }, channel: 'C1', mention: null },
    { match: { server: ['web-*'] }, channel: 'C2', mention: '<!here>' },
  ],
]
/** Boards are edited each minute, which costs more than all else: every fourth night has them. */
function policyFor(seed: number, nth: number): Policy {
  return { ...base, routes: routes[nth] ?? [], board: seed % 4 === 0 }
}

export async function play(seed: number, moments: readonly Moment[], breaks?: Break): Promise<Played> {
  // One for all lives: what was heard before a kill was heard.
  const listener = openListener()
  const bot = openBot({
    policy: policyFor(seed, 1),
    looked: listener.look,
    ...(breaks !== undefined && { breaks }),
  })
  const trouble = troubleOf(bot, seed)
  const beginMs = bot.clock.nowMs()
  // The monitoring never lists nothing at all.
  const longAgo = { startedMs: beginMs - 600 * minute, endedMs: beginMs - 500 * minute }
  bot.api.records.set('1', recordOf({ number: '1', host: 'old-1', ...longAgo }))
  bot.start()
  for (const moment of moments) {
    await bot.clock.runUntil(beginMs + moment.atMs)
    happen(bot, trouble, moment, seed)
  }
  // Whatever still goes wrong ends by itself.
  await bot.clock.runFor(troubleMaxMs)
  if (!bot.isRunning()) bot.start()
  await bot.clock.runFor(restMs)
  // Boards are edited each minute, so one moment may find them under way: what stays wrong is wrong.
  const problemsNow = () => [...broken(bot), ...listener.problems]
  let problems = problemsNow()
  for (let looks = 0; looks < 8 && problems.length > 0; looks += 1) {
    await bot.clock.runFor(9000)
    problems = problemsNow()
  }
  return { problems, bot }
}

/** Null where all laws hold; else what does not, with the shortest history that was found to show it. */
export async function failureOf(seed: number): Promise<string | null> {
  const moments = historyOf(seed)
  const { problems } = await play(seed, moments)
  if (problems.length === 0) return null
  const short = await shortened(moments, async (fewer) => (await play(seed, fewer)).problems.length > 0)
  const { problems: last } = await play(seed, short)
  return `SEED=${seed}\n${last.join('\n')}\nafter:\n${told(short)}`
}

/** What goes wrong now, until when. */
function troubleOf(bot: Bot, seed: number) {
  const chance = chanceOf(seed + 1_000_003)
  const { clock, slack, api, disk } = bot
  const until = { slack: 0, slackShare: 0, noSlack: 0, monitor: 0, monitorShare: 0, disk: 0, noKill: 0 }
  slack.state.lagMs = () => chance.int(0, 12_000)
  slack.state.drawsMs = () => chance.int(100, 2500)
  slack.state.faults = (method: Method): Fault => {
    const takesMs = chance.int(40, 400)
    if (clock.nowMs() < until.noSlack) return { kind: chance.of(['dropped', 'later']), takesMs: 4000 }
    if (clock.nowMs() >= until.slack || !chance.isHit(until.slackShare)) return { kind: 'done', takesMs }
    const kinds: Fault['kind'][] = ['lost', 'lost', 'dropped', 'late', 'limited', 'later']
    if (method !== 'look') kinds.push('content')
    return { kind: chance.of(kinds), takesMs: chance.int(100, 9000), lateMs: chance.int(10_000, 110_000) }
  }
  api.state.faults = (): ApiFault => {
    const takesMs = chance.int(20, 300)
    if (clock.nowMs() >= until.monitor || !chance.isHit(until.monitorShare)) return { kind: 'done', takesMs }
    const kinds: ApiFault['kind'][] = ['lost', 'late', 'dropped', 'late', 'later']
    return { kind: chance.of(kinds), takesMs: chance.int(100, 9000), lateMs: chance.int(10_000, 200_000) }
  }
  disk.state.fault = () => {
    if (clock.nowMs() >= until.disk) return 'done'
    return chance.of(['done', 'lost', 'failed'])
  }
  return until
}

function happen(bot: Bot, trouble: ReturnType<typeof troubleOf>, moment: Moment, seed: number): void {
  const { clock, api, slack, disk } = bot
  const nowMs = clock.nowMs()
  const later = (forMs: number, work: () => void) => void clock.wait(forMs).then(work)
  switch (moment.does) {
    case 'open': {
      const { number, host, plugin, isCritical } = moment
      const details = { ...recordOf().details, severity: isCritical ? 'critical' : 'warning' }
      const said = { number, host, server: host, plugin, metric: plugin, title: `${plugin} is bad`, details }
      api.records.set(number, recordOf({ ...said, startedMs: nowMs, value: null }))
      return
    }
    case 'close':
    case 'worsen': {
      const there = api.records.get(moment.number)
      if (there === undefined || there.endedMs !== null) return
      const details = { ...there.details, severity: 'critical' }
      api.records.set(
        moment.number,
        moment.does === 'close' ? { ...there, endedMs: nowMs } : { ...there, details },
      )
      return
    }
    case 'vanish':
      api.records.delete(moment.number)
      return
    case 'take':
    case 'hand back':
      bot.press((scene) => hold(scene, moment.number, moment.does === 'take' ? moment.by : null))
      return
    case 'snooze':
      bot.press((scene) => hold(scene, moment.number, moment.by, moment.forMs))
      return
    case 'mute':
      bot.press((scene) => mute(scene, moment.subject, moment.forMs, moment.by))
      return
    case 'unmute':
      bot.press((scene) => endMutes(scene, moment.subject, 'UBEN'))
      return
    case 'kill':
      if (!bot.isRunning() || trouble.noKill > nowMs) return
      bot.kill()
      later(moment.forMs, () => bot.isRunning() || bot.start())
      return
    case 'depose':
      if (!bot.isRunning() || trouble.noKill > nowMs) return
      bot.depose()
      bot.start()
      return
    case 'rough slack':
      trouble.slack = nowMs + moment.forMs
      trouble.slackShare = moment.share
      return
    case 'rough monitoring':
      trouble.monitor = nowMs + moment.forMs
      trouble.monitorShare = moment.share
      return
    case 'rough disk':
      trouble.disk = nowMs + moment.forMs
      return
    case 'no slack':
      trouble.noSlack = nowMs + moment.forMs
      return
    case 'no monitoring':
      api.state.isDown = true
      later(moment.forMs, () => {
        api.state.isDown = false
      })
      return
    case 'no disk':
      disk.state.isAway = true
      later(moment.forMs, () => {
        disk.state.isAway = false
      })
      return
    case 'no token':
      slack.state.isTokenRefused = true
      later(moment.forMs, () => {
        slack.state.isTokenRefused = false
      })
      return
    case 'archive':
    case 'kick':
    case 'lock': {
      const channel = slack.channelOf(moment.channel)
      const field = ({ archive: 'isArchived', kick: 'isMember', lock: 'isReadOnly' } as const)[moment.does]
      channel[field] = field !== 'isMember'
      later(moment.forMs, () => {
        channel[field] = field === 'isMember'
      })
      return
    }
    case 'delete message': {
      // What was posted a moment ago nobody has seen; and Slack tells of a deletion once, so it must reach the disk.
      const old = slack.standing().filter((one) => one.isOurs && one.atMs < nowMs - 5000)
      const message = old[moment.nth % Math.max(old.length, 1)]
      if (message === undefined || !bot.isRunning() || disk.state.isAway || trouble.disk > nowMs) return
      trouble.noKill = nowMs + 1000
      bot.deleteByPerson(message)
      return
    }
    case 'forge': {
      const all = slack.standing().filter((one) => one.isOurs)
      const message = all[moment.nth % Math.max(all.length, 1)]
      if (message !== undefined) slack.forge(message.channel, message.key)
      return
    }
    case 'route':
      bot.usePolicy(policyFor(seed, moment.nth))
  }
}

function hold({ world, nowMs }: Scene, number: string, holder: string | null, forMs?: number): void {
  const snooze = holder === null || forMs === undefined ? null : { by: holder, untilMs: nowMs + forMs }
  for (const alert of world.open.values()) {
    // Nobody reads faster, or hands back what nobody has.
    const isSeen = nowMs - alert.firstSeenMs >= 2000 && (holder ?? alert.holder) !== null
    if (alert.number !== number || !isSeen) continue
    world.patch('alerts', alert.id, heldBy(holder, nowMs, snooze))
    for (const post of world.postsAbout(alert.id)) world.patch('posts', post.id, { urgency: 0 })
  }
}

function mute(scene: Scene, subject: string, forMs: number | null, by: string): void {
  const { world, nowMs } = scene
  endMutes(scene, subject, 'replaced')
  const id = world.nextId(nowMs)
  const act = world.nextId(nowMs)
  world.put('acts', actOf({ id: act, atMs: nowMs, by, subject, data: { mutes: [id] } }))
  world.put(
    'mutes',
    muteOf({ id, subject, by, act, fromMs: nowMs, untilMs: forMs === null ? null : nowMs + forMs }),
  )
  const said = {
    kind: 'said',
    channel: scene.defaultChannel,
    data: { act },
    createdMs: nowMs,
    urgency: 0,
  } as const
  world.put('posts', postOf({ id: `said:${act}:${scene.defaultChannel}`, ...said }))
}

function endMutes({ world, nowMs }: Scene, subject: string, by: string): void {
  for (const one of world.activeMutes.values()) {
    if (one.subject === subject) world.patch('mutes', one.id, { ended: { atMs: nowMs, by } })
  }
}

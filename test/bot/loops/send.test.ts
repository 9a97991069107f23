/** What Slack sees of the sender, beside what the random nights hold: order, limits, refusals, pictures, and what a start leaves alone. */
import { describe, expect, it } from 'vitest'
import { hour, minute, second } from '../../../src/bot/clock.ts'
import { want } from '../../../src/bot/decide/want.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { askChannel } from '../../../src/bot/loops/refusals.ts'
import type { ChannelState } from '../../../src/bot/slack/port.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { type Bot, openBot } from '../worlds/bot.ts'
import { alertOf, policyOf, postOf, recordOf, sceneOf } from '../worlds/builders.ts'
import type { Fault, Method } from '../worlds/fake-slack.ts'

/** A bot that runs and has told of these alerts, which stay listed. */
async function botWith(hosts: readonly string[], over: Parameters<typeof policyOf>[0] = {}): Promise<Bot> {
  const bot = openBot({ policy: policyOf(over) })
  const old = bot.clock.nowMs() - 600 * minute
  bot.api.records.set('1', recordOf({ number: '1', startedMs: old, endedMs: old + minute }))
  bot.start()
  await bot.clock.runFor(minute)
  for (const [at, host] of hosts.entries()) openAlert(bot, host, at)
  await bot.clock.runFor(2 * minute)
  return bot
}

function openAlert(bot: Bot, host: string, at = 0): void {
  const number = String(100 + at)
  bot.api.records.set(
    number,
    recordOf({ number, host, server: host, plugin: host, startedMs: bot.clock.nowMs() }),
  )
}

function close(bot: Bot, number: string): void {
  const there = bot.api.records.get(number)
  if (there !== undefined) bot.api.records.set(number, { ...there, endedMs: bot.clock.nowMs() })
}

function cardOf(bot: Bot, host = 'web-1'): Post {
  const posts = [...bot.world().posts.values()]
  const card = posts.find(
    ({ kind, shows }) => kind === 'alert' && bot.world().alerts.get(shows[0]?.alert ?? '')?.host === host,
  )
  if (card === undefined) throw new Error(`expected a card of ${host}`)
  return card
}

function message(bot: Bot, { ts, channel }: Post) {
  const there = bot.slack.standing(channel).find((one) => one.ts === ts)
  if (there === undefined) throw new Error('expected a message that stands')
  return there
}

function takes(scene: Scene, host: string): void {
  for (const alert of scene.world.open.values())
    if (alert.host === host) scene.world.patch('alerts', alert.id, { holder: 'UANA', heldMs: scene.nowMs })
}

/** `count` live posts that differ from what Slack shows. */
async function backlog(
  count: number,
  over: (at: number) => Partial<Post>,
  hosts: readonly string[] = [],
): Promise<Bot> {
  const bot = await botWith(hosts)
  bot.press(({ world, nowMs }) => {
    for (let at = 0; at < count; at += 1) {
      const alert = alertOf({ id: `a${at}`, key: `a${at}`, closedMs: nowMs, closedBy: 'end' })
      world.put('alerts', alert)
      const shows = [{ alert: alert.id, isQuiet: false, atMs: nowMs }]
      const { channel, ts } = Object.assign(bot.slack.forge('C9', null), { isOurs: true })
      const live = { channel, state: 'live', ts, channelId: channel, shows } as const
      world.put('posts', postOf({ id: `p${at}`, ...live, ...over(at) }))
    }
  })
  return bot
}

/** The first call of this method ends so, all later ones well. */
function firstEnds(bot: Bot, of: Method, kind: Fault['kind'] | 'thrown'): void {
  let isFirst = true
  bot.slack.state.faults = (method) => {
    const fault = method === of && isFirst ? kind : 'done'
    isFirst &&= method !== of
    if (fault === 'thrown') throw new Error('bug')
    return { kind: fault, takesMs: 100 }
  }
}

function timesOf(bot: Bot, of: Method): number[] {
  return bot.slack.calls.flatMap(({ method, atMs }) => (method === of ? [atMs] : []))
}

describe('of edits', () => {
  const shownAt = (bot: Bot, id: string) => bot.world().posts.get(id)?.shownHash !== null

  it('what a person just did goes first', async () => {
    const bot = await backlog(100, (at) => ({ urgency: at === 99 ? 0 : 3 }))
    await bot.clock.runFor(second)
    expect(shownAt(bot, 'p99')).toBe(true)
  })

  it('what has just closed goes before what is shown closed', async () => {
    const bot = await backlog(100, (at) => ({ isShownClosed: at < 99 }))
    await bot.clock.runFor(second)
    expect(shownAt(bot, 'p99')).toBe(true)
  })

  it('those that have waited for over a minute are counted', async () => {
    const bot = await backlog(100, () => ({}))
    await bot.clock.runFor(minute)
    expect(bot.lateEdits()).toBe(0)
    await bot.clock.runFor(second)
    expect(bot.lateEdits()).toBeGreaterThan(40)
    await bot.clock.runFor(2 * minute)
    expect(bot.lateEdits()).toBe(0)
  })

  it.each([
    ['list', 4],
    ['board', 5],
  ] as const)('a %s gets a small share, while others wait', async (kind, share) => {
    const bot = await backlog(200, (at) => (at < 100 ? { kind } : {}))
    await bot.clock.runFor(55 * second)
    const shown = Array.from({ length: 200 }, (_, at) => shownAt(bot, `p${at}`))
    const [some, others] = [shown.slice(0, 100), shown.slice(100)].map((part) => part.filter(Boolean).length)
    expect(some).toBeGreaterThan(0)
    expect((some ?? 0) * share).toBeLessThan(others ?? 0)
  })
})

it('one message a second goes to a channel, the most urgent first, and each as soon as it may', async () => {
  const bot = await botWith([])
  const { nowMs } = bot.scene()
  bot.press(({ world }) => {
    for (const [urgency, createdMs] of [
      [3, 1],
      [1, 3],
      [1, 2],
    ] as const)
      world.put('posts', postOf({ id: `p${createdMs}`, kind: 'hello', urgency, createdMs }))
  })
  await bot.clock.runFor(minute)
  const sent = [2, 3, 1].map((at) => bot.world().posts.get(`p${at}`)?.sentMs ?? 0)
  expect(sent.map((ms) => Math.round((ms - nowMs) / second))).toEqual([0, 1, 2])
  expect(bot.slack.pinned).toEqual([])
})

it.each(['post', 'update'] as const)('%s rests for as long as Slack says', async (method) => {
  const hosts = ['web-1', 'db-1']
  const bot = await botWith(hosts)
  const before = timesOf(bot, method).length
  firstEnds(bot, method, 'limited')
  for (const host of hosts) {
    const hello = { id: host, kind: 'hello', channel: 'C0' } as const
    if (method === 'post') bot.press(({ world, nowMs }) => want(world, nowMs, hello))
    else bot.press((scene) => takes(scene, host))
    await bot.clock.runFor(second)
  }
  await bot.clock.runFor(minute)
  const [first = 0, ...others] = timesOf(bot, method).slice(before)
  expect(others).toHaveLength(2)
  expect(Math.round((Math.min(...others) - first) / second)).toBe(5)
})

describe('what Slack refuses', () => {
  it('of blocks goes as text', async () => {
    const bot = await botWith([])
    bot.slack.state.faults = (method) => ({ kind: method === 'post' ? 'content' : 'done', takesMs: 100 })
    openAlert(bot, 'web-1')
    await bot.clock.runFor(2 * minute)
    expect(cardOf(bot)).toMatchObject({ state: 'live', isPlain: true })
    expect(message(bot, cardOf(bot)).blocks).toBe('[]')
  })

  it('in any form goes as a fixed sentence with the link', async () => {
    const bot = await botWith([])
    bot.slack.state.refused = /busy/
    openAlert(bot, 'web-1')
    await bot.clock.runFor(2 * minute)
    expect(message(bot, cardOf(bot)).text).toContain(`Open it in the monitoring: ${recordOf().url}`)
  })

  it('in one channel delays no other, and is tried again', async () => {
    const routes = [{ match: { server: ['web-*'] }, channel: 'C1', mention: null }]
    const bot = await botWith([], { routes })
    bot.slack.channelOf('C1').isArchived = true
    bot.press(({ world, nowMs }) => want(world, nowMs, { id: 'hello', kind: 'hello', channel: 'C1' }))
    openAlert(bot, 'web-1', 0)
    openAlert(bot, 'db-1', 1)
    await bot.clock.runFor(90 * second)
    expect([cardOf(bot).channel, cardOf(bot, 'db-1').state]).toEqual(['C0', 'live'])
    await bot.clock.runFor(5 * minute)
    expect(bot.slack.vain.length).toBeLessThan(8)
    bot.slack.channelOf('C1').isArchived = false
    await bot.clock.runFor(8 * minute)
    expect(bot.world().fact('shut')).toEqual({})
  })
})

it('shows a fixed sentence of what cannot be rendered', async () => {
  const bot = await botWith(['web-1'])
  const card = cardOf(bot)
  await bot.clock.runFor(5 * second)
  bot.press(({ world }) => {
    const alert = world.alerts.get(card.shows[0]?.alert ?? '')
    if (alert !== undefined) world.put('alerts', { ...alert, details: null as never, url: null })
  })
  await bot.clock.runFor(second)
  expect(message(bot, cardOf(bot)).text).toBe(
    'Slack refused to show an alert here. Open it in the monitoring: #100',
  )
})

it('tries an edit that does not go less and less often', async () => {
  const bot = await botWith(['web-1'])
  bot.slack.state.faults = (method) => ({ kind: method === 'update' ? 'later' : 'done', takesMs: 100 })
  bot.press((scene) => takes(scene, 'web-1'))
  await bot.clock.runFor(8 * second)
  expect(timesOf(bot, 'update').length).toBeLessThan(6)
})

it('repeats no edit of a message that left meanwhile', async () => {
  const bot = await botWith(['web-1'])
  const { id, shows } = cardOf(bot)
  firstEnds(bot, 'update', 'lost')
  bot.press((scene) => takes(scene, 'web-1'))
  await bot.clock.runFor(30 * second)
  bot.slack.state.faults = () => ({ kind: 'done', takesMs: 5 * second })
  const before = timesOf(bot, 'update').length
  for (let n = 0; n < 90 && timesOf(bot, 'update').length === before; n += 1) await bot.clock.runFor(second)
  bot.press(({ world }) => {
    world.remove('alerts', shows[0]?.alert ?? '', 'gone')
    world.remove('posts', id, 'gone')
  })
  await bot.clock.runFor(10 * second)
  expect(timesOf(bot, 'update')).toHaveLength(before + 1)
  expect(bot.logged.filter((line) => line.startsWith('call:failed'))).toEqual([])
})

it('takes a call that throws for one that nobody answered', async () => {
  const bot = await botWith([])
  firstEnds(bot, 'post', 'thrown')
  openAlert(bot, 'web-1')
  await bot.clock.runFor(3 * minute)
  expect(cardOf(bot).state).toBe('live')
})

it('sends anew at the top level what may stand there already', async () => {
  const bot = await botWith(['web-1'])
  const card = cardOf(bot)
  bot.press(({ world, nowMs }) => {
    const doubted = { sentMs: nowMs - minute, firstSentMs: nowMs - minute, threadTs: null }
    const said = { kind: 'remind', isLoud: true, thread: card.id, shows: card.shows } as const
    world.put('posts', postOf({ id: 'remind', channel: card.channel, ...said, ...doubted }))
  })
  await bot.clock.runFor(10 * second)
  const post = bot.world().posts.get('remind') as Post
  expect(message(bot, post).threadTs).toBeNull()
})

it('lets loud words wait two minutes for their card, and quiet ones for as long as it takes', async () => {
  const bot = await botWith(['web-1'])
  const { shows } = cardOf(bot)
  bot.press(({ world, nowMs: createdMs }) => {
    world.put('posts', postOf({ id: 'card', shows, createdMs, dueMs: createdMs + 10 * minute }))
    const reply = { kind: 'remind', thread: 'card', shows, createdMs } as const
    for (const isLoud of [true, false]) world.put('posts', postOf({ id: `${isLoud}`, isLoud, ...reply }))
  })
  const states = () => ['true', 'false'].map((id) => bot.world().posts.get(id)?.state)
  await bot.clock.runFor(2 * minute - second)
  expect(states()).toEqual(['new', 'new'])
  await bot.clock.runFor(2 * second)
  expect(states()).toEqual(['live', 'new'])
  await bot.clock.runFor(8 * minute + 2 * second)
  expect(bot.world().posts.get('false')?.threadTs).toBe(bot.world().posts.get('card')?.ts)
})

it('sends anew what nobody can look for, after ten minutes', async () => {
  const bot = await botWith([])
  bot.slack.state.faults = (method) => ({ kind: method === 'update' ? 'done' : 'dropped', takesMs: 100 })
  openAlert(bot, 'web-1')
  await bot.clock.runFor(5 * minute)
  expect(cardOf(bot).state).toBe('unsure')
  bot.slack.state.faults = (method) => ({ kind: method === 'look' ? 'dropped' : 'done', takesMs: 100 })
  await bot.clock.runFor(8 * minute)
  expect(cardOf(bot).state).toBe('live')
})

it('deletes a copy, and asks again where Slack did not take that', async () => {
  const bot = await botWith(['web-1'])
  const card = cardOf(bot)
  const copy = bot.slack.forge('C0', message(bot, card).key)
  Object.assign(copy, { isOurs: true })
  firstEnds(bot, 'delete', 'later')
  bot.press(({ world, nowMs }) => world.patch('posts', card.id, { sentMs: nowMs - hour, recheckMs: nowMs }))
  await bot.clock.runFor(2 * minute)
  expect([copy.isDeleted, timesOf(bot, 'delete').length]).toEqual([true, 2])
  expect(timesOf(bot, 'look').length).toBeLessThan(4)
})

describe('a picture', () => {
  const images = { images: true }
  const pictures = (bot: Bot, post: Post) => message(bot, post).blocks.includes('slack_file')

  it('that is late comes in the thread', async () => {
    const bot = await botWith([], images)
    bot.slack.state.drawsMs = () => 5000
    openAlert(bot, 'web-1')
    await bot.clock.runFor(2 * minute)
    const card = cardOf(bot)
    const [chart] = [...(bot.world().replies.get(card.id) ?? [])].flatMap(
      (id) => bot.world().posts.get(id) ?? [],
    )
    expect(pictures(bot, card)).toBe(false)
    expect(pictures(bot, chart as Post)).toBe(true)
  })

  it('stays on the card that closes, as an edit shows nobody a new one', async () => {
    const bot = await botWith(['web-1'], images)
    const before = cardOf(bot).picture
    expect(bot.world().repliesTo(cardOf(bot).id)).toEqual([])
    close(bot, '100')
    await bot.clock.runFor(2 * minute)
    expect(before).not.toBeNull()
    expect(cardOf(bot)).toMatchObject({ isShownClosed: true, picture: before })
  })
})

describe('a start', () => {
  it('renders anew what was there, after all that happens now', async () => {
    const bot = await backlog(100, () => ({}), ['web-1'])
    bot.kill()
    bot.start()
    await bot.clock.runFor(10)
    bot.press((scene) => takes(scene, 'web-1'))
    await bot.clock.runFor(second)
    expect(message(bot, cardOf(bot)).text).not.toContain('Nobody is on it')
  })

  it('looks for what a backup does not know of, before it sends', async () => {
    const bot = await botWith([])
    openAlert(bot, 'web-1')
    await bot.clock.runFor(2 * minute)
    const fresh = { state: 'new', ts: null, sentMs: null, firstSentMs: null, shownHash: null } as const
    const doc = JSON.stringify({ ...cardOf(bot), ...fresh })
    const name = `posts ${cardOf(bot).id}`
    bot.kill()
    const row = bot.disk.rows.get(name)
    if (row !== undefined) bot.disk.rows.set(name, { ...row, doc })
    await bot.clock.runFor(10 * minute)
    const restored = JSON.stringify({ id: 'restored', value: { atMs: 0 } })
    bot.disk.rows.set('facts restored', { kind: 'facts', id: 'restored', live: true, atMs: 0, doc: restored })
    bot.start()
    await bot.clock.runFor(minute)
    expect(cardOf(bot).state).toBe('live')
    expect(bot.slack.standing('C0').filter(({ text }) => text.includes('web-1'))).toHaveLength(1)
  })
})

it('takes no message of another app for its own', async () => {
  const bot = await botWith(['web-1'])
  const { key } = message(bot, cardOf(bot))
  bot.slack.forge('C0', key)
  bot.press((scene) => takes(scene, 'web-1'))
  bot.kill()
  bot.start()
  await bot.clock.runFor(20 * minute)
  expect(bot.slack.wrongs).toEqual([])
})

it.each<[ChannelState, why: string | undefined]>([
  [{ why: 'channel_not_found' }, 'channel_not_found'],
  [{ why: 'ratelimited' }, undefined],
  [{ name: 'a', isMember: true, isArchived: true }, 'is_archived'],
  [{ name: 'a', isMember: false, isArchived: false }, 'not_in_channel'],
  [{ name: 'a', isMember: true, isArchived: false }, undefined],
])('a start that hears %o of a channel shuts it: %s', async (state, why) => {
  const world = new World()
  const slack = { channel: async () => state, identity: async () => ({ why: '', isToken: false }) }
  await askChannel({ slack, scene: () => sceneOf(world, {}), log: silentLog }, 'C1')
  expect(world.fact('shut')?.C1?.why).toBe(why)
})

/** Histories without loops: a monitoring, people and a Slack in a few lines, the bot's decisions every few seconds, and the laws after each. */
import { minute, second } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { reconcile } from '../../../src/bot/decide/reconcile.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Alert } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, muteOf, policyOf, sceneOf } from '../worlds/builders.ts'
import { type Chance, chanceOf } from '../worlds/chance.ts'
import { openListener } from '../worlds/laws.ts'
import { listingOf, type Said, saidOf } from './listing.ts'

export const step = { afterMs: 15 * minute, match: null, mention: null, channel: null, page: false }
const critical = { severity: ['critical'] }
const reminders = [
  [step],
  [
    { ...step, afterMs: 0, page: true, match: critical },
    { ...step, afterMs: 5 * minute, mention: '<!here>' },
    { ...step, afterMs: 20 * minute, page: true },
  ],
  [step, { ...step, afterMs: 25 * minute, channel: 'C9' }],
]
const routes = [
  [],
  [
    { match: { server: ['web-*'] }, channel: 'C1', mention: '<!subteam^S1>' },
    { match: critical, channel: 'C2', mention: null },
  ],
  [{ match: { plugin: ['disk'] }, channel: 'C2', mention: null }],
]
const settles = [2 * minute, null]

/** Who reads a changed policy keeps its steps: their places are what a round has reached. */
function policyBy(chance: Chance, over: Partial<Policy> = {}): Policy {
  const flapSettleMs = chance.of(settles)
  return policyOf({ reminders: chance.of(reminders), routes: chance.of(routes), flapSettleMs, ...over })
}

export type Announce = (scene: Scene) => void
type Town = {
  readonly chance: Chance
  readonly world: World
  readonly records: Map<string, Said>
  policy: Policy
  nowMs: number
  noSlackMs: number
  noMonitorMs: number
}

/** Plays two hours; answers with the laws that were broken. */
export function playHistory(seed: number, announcing: Announce = announce): string[] {
  const chance = chanceOf(seed)
  const policy = policyBy(chance)
  const nowMs = Date.UTC(2026, 10, 28)
  const town = { chance, world: new World(), records: new Map(), policy, nowMs, noSlackMs: 0, noMonitorMs: 0 }
  const listener = openListener()
  const look = () => {
    announcing(sceneIn(town))
    listener.look(sceneIn(town))
  }
  for (let at = 0; at < 480 && listener.problems.length === 0; at += 1) {
    town.nowMs += 15 * second
    if (chance.isHit(0.3)) town.world.decide(() => happen(town))
    if (town.nowMs >= town.noMonitorMs) reconcile(sceneIn(town), listingOf([...town.records.values()]))
    look()
    if (town.nowMs >= town.noSlackMs) send(town)
    look()
  }
  return listener.problems.length === 0 ? [] : [`SEED=${seed}`, ...listener.problems]
}

function sceneIn({ world, policy, nowMs }: Town): Scene {
  return sceneOf(world, { policy, nowMs, pager: 'webhook' })
}

function send({ world, chance, nowMs }: Town): void {
  const shut = world.fact('shut') ?? {}
  for (const post of world.posts.values()) {
    if (post.state !== 'new' || Object.hasOwn(shut, post.channel) || chance.isHit(0.1)) continue
    world.patch('posts', post.id, { state: 'live', ts: `${nowMs}`, sentMs: nowMs, firstSentMs: nowMs })
  }
  for (const { id, state } of world.effects.values())
    if (state === 'new' && chance.isHit(0.8)) world.patch('effects', id, { state: 'done', tries: 1 })
}

function happen(town: Town): void {
  const { world, records, chance, nowMs } = town
  const open = [...world.open.values()]
  const one = open.length === 0 ? null : chance.of(open)
  const hold = (some: Alert | null, holder: string | null) =>
    some && world.patch('alerts', some.id, { holder, heldMs: holder === null ? null : nowMs })
  const change = (number: string | undefined, over: Partial<Said>) => {
    const record = records.get(number ?? '')
    if (record !== undefined) records.set(record.number, { ...record, ...over })
  }
  const some = (isOver: boolean) =>
    [...records.values()].filter((record) => record.isOver === isOver && chance.isHit(0.4))
  const until = (minutes: number) => nowMs + chance.int(1, minutes) * minute
  const kinds = [
    () => openSome(town, chance.int(1, 2)),
    () => openSome(town, chance.int(1, 9)),
    () => some(false).map(({ number }) => change(number, { isOver: true })),
    () => some(true).map(({ number }) => change(number, { isOver: false })),
    () => change(one?.number, { severity: chance.of(['critical', 'warning']) }),
    () => records.delete(one?.number ?? ''),
    () => hold(one, 'UANA'),
    () => hold(one, null),
    () => mute(town, chance.of(['account', 'server:web-1', 'server:web-2', 'server:db-1'])),
    () => unmute(town),
    () => world.setFact('shut', chance.isHit(0.5) ? {} : shut(chance.of(['C0', 'C1', 'C2']), nowMs)),
    () => Object.assign(town, { noSlackMs: until(20) }),
    () => Object.assign(town, { noMonitorMs: until(10) }),
    () => Object.assign(town, { policy: policyBy(chance, { reminders: town.policy.reminders }) }),
    () => killPost(town),
  ]
  chance.of(kinds)()
}

function shut(channel: string, nowMs: number) {
  return { [channel]: { sinceMs: nowMs, why: 'is_archived', nextMs: nowMs } }
}

function openSome({ records, chance, nowMs }: Town, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const host = chance.of(['web-1', 'web-2', 'web-3', 'web-4', 'db-1', 'db-2'])
    const plugin = chance.of(['cpu', 'cpu', 'disk', 'load', 'net'])
    const severity = chance.isHit(0.2) ? 'critical' : 'warning'
    const number = `${records.size + n}-${nowMs}`
    records.set(number, saidOf({ number, host, plugin, severity, startedMs: nowMs }))
  }
}

function mute({ world, chance, nowMs }: Town, subject: string): void {
  const id = world.nextId(nowMs)
  const untilMs = nowMs + chance.int(1, 40) * minute
  world.put('acts', actOf({ id: `act-${id}`, atMs: nowMs, subject, data: { mutes: [id] } }))
  world.put('mutes', muteOf({ id, subject, act: `act-${id}`, fromMs: nowMs, untilMs, maxUntilMs: untilMs }))
}

function unmute({ world, nowMs }: Town): void {
  for (const { id } of world.activeMutes.values())
    world.patch('mutes', id, { ended: { atMs: nowMs, by: 'UBEN' } })
}

function killPost({ world, chance }: Town): void {
  const live = [...world.posts.values()].filter(({ state }) => state === 'live')
  if (live.length > 0) world.patch('posts', chance.of(live).id, { state: 'dead' })
}

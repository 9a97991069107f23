/**
 * Calls of the pager, derived from rounds: a step that pages calls once, alerts on one message share a call, and a call ends once nobody
 * on it has a round. It waits for Slack no longer than two minutes. A call that does not arrive is told aloud. And what an investigator is
 * asked to look into.
 */
import { minute } from '../clock.ts'
import type { Scene } from '../view/view.ts'
import type { Act, Alert, Effect, EffectData, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { type Reached, reachedIn } from './rounds.ts'
import { byPost, coverCalled, isShut, merged, standingPost, targetOf } from './standing.ts'
import { isUnsent, noteOf, want, wantEffect, wantLine } from './want.ts'

/** After an upgrade or a long absence nobody is called thirty times. */
const atOnceMax = 5
const unconfirmedMs = 2 * minute

/** All that the pager was or is to be told under one key. `asked`: the act of a person who wants somebody to be called. */
type Call = {
  readonly key: string
  readonly events: Effect[]
  readonly alerts: readonly string[]
  readonly asked: Act | null
}
type Calls = { readonly all: readonly Call[]; readonly byAlert: ReadonlyMap<string, readonly Call[]> }
type Due = {
  readonly post: Post
  readonly at: number
  readonly what: string
  readonly running: Call | null
  readonly alert: Alert
}

export function page(scene: Scene): void {
  const { world } = scene
  if (scene.pager === null) return
  const calls = callsIn(scene)
  const dues = reachedIn(scene).flatMap((reached): Due[] => {
    const running = runningFor(calls, reached)
    const { post, alert } = reached
    return reached.steps
      .filter(({ at, step }) => step.page && !isCalled(calls, reached, at))
      .map(({ at }) => ({ post, alert, at, running, what: `${at} ${running?.key}` }))
  })
  const groups = byPost(dues)
  const fresh = groups.filter(({ running }) => running === null)
  const goingOn = groups.filter(({ running }) => running !== null)
  for (const due of [...merged(fresh, atOnceMax), ...goingOn])
    world.apart(`page of ${due.post.id}`, () => call(scene, due, due.alerts))
  for (const one of callsIn(scene).all) world.apart(`page ${one.key}`, () => keepCall(scene, one))
  world.apart('pager', () => tellFailure(scene))
}

/** All calls, and by alert. What a person asked for, `/mon page`, is about no alert. */
function callsIn({ world }: Scene): Calls {
  const pages = [...world.effects.values()].filter(({ does }) => does === 'page')
  const all: Call[] = []
  const byAlert = new Map<string, Call[]>()
  for (const [key, events] of Map.groupBy(pages, ({ data }) => data.dedupKey ?? '')) {
    events.sort((a, b) => (a.id < b.id ? -1 : 1))
    const [begin] = events
    const act = world.acts.get(begin?.act ?? '')
    const asked = act?.kind === 'page' ? act : null
    if (asked === null && begin?.data.post === undefined) continue
    const one = { key, events, alerts: begin?.data.alerts ?? [], asked }
    all.push(one)
    for (const alert of one.alerts) byAlert.set(alert, [...(byAlert.get(alert) ?? []), one])
  }
  return { all, byAlert }
}

function isOver({ events }: Call): boolean {
  return events.some(({ data }) => data.type === 'resolved')
}

function hasStep({ events }: Call, at: number): boolean {
  return events.some(({ data }) => data.type === 'triggered' && data.step === at)
}

/** Of this step in this round: a call that goes on, or one that was begun in it. */
function isCalled({ byAlert }: Calls, { alert, round }: Reached, at: number): boolean {
  return (byAlert.get(alert.id) ?? []).some((one) => {
    if (!hasStep(one, at)) return false
    return !isOver(one) || one.events.some(({ data, atMs }) => data.step === at && atMs >= round.fromMs)
  })
}

/** The alert's own call that goes on, else the one of its message. */
function runningFor({ all, byAlert }: Calls, { alert, post }: Pick<Reached, 'alert' | 'post'>): Call | null {
  const own = byAlert.get(alert.id)?.find((one) => !isOver(one))
  return own ?? all.find((one) => !isOver(one) && one.events[0]?.data.post === post.id) ?? null
}

/** A new call; or a step more, or more alerts, on one that goes on. */
function call(scene: Scene, { post, at, alert: first }: Due, alerts: readonly Alert[]): void {
  const { world } = scene
  const ids = alerts.map(({ id }) => id)
  // Of two steps that are due at once the first one began it.
  const running = runningFor(callsIn(scene), { alert: first, post })
  const begin = running?.events[0]
  if (running !== null && begin !== undefined) {
    const all = [...new Set([...running.alerts, ...ids])]
    world.patch('effects', begin.id, { data: { ...begin.data, alerts: all } })
    if (hasStep(running, at)) return
  }
  const key = running?.key ?? `${post.id}:${first.id}:${first.round?.count ?? first.rounds}`
  const { channel } = post
  const said = { kind: 'paged', channel, outcome: 'asked', data: { alerts: ids } } as const
  const { id: act } = noteOf(scene, first, said)
  const about = { post: post.id, alert: first.id, alerts: ids, step: at, ...coverCalled(scene) }
  addEvent(scene, key, running?.events ?? [], { ...about, type: 'triggered' }, act)
  wantLine(scene, act, post, 3)
}

/** Ids sort as the events happened: they are told strictly in this order. */
function addEvent(scene: Scene, key: string, events: Effect[], data: EffectData, act?: string): void {
  const id = `page:${key}:${String(events.length).padStart(2, '0')}:${data.type}`
  const wish = { id, does: 'page', data: { ...data, dedupKey: key } } as const
  events.push(wantEffect(scene, act === undefined ? wish : { ...wish, act }))
}

/** Somebody is waited for: one of its alerts has a round, or nobody answered who was asked for. */
function isWaiting({ alerts, asked }: Call, world: World): boolean {
  if (asked !== null) return asked.data.answeredBy === undefined
  return alerts.some((id) => (world.open.get(id)?.round ?? null) !== null)
}

/** Once nobody is waited for the pager is told who has it, and that it is over. */
function keepCall(scene: Scene, one: Call): void {
  const { world } = scene
  const { alerts, asked } = one
  if (isOver(one) || isWaiting(one, world)) return
  if (one.events.every(({ state }) => state === 'new')) {
    takeBack(scene, one)
    return
  }
  const { data = {}, atMs = 0 } = one.events[0] ?? {}
  const { step: _, ...about } = data
  const holders = alerts.flatMap((id) => world.alerts.get(id) ?? [])
  const holder = holders.find(({ holder: who, heldMs }) => who !== null && (heldMs ?? 0) >= atMs)?.holder
  const by = asked?.data.answeredBy ?? holder
  if (by != null) addEvent(scene, one.key, one.events, { ...about, by, type: 'acknowledged' })
  addEvent(scene, one.key, one.events, { ...about, type: 'resolved' })
}

/** Nobody was called, so there is nothing to end. What a person asked for stays told. */
function takeBack({ world }: Scene, { events, asked }: Call): void {
  for (const { id, act, data } of events) {
    world.remove('effects', id, 'gone')
    if (act === undefined || asked !== null) continue
    const line = world.posts.get(`line:${act}:${data.post}`)
    if (line !== undefined && isUnsent(line)) world.remove('posts', line.id, 'gone')
    world.remove('acts', act, 'gone')
  }
}

/** Nobody may have been called: that is told aloud, once in each channel of such alerts while the pager fails. */
function tellFailure(scene: Scene): void {
  const { world, nowMs } = scene
  const late = [...world.effects.values()].filter(
    ({ does, state, atMs, data }) =>
      does === 'page' && data.type === 'triggered' && state !== 'done' && nowMs - atMs > unconfirmedMs,
  )
  const sinceMs = world.fact('pagerFailing')?.sinceMs ?? Math.min(...late.map(({ atMs }) => atMs))
  for (const { data, act } of late) {
    const alert = world.open.get(data.alert ?? '')
    if (alert === undefined || alert.round === null || act === undefined) continue
    const target = targetOf(scene, alert)
    const channel = standingPost(scene, alert)?.channel ?? target.channel
    const id = `said:pager:${sinceMs}:${channel}`
    if (!isShut(world, channel))
      want(world, nowMs, { id, kind: 'said', channel, isLoud: true, mention: target.mention, data: { act } })
  }
}

/** What was there before an investigator was set up, or came while the machine was away, is left to a press. */
const investigatedForMs = 10 * minute
const investigatedPerMinute = 3

/** Each card that called people, once: of a storm the first. */
export function investigate(scene: Scene): void {
  const { world, policy, nowMs } = scene
  if (policy.investigate === null) return
  const asked = [...world.effects.values()].filter(
    ({ does, data, atMs }) => does === 'investigate' && data.by === undefined && nowMs - atMs < minute,
  )
  let left = investigatedPerMinute - asked.length
  for (const alert of world.open.values()) {
    if (alert.round === null || nowMs - alert.firstSeenMs > investigatedForMs) continue
    const post = standingPost(scene, alert)
    const id = `investigate:${post?.id}`
    if (left <= 0 || post?.state !== 'live' || world.effects.has(id)) continue
    wantEffect(scene, { id, does: 'investigate', data: { alert: alert.id, post: post.id } })
    left -= 1
  }
}

/** What is wanted and written down: a message, a call to the outside, an act of the history. What differs from the usual is named. */
import type { Scene } from '../view/view.ts'
import type { Act, ActKind, Alert, Effect, EffectData, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { namedAlert } from './matching.ts'

type PostWish = Partial<Post> & {
  readonly id: string
  readonly kind: Post['kind']
  readonly channel: string
}

export function newPost(wish: PostWish, nowMs: number): Post {
  return {
    forChannel: wish.channel,
    thread: null,
    isBroadcast: false,
    mention: null,
    isLoud: false,
    data: {},
    shows: [],
    urgency: 1,
    state: 'new',
    ts: null,
    channelId: null,
    shownHash: null,
    isShownClosed: false,
    tries: 0,
    dueMs: nowMs,
    createdMs: nowMs,
    sentMs: null,
    firstSentMs: null,
    threadTs: null,
    recheckMs: null,
    repeatMs: null,
    isPlain: false,
    noPicture: false,
    picture: null,
    ...wish,
  }
}

/** Puts it unless it is there, whatever became of it. */
export function want(world: World, nowMs: number, wish: PostWish): void {
  if (!world.posts.has(wish.id)) world.put('posts', newPost(wish, nowMs))
}

/** Certainly nobody has seen it. */
export function isUnsent(post: Post): boolean {
  return post.state === 'new' && post.sentMs === null && post.firstSentMs === null
}

export type ActWish = Partial<Act> & { readonly kind: ActKind; readonly subject: string }

export function note({ world, nowMs }: Scene, wish: ActWish): Act {
  const { id = world.nextId(nowMs) } = wish
  const act: Act = { by: 'monbot', outcome: 'done', data: {}, atMs: nowMs, ...wish, id }
  world.put('acts', act)
  return act
}

/** What happened to an alert, or was done about it. */
export function noteOf(scene: Scene, alert: Alert, wish: Omit<ActWish, 'subject'>): Act {
  return note(scene, { ...wish, subject: namedAlert(alert), alert: alert.id, host: alert.host })
}

/** A line in the thread of a card; its post's id. */
export function wantLine({ world, nowMs }: Scene, act: string, card: Post, urgency: number): string {
  const { id: thread, channel, forChannel } = card
  const id = `line:${act}:${thread}`
  want(world, nowMs, { id, kind: 'line', channel, forChannel, thread, data: { act }, urgency })
  return id
}

/** What became of an act, and why: it failed for good, and what was unclear may have arrived since. */
export function noteOutcome(scene: Scene, id: string, outcome: Act['outcome'], why: string | null): void {
  const { world } = scene
  const act = world.acts.get(id)
  if (act === undefined || act.outcome === outcome || act.outcome === 'failed') return
  if (outcome === 'unknown' && act.outcome !== 'asked') return
  world.patch('acts', id, { outcome, data: why === null ? act.data : { ...act.data, why } })
}

type EffectWish = Partial<Effect> & {
  readonly id: string
  readonly does: Effect['does']
  readonly data: EffectData
}

export function wantEffect({ world, nowMs }: Scene, wish: EffectWish): Effect {
  const effect: Effect = { state: 'new', tries: 0, dueMs: nowMs, atMs: nowMs, why: null, ...wish }
  world.put('effects', effect)
  return effect
}

/**
 * Looks for messages whose sending was never answered, and for copies that came late. One read of a channel's or a thread's history
 * serves all posts that are in doubt there. A look that failed is no look.
 */
import { hour, minute, second } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Look, Seen, SlackPort } from '../slack/port.ts'
import type { Scene } from '../view/view.ts'
import type { Outside } from '../world/journal.ts'
import type { Post } from '../world/types.ts'
import { shutChannel } from './refusals.ts'
import { doubt, isAllClosed, isPerson, looksAtMs, nextAgeMs, rechecksAtMs } from './settle.ts'
import { repeatsFrom } from './switches.ts'

/** History is read from so long before the first doubtful sending: Slack's clock and ours differ. */
const beforeMs = 10 * minute
/** A channel that nobody can read for so long: better twice than never. */
const unreadableMaxMs = 10 * minute
const againMs = 30 * second
const certainMs = looksAtMs.at(-1) ?? minute

export type LookParts = {
  readonly slack: SlackPort
  readonly outside: Outside
  readonly scene: () => Scene
  readonly log: Log
  readonly keyHash: (postId: string) => string
}

/** Is it in doubt, or may there be copies of it? */
export function isToBeLookedFor(post: Post): boolean {
  if (post.state === 'unsure') return true
  return post.recheckMs !== null && (post.state === 'live' || post.state === 'dead')
}

export function lookAtMs(post: Post): number {
  return post.state === 'unsure' ? post.dueMs : (post.recheckMs ?? 0)
}

/** Those that one read of history serves, by the name of their place. A channel that is shut is not read until somebody opened it. */
export function placesOf(posts: readonly Post[], shut: Readonly<Record<string, unknown>>) {
  const readable = posts.filter(({ channel }) => !Object.hasOwn(shut, channel))
  return Map.groupBy(readable, ({ channelId, channel, threadTs }) => `${channelId ?? channel} ${threadTs}`)
}

export async function lookAt(parts: LookParts, posts: readonly Post[]): Promise<void> {
  const [one] = posts
  if (one === undefined) return
  const begunMs = parts.scene().nowMs
  const sinceMs = Math.min(...posts.map((post) => post.firstSentMs ?? post.sentMs ?? post.createdMs))
  const look = await parts.slack.look(one.channelId ?? one.channel, one.threadTs, sinceMs - beforeMs)
  for (const { id } of posts) {
    // Read anew: each wait before this one may have changed it.
    const post = parts.scene().world.posts.get(id)
    if (post === undefined || !isToBeLookedFor(post)) continue
    if (post.state === 'unsure') resolveDoubt(parts, post, look, begunMs)
    else if (lookAtMs(post) <= begunMs) await deleteCopies(parts, post, look, begunMs)
  }
}

function resolveDoubt(parts: LookParts, post: Post, look: Look, begunMs: number): void {
  const scene = parts.scene()
  const { world, nowMs } = scene
  const sentMs = post.sentMs ?? post.createdMs
  if (look.kind === 'unreadable') {
    const isUnreachable = look.isShut && isPerson(post.channel)
    if (look.isShut && !isUnreachable) shutChannel(scene, post.channel, look.why, parts.log)
    const againAtMs = nowMs + againMs
    if (isUnreachable) world.patch('posts', post.id, { state: 'dead' })
    else if (!look.isShut && nowMs - sentMs > unreadableMaxMs)
      world.patch('posts', post.id, { state: 'new', dueMs: nowMs })
    else {
      const dueMs = Math.min(nextAgeMs(looksAtMs, sentMs, nowMs) ?? againAtMs, againAtMs)
      world.patch('posts', post.id, { dueMs })
    }
    return
  }
  const [found] = copiesOf(parts, post, look.messages)
  if (found !== undefined) {
    parts.log.info('post:found', { post: post.id })
    world.patch('posts', post.id, {
      state: 'live',
      ts: found.ts,
      channelId: look.channelId,
      shownHash: null,
      isShownClosed: false,
      tries: 0,
      dueMs: 0,
      recheckMs: nextAgeMs(rechecksAtMs, sentMs, nowMs),
    })
  } else if (begunMs - sentMs >= certainMs) {
    world.patch('posts', post.id, { state: 'new', dueMs: nowMs })
  } else {
    // The last look begins when a message would surely be there.
    world.patch('posts', post.id, { dueMs: nextAgeMs(looksAtMs, sentMs, begunMs) ?? nowMs })
  }
}

/** Of several copies the earliest stays, and of a dead post none. Which one stays is on disk before another one is deleted. */
async function deleteCopies(parts: LookParts, post: Post, look: Look, begunMs: number): Promise<void> {
  const { world, nowMs } = parts.scene()
  if (look.kind === 'unreadable') {
    world.patch('posts', post.id, { recheckMs: nowMs + againMs })
    return
  }
  const all = copiesOf(parts, post, look.messages).map(({ ts }) => ts)
  const kept = post.state === 'live' ? (all[0] ?? null) : null
  if (kept !== null && kept !== post.ts) {
    world.patch('posts', post.id, { ts: kept, shownHash: null, isShownClosed: false })
  }
  let isDone = true
  for (const ts of all.filter((one) => one !== kept)) {
    parts.log.warn('post:copy_deleted', { post: post.id })
    const outcome = await parts.outside((pass) => parts.slack.delete(pass, look.channelId, ts))
    isDone &&= outcome.kind === 'ok' || outcome.kind === 'gone'
  }
  const now = parts.scene()
  const after = now.world.posts.get(post.id)
  if (after === undefined) return
  const nextMs = nextAgeMs(rechecksAtMs, post.sentMs ?? begunMs - certainMs, begunMs)
  now.world.patch('posts', post.id, { recheckMs: isDone ? nextMs : now.nowMs + againMs })
}

function copiesOf({ keyHash }: LookParts, post: Post, messages: readonly Seen[]): Seen[] {
  const key = keyHash(post.id)
  return messages.filter((message) => message.key === key).sort((a, b) => Number(a.ts) - Number(b.ts))
}

/** What closed longer ago is not rendered anew. */
const renderedForMs = hour
const repeatAfterMs = minute

export function recover(scene: Scene): void {
  const { world, nowMs } = scene
  world.decide(() => {
    for (const post of world.posts.values()) recoverPost(scene, post)
    for (const { id, does, state } of world.effects.values()) {
      if (state === 'asked') world.patch('effects', id, { state: 'unknown', dueMs: nowMs })
      if (state === 'unknown' && does === 'page') world.patch('effects', id, { dueMs: nowMs })
    }
    for (const { id, told } of world.switches.values()) {
      if (told === 'unknown')
        world.patch('switches', id, { telling: null, dueMs: nowMs, repeatsMs: repeatsFrom(nowMs) })
    }
  })
  world.dirty.clear()
  compareAll(scene)
}

/** After a start or a change of the policy every message may show something else. */
export function compareAll(scene: Scene): void {
  const { world } = scene
  for (const post of world.posts.values()) if (isToBeCompared(scene, post)) world.dirty.add(post.id)
}

function recoverPost({ world, nowMs }: Scene, post: Post): void {
  if (post.state === 'sending') doubt(world, post, nowMs)
  // Its edit was under way, and may still come.
  if (post.state === 'live' && post.shownHash === null) {
    world.patch('posts', post.id, { repeatMs: nowMs + repeatAfterMs })
  }
}

/** A change of rendering must not edit two weeks of cards: what was shown closed is left as it is after an hour. */
function isToBeCompared({ world, nowMs }: Scene, post: Post): boolean {
  if (post.state !== 'live' || !post.isShownClosed || post.shownHash === null) return true
  if (post.recheckMs !== null || post.repeatMs !== null || !isAllClosed(world, post)) return true
  return post.shows.some(({ alert }) => nowMs - (world.alerts.get(alert)?.closedMs ?? 0) < renderedForMs)
}

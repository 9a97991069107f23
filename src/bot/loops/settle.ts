/**
 * What becomes of a post: after Slack's answer, and where there was none. One read of a channel's or a thread's history serves all posts
 * that are in doubt there; a look that failed is no look. `send.ts` makes the other calls.
 */
import { hour, minute, second } from '../clock.ts'
import { hasBoard, isCard, isMember, isShut } from '../decide/standing.ts'
import type { Log } from '../log.ts'
import type { Look, Outcome, Seen, SlackPort } from '../slack/port.ts'
import type { Scene, View } from '../view/view.ts'
import type { Outside } from '../world/journal.ts'
import type { Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { backoffMs } from './loop.ts'
import { shutChannel } from './refusals.ts'
import { repeatsFrom } from './switches.ts'

/** What is on its way to Slack: the hash of the whole view, even where Slack took only a part of it. */
export type Rendered = { readonly view: View; readonly hash: string; readonly isClosed: boolean }

/** After the last unclear answer Slack is asked for the message at these ages, and from the last one on it may be sent again. */
const looksAtMs = [300, 1500, 4000, 9000, 18_000, 35_000, minute]
/** Ages of a doubt at which copies that came late are looked for. */
const rechecksAtMs = [minute, 3 * minute, 10 * minute]
const repeatFirstMs = minute
/** The second repeat comes so long after the first one. */
export const repeatLastAfterMs = 9 * minute

/** Everything that it tells of is over. */
export function isAllClosed(world: World, post: Post): boolean {
  if (post.shows.length === 0) return false
  return post.shows.every(({ alert }) => !world.open.has(alert))
}

/** Would it be sent anew if somebody deleted it? */
function isStillWanted(scene: Scene, post: Post): boolean {
  if (post.kind === 'board') return hasBoard(scene, post.channel)
  return isCard(post) && !isAllClosed(scene.world, post)
}

/** The message is gone, by a person's hand: sent anew while it is needed, calling nobody a second time. */
export function messageGone(scene: Scene, id: string): void {
  const { world, nowMs } = scene
  const post = world.posts.get(id)
  if (post === undefined || post.state !== 'live') return
  if (!isStillWanted(scene, post)) {
    // A board may be wanted there again.
    if (post.kind === 'board') world.remove('posts', id, 'gone')
    else world.patch('posts', id, { state: 'dead', repeatMs: null })
    return
  }
  world.patch('posts', id, {
    state: 'new',
    ts: null,
    shownHash: null,
    isShownClosed: false,
    mention: null,
    tries: 0,
    dueMs: nowMs,
    sentMs: null,
    // Copies of it may still come, so it is not one that nobody has seen.
    firstSentMs: post.recheckMs === null ? null : post.firstSentMs,
    repeatMs: null,
  })
}

/** The card of this reply was gone when the reply was sent; by now it may have been sent anew. */
function parentGone(scene: Scene, { thread, threadTs }: Post): void {
  const parent = scene.world.posts.get(thread ?? '')
  if (parent !== undefined && parent.ts === threadTs) messageGone(scene, parent.id)
}

/** When what was sent at `sentMs` reaches the next of these ages; null once it is older than all. */
function nextAgeMs(agesMs: readonly number[], sentMs: number, nowMs: number): number | null {
  const age = agesMs.find((atMs) => sentMs + atMs > nowMs)
  return age === undefined ? null : sentMs + age
}

/** After `chat.postMessage`. `before` is the post as it was before its call: a definite refusal puts its times back. */
export function settlePost(scene: Scene, before: Post, sent: Rendered, outcome: Outcome): void {
  const { world, nowMs } = scene
  const { id, channel, noPicture, sentMs, firstSentMs, threadTs } = before
  const tries = before.tries + 1
  const again = { state: 'new', sentMs, firstSentMs, threadTs } as const
  const isRefused =
    outcome.kind === 'content' ||
    (outcome.kind === 'picture' && noPicture) ||
    (outcome.kind === 'channel' && isMember(channel))
  if (outcome.kind === 'ok') {
    const wasInDoubt = firstSentMs !== null
    const post = world.patch('posts', id, {
      ...shown(sent),
      state: 'live',
      ts: outcome.ts,
      channelId: outcome.channelId,
      tries: 0,
      urgency: Math.max(before.urgency, 1),
      recheckMs: wasInDoubt ? nextAgeMs(rechecksAtMs, nowMs, nowMs) : before.recheckMs,
    })
    // Slack posts a reply to a deleted message at the top level and says nothing else of it.
    if (post.threadTs !== null && outcome.threadTs === null) {
      parentGone(scene, post)
      world.patch('posts', id, { threadTs: null })
    }
  } else if (outcome.kind === 'unclear') {
    const dueMs = nextAgeMs(looksAtMs, nowMs, nowMs) ?? nowMs
    world.patch('posts', id, { state: 'unsure', sentMs: nowMs, tries, dueMs })
  } else if (isRefused) {
    die(scene, before, outcome.why)
  } else if (outcome.kind === 'limited') {
    world.patch('posts', id, { ...again, dueMs: nowMs + outcome.afterMs })
  } else if (outcome.kind === 'picture') {
    world.patch('posts', id, { ...again, dueMs: nowMs, noPicture: true, picture: null })
  } else {
    if (outcome.kind === 'gone') parentGone(scene, world.posts.get(id) ?? before)
    world.patch('posts', id, { ...again, tries, dueMs: nowMs + backoffMs(tries) })
  }
}

/** After `chat.update`. Before the call its `shownHash` became null on disk, and stays so until Slack says what it shows. */
export function settleEdit(scene: Scene, before: Post, sent: Rendered, outcome: Outcome): void {
  const { world, nowMs } = scene
  const { id } = before
  const tries = before.tries + 1
  // Meanwhile a copy of it may have been chosen to stay in its place: then this answer says nothing of what stands.
  const post = world.posts.get(id)
  if (post?.state !== 'live' || post.ts !== before.ts) return
  if (outcome.kind === 'ok') {
    world.patch('posts', id, { ...shown(sent), tries: 0, urgency: Math.max(before.urgency, 1) })
  } else if (outcome.kind === 'unclear') {
    const repeatMs = nowMs + repeatFirstMs
    world.patch('posts', id, { tries, repeatMs, dueMs: nowMs + backoffMs(tries) })
  } else if (outcome.kind === 'gone') {
    messageGone(scene, id)
  } else if (outcome.kind === 'picture' && !before.noPicture) {
    world.patch('posts', id, { noPicture: true, picture: null })
  } else if (outcome.kind === 'channel' && isMember(before.channel)) {
    world.patch('posts', id, shown(sent))
  } else {
    // What stands is not what should be shown, so that Slack refuses it is no end.
    const afterMs = outcome.kind === 'limited' ? outcome.afterMs : backoffMs(tries)
    world.patch('posts', id, { tries, dueMs: nowMs + afterMs })
  }
}

function shown({ hash, isClosed }: Rendered) {
  return { shownHash: hash, isShownClosed: isClosed, dueMs: 0 } as const
}

/** Slack will never take it. Whom a direct message was to reach has to hear of it another way, so its act says so. */
function die(scene: Scene, before: Post, why: string): void {
  const { world, nowMs } = scene
  const recheckMs = before.firstSentMs === null ? null : nextAgeMs(rechecksAtMs, nowMs, nowMs)
  const post = world.patch('posts', before.id, { state: 'dead', recheckMs })
  const act = world.acts.get(post.data.act ?? '')
  if (post.kind === 'dm' && act !== undefined)
    world.patch('acts', act.id, { data: { ...act.data, why: why.slice(0, 300) } })
}

/** A post whose call may have happened though nobody heard its answer: after a kill, or from a backup. */
export function doubt(world: World, post: Post, nowMs: number): void {
  const firstSentMs = post.firstSentMs ?? post.sentMs ?? post.createdMs
  const threadTs = post.threadTs ?? world.posts.get(post.thread ?? '')?.ts ?? null
  world.patch('posts', post.id, { state: 'unsure', sentMs: nowMs, firstSentMs, threadTs, dueMs: nowMs })
}

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
export function placesOf(posts: readonly Post[], world: World) {
  const readable = posts.filter(({ channel }) => !isShut(world, channel))
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
    const isUnreachable = look.isShut && isMember(post.channel)
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

export function recover(scene: Scene): void {
  const { world, nowMs } = scene
  world.decide(() => {
    for (const post of world.posts.values()) {
      if (post.state === 'sending') doubt(world, post, nowMs)
      // Its edit was under way, and may still come.
      else if (post.state === 'live' && post.shownHash === null)
        world.patch('posts', post.id, { repeatMs: nowMs + repeatFirstMs })
    }
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

/** A change of rendering must not edit two weeks of cards: what was shown closed is left as it is after an hour. */
function isToBeCompared({ world, nowMs }: Scene, post: Post): boolean {
  if (post.state !== 'live' || !post.isShownClosed || post.shownHash === null) return true
  if (post.recheckMs !== null || post.repeatMs !== null || !isAllClosed(world, post)) return true
  return post.shows.some(({ alert }) => nowMs - (world.alerts.get(alert)?.closedMs ?? 0) < renderedForMs)
}

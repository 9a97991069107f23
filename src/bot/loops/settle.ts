/**
 * What becomes of a post after Slack's answer: decisions on the world, made in one stretch. `send.ts` and `unsure.ts` make the calls.
 */
import { minute } from '../clock.ts'
import { hasBoard } from '../decide/standing.ts'
import type { Outcome } from '../slack/port.ts'
import type { Scene, View } from '../view/view.ts'
import type { Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { backoffMs } from './loop.ts'

/** What is on its way to Slack: the hash of the whole view, even where Slack took only a part of it. */
export type Rendered = { readonly view: View; readonly hash: string; readonly isClosed: boolean }

/** After the last unclear answer Slack is asked for the message at these ages, and from the last one on it may be sent again. */
export const looksAtMs = [300, 1500, 4000, 9000, 18_000, 35_000, minute]
/** Ages of a doubt at which copies that came late are looked for. */
export const rechecksAtMs = [minute, 3 * minute, 10 * minute]
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
  const { world } = scene
  if (post.kind === 'board') return hasBoard(scene, post.channel)
  if (post.kind === 'outage') return (post.data.untilMs ?? null) === null
  if (post.kind === 'alert' || post.kind === 'list') return !isAllClosed(world, post)
  if (post.kind !== 'lines') return false
  return world.posts.get(post.thread ?? '')?.state === 'live' && !isAllClosed(world, post)
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
export function nextAgeMs(agesMs: readonly number[], sentMs: number, nowMs: number): number | null {
  const age = agesMs.find((atMs) => sentMs + atMs > nowMs)
  return age === undefined ? null : sentMs + age
}

/** A person's id in place of a channel's: a direct message. */
export function isPerson(channel: string): boolean {
  return /^[UW]/.test(channel)
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
    (outcome.kind === 'channel' && isPerson(channel))
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
  } else if (outcome.kind === 'channel' && isPerson(before.channel)) {
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

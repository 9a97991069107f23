/**
 * Makes Slack show what the world says: what is wanted is posted, what differs is edited, the most urgent first. A post is `sending` on
 * disk before its call, and a view is rendered, awaited and sent as it was. No post waits for the call of another one.
 */
import { minute, second } from '../clock.ts'
import { isShut } from '../decide/standing.ts'
import type { Message, Outcome } from '../slack/port.ts'
import type { Scene, View } from '../view/view.ts'
import { LostLead } from '../world/store.ts'
import type { Post } from '../world/types.ts'
import { type PictureParts, pictureForNew } from './illustrate.ts'
import { type Calls, type Loop, soonest, startCalls } from './loop.ts'
import {
  askAgainMs,
  type Buckets,
  isTokenRefused,
  openBuckets,
  openRefusals,
  type Refusals,
} from './refusals.ts'
import {
  isAllClosed,
  isToBeLookedFor,
  type LookParts,
  lookAt,
  lookAtMs,
  placesOf,
  type Rendered,
  repeatLastAfterMs,
  settleEdit,
  settlePost,
} from './settle.ts'

export type SendParts = PictureParts &
  LookParts & {
    readonly viewOf: (post: Post, scene: Scene) => View
    readonly viewHash: (view: View) => string
  }

const everyMs = 5 * second
/** Views that one round compares, so that a round never holds up a person. */
const comparedMax = 200
/** Loud words wait so long for the card in whose thread they stand. */
const parentWaitMs = 2 * minute
/** While the disk is away calls wait for it; more edits than these would all come at once. */
const callsMax = 30
const starvingMs = 30 * second
/** Of so many edits one is of the one that waits longest, and one a board's. */
const eldestEvery = 4
const boardEvery = 10

export type Sender = Loop & {
  /** Messages that have differed from what Slack shows for over a minute. */
  lateEdits(): number
}

export function startSender(parts: SendParts): Sender {
  const sending = new Sending(parts)
  const { clock, log } = parts
  const loop = startCalls({ name: 'send', everyMs, clock, log, round: (calls) => sending.round(calls) })
  return { ...loop, lateEdits: () => sending.lateEdits() }
}

/** `isSame`: it shows what it should, and is only repeated. */
type Edit = { readonly sinceMs: number; readonly isAnew: boolean; readonly isSame: boolean }

class Sending {
  readonly #parts: SendParts
  readonly #buckets: Buckets
  readonly #refusals: Refusals
  readonly #news = new Set<string>()
  readonly #edits = new Map<string, Edit>()
  readonly #inDoubt = new Set<string>()
  /** Those whose first repeat is done. */
  readonly #repeated = new Set<string>()
  /** What the start renders anew comes after everything that happens now. */
  readonly #anew: Set<string>
  #edited = 0
  #boardEdited = 0

  constructor(parts: SendParts) {
    this.#parts = parts
    this.#buckets = openBuckets(parts.clock.nowMs())
    this.#refusals = openRefusals(parts)
    this.#anew = new Set(parts.scene().world.dirty)
  }

  lateEdits(): number {
    const { nowMs } = this.#parts.scene()
    return [...this.#edits.values()].filter(({ sinceMs, isSame }) => !isSame && nowMs - sinceMs > minute)
      .length
  }

  /** Starts what may start now; answers in how many milliseconds there is more to do. */
  round(calls: Calls): number {
    const scene = this.#parts.scene()
    const isAllCompared = this.#compare(scene, calls)
    this.#refusals.ask(calls, scene)
    if (isTokenRefused(scene)) return askAgainMs
    const nextMs = Math.min(this.#look(scene, calls), this.#post(scene, calls), this.#edit(scene, calls))
    return isAllCompared ? nextMs - scene.nowMs : 0
  }

  /** Sorts what changed: to be posted, edited, looked for, or nothing. False: some were left for the next round. */
  #compare(scene: Scene, calls: Calls): boolean {
    const { world, nowMs } = scene
    let left = comparedMax
    for (const id of world.dirty) {
      // What changes while its call is under way is compared when that is over.
      if (calls.has(id)) continue
      if (left === 0) return false
      world.dirty.delete(id)
      const isAnew = this.#anew.delete(id)
      const post = world.posts.get(id)
      mark(this.#news, id, post?.state === 'new')
      mark(this.#inDoubt, id, post !== undefined && isToBeLookedFor(post))
      const isSame = post?.state === 'live' && this.#render(post, scene).hash === post.shownHash
      if (post?.state === 'live') left -= 1
      if (post?.state !== 'live' || (isSame && post.repeatMs === null)) this.#edits.delete(id)
      else this.#edits.set(id, { sinceMs: this.#edits.get(id)?.sinceMs ?? nowMs, isAnew, isSame })
    }
    return true
  }

  #look({ world, nowMs }: Scene, calls: Calls): number {
    let nextMs = Number.POSITIVE_INFINITY
    const posts = [...this.#inDoubt].flatMap((id) => world.posts.get(id) ?? [])
    for (const [name, some] of placesOf(posts, world)) {
      const dueMs = Math.min(...some.map((post) => soonest(lookAtMs(post), nowMs)))
      if (calls.has(name)) continue
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
      else calls.start(name, () => lookAt(this.#parts, some))
    }
    return nextMs
  }

  #post(scene: Scene, calls: Calls): number {
    const { world, nowMs } = scene
    let nextMs = Number.POSITIVE_INFINITY
    const waiting = [...this.#news]
      .flatMap((id) => world.posts.get(id) ?? [])
      .filter((post) => post.state === 'new' && !calls.has(post.id) && !isShut(world, post.channel))
      .sort((a, b) => a.urgency - b.urgency || a.createdMs - b.createdMs)
    for (const post of waiting) {
      const laneMs = this.#buckets.postAtMs(post.channel)
      if (laneMs === null) continue
      const parentMs = threadOf(post, scene) === undefined ? waitsUntilMs(post) : 0
      const dueMs = Math.max(soonest(post.dueMs, nowMs), laneMs, parentMs)
      if (dueMs > nowMs) {
        nextMs = Math.min(nextMs, dueMs)
        continue
      }
      this.#buckets.takePost(post.channel, nowMs)
      calls.start(post.id, () => this.#sendPost(post))
    }
    return nextMs
  }

  #edit(scene: Scene, calls: Calls): number {
    const { world, nowMs } = scene
    let nextMs = Number.POSITIVE_INFINITY
    const waiting: Post[] = []
    for (const [id, { isSame }] of this.#edits) {
      const post = world.posts.get(id)
      if (post?.state !== 'live' || calls.has(id) || isShut(world, post.channel)) continue
      const dueMs = soonest(isSame ? (post.repeatMs ?? 0) : post.dueMs, nowMs)
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
      else waiting.push(post)
    }
    while (waiting.length > 0 && calls.size < callsMax) {
      const post = this.#mostUrgent(waiting, scene)
      const dueMs = this.#buckets.editAtMs(post.urgency === 0, nowMs)
      if (dueMs > nowMs) return Math.min(nextMs, dueMs)
      waiting.splice(waiting.indexOf(post), 1)
      this.#buckets.takeEdit(nowMs)
      this.#edited += 1
      if (post.kind === 'board') this.#boardEdited = this.#edited
      calls.start(post.id, () => this.#sendEdit(post.id))
    }
    return nextMs
  }

  #mostUrgent(waiting: readonly Post[], { world, nowMs }: Scene): Post {
    const sinceOf = (post: Post) => this.#edits.get(post.id)?.sinceMs ?? nowMs
    const rankOf = (post: Post) => {
      if (post.urgency === 0) return 0
      if (post.kind === 'board') return this.#edited - this.#boardEdited >= boardEvery ? 1 : 5
      if (this.#edits.get(post.id)?.isAnew === true) return 6
      if (post.kind === 'list' || post.kind === 'lines') return 4
      return isAllClosed(world, post) && !post.isShownClosed ? 2 : 3
    }
    const ranked = waiting.map((post) => ({ post, rank: rankOf(post), sinceMs: sinceOf(post) }))
    ranked.sort((a, b) => a.rank - b.rank || a.sinceMs - b.sinceMs)
    const first = ranked[0]
    if (first === undefined) throw new Error('expected a post to choose from; came none')
    if (first.rank === 0 || this.#edited % eldestEvery !== 0) return first.post
    // Of those the least urgent, whose turn would come last. Boards have a share of their own.
    const starving = ranked.filter(({ rank, sinceMs }) => rank < 5 && nowMs - sinceMs > starvingMs)
    const [eldest] = starving.sort((a, b) => b.rank - a.rank || a.sinceMs - b.sinceMs)
    return (eldest ?? first).post
  }

  async #sendPost({ id }: Post): Promise<void> {
    const { scene, outside, slack } = this.#parts
    const wanted = scene().world.posts.get(id)
    const picture = wanted === undefined ? null : await pictureForNew(this.#parts, wanted)
    // While the picture was drawn, the announcer may have taken the post back or moved it.
    const now = scene()
    const before = now.world.posts.get(id)
    const threadTs = before === undefined ? undefined : threadOf(before, now)
    if (before?.state !== 'new' || before.channel !== wanted?.channel || threadTs === undefined) return
    const post = now.world.patch('posts', id, {
      state: 'sending',
      sentMs: now.nowMs,
      firstSentMs: before.firstSentMs ?? now.nowMs,
      threadTs,
      picture,
    })
    const sent = this.#render(post, now)
    const { channel, isBroadcast } = post
    const ends = this.#buckets.beginPost(channel)
    const outcome = await this.#fall(post, sent, (message) =>
      outside((pass) => slack.post(pass, { ...message, channel, threadTs, isBroadcast, key: id })),
    ).finally(ends)
    this.#refusals.note(channel, outcome)
    if (outcome.kind === 'limited') this.#buckets.restPosts(scene().nowMs + outcome.afterMs)
    settlePost(scene(), before, sent, outcome)
    if (post.kind === 'board' && outcome.kind === 'ok') {
      await outside((pass) => slack.pin(pass, outcome.channelId, outcome.ts))
    }
  }

  async #sendEdit(id: string): Promise<void> {
    const { scene, outside, slack } = this.#parts
    const now = scene()
    const before = now.world.posts.get(id)
    if (before?.state !== 'live' || before.ts === null) return
    const isRepeat = before.repeatMs !== null && before.repeatMs <= now.nowMs
    const sent = this.#render(before, now)
    if (sent.hash === before.shownHash && !isRepeat) return
    // If this edit is never answered, nobody knows what Slack shows.
    now.world.patch('posts', id, { shownHash: null })
    const { ts } = before
    const channelId = before.channelId ?? before.channel
    const outcome = await this.#fall(before, sent, (message) =>
      outside((pass) => slack.update(pass, { ...message, channelId, ts })),
    )
    this.#refusals.note(before.channel, outcome)
    if (outcome.kind === 'limited') this.#buckets.restEdits(scene().nowMs + outcome.afterMs)
    settleEdit(scene(), before, sent, outcome)
    if (outcome.kind === 'unclear') this.#repeated.delete(id)
    if (outcome.kind !== 'ok') return
    if (isRepeat) this.#planRepeat(id)
  }

  /** An edit that was never answered may still come and win, so it is repeated twice. */
  #planRepeat(id: string): void {
    const { world, nowMs } = this.#parts.scene()
    const isLast = this.#repeated.delete(id)
    // A person may have deleted it meanwhile, and what nobody shall hear of by now is no post any more.
    if (world.posts.get(id)?.state !== 'live') return
    if (!isLast) this.#repeated.add(id)
    world.patch('posts', id, { repeatMs: isLast ? null : nowMs + repeatLastAfterMs })
  }

  /** What Slack refuses to show goes as plain text, and then as a fixed sentence. */
  async #fall(post: Post, sent: Rendered, call: (message: Message) => Promise<Outcome>): Promise<Outcome> {
    const { text, blocks } = sent.view
    if (!post.isPlain) {
      const outcome = await this.#answer(call({ text, blocks }))
      if (outcome.kind !== 'content') return outcome
      this.#parts.log.warn('post:refused', { post: post.id, why: outcome.why })
      const { world } = this.#parts.scene()
      if (world.posts.has(post.id)) world.patch('posts', post.id, { isPlain: true })
    }
    const outcome = await this.#answer(call({ text, blocks: [] }))
    if (outcome.kind !== 'content') return outcome
    return this.#answer(call({ text: lastResort(post, this.#parts.scene()), blocks: [] }))
  }

  /** A client that throws is a bug, and its call may have happened all the same. */
  async #answer(call: Promise<Outcome>): Promise<Outcome> {
    try {
      return await call
    } catch (error) {
      if (error instanceof LostLead) throw error
      this.#parts.log.error('slack:failed', { error: String(error) })
      return { kind: 'unclear', why: 'the call failed' }
    }
  }

  /** A view that cannot be rendered costs no alert: the fixed sentence goes in its place. */
  #render(post: Post, scene: Scene): Rendered {
    const { viewOf, viewHash, log } = this.#parts
    let view: View = { text: lastResort(post, scene), blocks: [] }
    try {
      view = viewOf(post, scene)
    } catch (error) {
      log.error('view:failed', { post: post.id, error: String(error) })
    }
    return { view, hash: viewHash(view), isClosed: isAllClosed(scene.world, post) }
  }
}

/** The thread to post into: its `ts`, null for the top level, undefined while its card is not there yet. */
function threadOf(post: Post, { world, nowMs }: Scene): string | null | undefined {
  if (post.thread === null) return null
  // What may stand at the top level already goes there again, where copies of it are looked for.
  if (post.isLoud && post.firstSentMs !== null && post.threadTs === null) return null
  const parent = world.posts.get(post.thread)
  if (parent === undefined || parent.state === 'dead' || parent.channel !== post.channel) return null
  if (parent.state === 'live') return parent.ts
  return nowMs >= waitsUntilMs(post) ? null : undefined
}

function waitsUntilMs(post: Post): number {
  return post.isLoud ? post.createdMs + parentWaitMs : Number.POSITIVE_INFINITY
}

function mark(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id)
  else set.delete(id)
}

function lastResort(post: Post, { world }: Scene): string {
  const alert = world.alerts.get(post.shows[0]?.alert ?? '')
  if (alert === undefined) return 'Slack refused to show this message.'
  return `Slack refused to show an alert here. Open it in the monitoring: ${alert.url ?? `#${alert.number}`}`
}

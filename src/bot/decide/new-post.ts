/** A message that is wanted: what differs is named, all else is as of a message that nobody has sent. */
import type { Post } from '../world/types.ts'
import type { World } from '../world/world.ts'

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

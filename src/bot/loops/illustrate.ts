/**
 * Which picture goes with a message. A first message waits a moment for it and never longer; one that comes late becomes a post of its
 * own in the thread. An edit is no proof that people see a new picture (docs/slack.md#pictures), so whether they do is asked once.
 */
import { type Clock, second } from '../clock.ts'
import { newPost } from '../decide/new-post.ts'
import type { Log } from '../log.ts'
import type { SlackPort } from '../slack/port.ts'
import type { PictureWish } from '../view/picture.ts'
import type { Scene } from '../view/scene.ts'
import type { Post } from '../world/types.ts'
import { isAllClosed } from './settle.ts'

export type Picture = { readonly file: string; readonly key: string }

const budgetMs = 1.5 * second
/** A post that is nothing but its picture waits longer. */
const chartBudgetMs = 15 * second
const uselessAfterMs = 60 * second

export type PictureParts = {
  readonly slack: SlackPort
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
  readonly pictureOf: (post: Post, scene: Scene) => PictureWish | null
  readonly keyHash: (key: string) => string
  readonly makePicture: (wish: PictureWish, signal: AbortSignal) => Promise<Picture | null>
}

export type Illustrator = ReturnType<typeof openIllustrator>

export function openIllustrator(parts: PictureParts) {
  let isShareAsked = false

  /** The picture, or null where there is none or it is late; then `late` hears of it. */
  async function make(
    wish: PictureWish,
    forMs: number,
    late: (picture: Picture) => void,
  ): Promise<Picture | null> {
    const useless = new AbortController()
    const over = new AbortController()
    let isLate = false
    const making = parts
      .makePicture(wish, useless.signal)
      .catch((error: unknown) => {
        parts.log.warn('picture:failed', { error: String(error) })
        return null
      })
      .then((picture) => {
        over.abort('drawn')
        if (isLate && picture !== null) late(picture)
        return picture
      })
    void parts.clock.wait(uselessAfterMs, over.signal).then(() => useless.abort('late'))
    const first = await Promise.race([making, parts.clock.wait(forMs, over.signal).then(() => null)])
    isLate = first === null
    return first
  }

  function addChart(card: string, picture: Picture): void {
    const { world, nowMs } = parts.scene()
    const post = world.posts.get(card)
    if (post === undefined || post.state === 'dead' || post.picture !== null || isAllClosed(world, post))
      return
    const { channel, forChannel } = post
    const id = `chart:${card}:${parts.keyHash(picture.key)}`
    const wish = {
      id,
      kind: 'chart',
      channel,
      forChannel,
      thread: card,
      shows: post.shows.slice(0, 1),
    } as const
    if (!world.posts.has(id)) world.put('posts', { ...newPost(wish, nowMs), picture })
  }

  return {
    /** For a message that is not yet there. */
    async forNew(post: Post): Promise<Picture | null> {
      if (post.picture !== null || post.noPicture) return post.picture
      const wish = parts.pictureOf(post, parts.scene())
      if (wish === null) return null
      const forMs = post.kind === 'chart' ? chartBudgetMs : budgetMs
      return make(wish, forMs, (picture) => {
        if (post.kind === 'alert') addChart(post.id, picture)
      })
    },
    /** For the edit that closes a card: its episode's picture where an edit shows pictures to everybody, else none. */
    async forClosing(post: Post): Promise<Picture | null> {
      const isShared = parts.scene().world.fact('sharedByUpdate') ?? null
      if (post.noPicture || isShared === false || (isShared === null && isShareAsked)) return null
      const wish = parts.pictureOf(post, parts.scene())
      if (wish === null || wish.key === post.picture?.key) return post.picture
      return make(wish, budgetMs, () => {})
    },
    /** After the first edit with a new picture: does everybody see it? If not, the picture is taken away again. */
    async afterClosing(id: string, picture: Picture | null): Promise<void> {
      const isKnown = (parts.scene().world.fact('sharedByUpdate') ?? null) !== null
      const channelId = parts.scene().world.posts.get(id)?.channelId ?? null
      if (picture === null || isKnown || isShareAsked || channelId === null) return
      isShareAsked = true
      const isShared = await parts.slack.isShared(picture.file, channelId)
      const { world } = parts.scene()
      if (isShared !== null) world.setFact('sharedByUpdate', isShared)
      const post = world.posts.get(id)
      if (isShared !== true && post?.picture?.file === picture.file)
        world.patch('posts', id, { picture: null })
    },
  }
}

/**
 * Which picture goes with a message. A first message waits a moment for it and never longer; one that comes late becomes a post of its
 * own in the thread. An edit never brings a new one: people would not see it (docs/slack.md#pictures).
 */
import { type Clock, second } from '../clock.ts'
import { want } from '../decide/new-post.ts'
import type { Log } from '../log.ts'
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
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
  readonly pictureOf: (post: Post, scene: Scene) => PictureWish | null
  readonly keyHash: (key: string) => string
  readonly makePicture: (wish: PictureWish, signal: AbortSignal) => Promise<Picture | null>
}

export type Illustrator = ReturnType<typeof openIllustrator>

export function openIllustrator(parts: PictureParts) {
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
    const shows = post.shows.slice(0, 1)
    want(world, nowMs, { id, kind: 'chart', channel, forChannel, thread: card, shows, picture })
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
  }
}

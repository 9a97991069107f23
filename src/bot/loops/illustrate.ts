/**
 * Which picture goes with a message. A first message waits a moment for it and never longer; one that comes late becomes a post of its
 * own in the thread. An edit never brings a new one: people would not see it (docs/slack.md#pictures).
 */
import { type Clock, second } from '../clock.ts'
import { want } from '../decide/want.ts'
import type { Log } from '../log.ts'
import type { PictureWish } from '../view/alert.ts'
import type { Scene } from '../view/view.ts'
import type { Post } from '../world/types.ts'
import { isAllClosed } from './settle.ts'

type Picture = { readonly file: string; readonly key: string }

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

/** For a message that is not yet there; null where there is none, or it is late. */
export async function pictureForNew(parts: PictureParts, post: Post): Promise<Picture | null> {
  if (post.picture !== null || post.noPicture) return post.picture
  const wish = parts.pictureOf(post, parts.scene())
  if (wish === null) return null
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
      if (isLate && picture !== null && post.kind === 'alert') addChart(parts, post.id, picture)
      return picture
    })
  void parts.clock.wait(uselessAfterMs, over.signal).then(() => useless.abort('late'))
  const forMs = post.kind === 'chart' ? chartBudgetMs : budgetMs
  const first = await Promise.race([making, parts.clock.wait(forMs, over.signal).then(() => null)])
  isLate = first === null
  return first
}

function addChart(parts: PictureParts, card: string, picture: Picture): void {
  const { world, nowMs } = parts.scene()
  const post = world.posts.get(card)
  if (post === undefined || post.state === 'dead' || post.picture !== null || isAllClosed(world, post)) return
  const { channel, forChannel } = post
  const id = `chart:${card}:${parts.keyHash(picture.key)}`
  const shows = post.shows.slice(0, 1)
  want(world, nowMs, { id, kind: 'chart', channel, forChannel, thread: card, shows, picture })
}

/**
 * Which picture belongs to a message: the metric around the opening of its alert. Of one that was over before it was told, and of a chart
 * that somebody asks for, the whole episode; a card that closes keeps the picture of its opening (docs/slack.md#pictures).
 */
import { hour, minute } from '../clock.ts'
import type { Alert, Post } from '../world/types.ts'
import { alertOf } from './alert.ts'
import { measuredOf } from './headline.ts'
import type { Scene } from './scene.ts'
import { isSilence } from './words.ts'

/** `key`: equal for the same picture. `untilMs` null: until it is drawn. */
export type PictureWish = {
  readonly key: string
  readonly alert: string
  readonly fromMs: number
  readonly untilMs: number | null
  readonly limit: number | null
  readonly side: 'high' | 'low' | null
  readonly units: string | null
  readonly metric: string | null
  readonly sparklineUrl: string | null
}

const beforeMs = hour
const afterMs = 10 * minute

export function pictureOf(post: Post, scene: Scene): PictureWish | null {
  // A chart that somebody asked for is drawn all the same.
  const isWanted = post.kind === 'chart' || (post.kind === 'alert' && scene.policy.images)
  if (!isWanted) return null
  const alert = alertOf(post, scene.world)
  if (alert === null || alert.isOneoff || isSilence(alert)) return null
  if (alert.metric === null && alert.sparklineUrl === null) return null
  return wishOf(alert)
}

function wishOf(alert: Alert): PictureWish {
  const { limit, units, side } = measuredOf(alert)
  const { id, closedMs, startedMs, reopenedFromMs, metric, sparklineUrl } = alert
  const beganMs = Math.min(reopenedFromMs ?? startedMs, startedMs)
  return {
    key: `${id} ${closedMs === null ? 'open' : 'closed'}`,
    alert: id,
    fromMs: beganMs - beforeMs,
    untilMs: closedMs === null ? null : closedMs + afterMs,
    limit,
    side,
    units,
    metric,
    sparklineUrl,
  }
}

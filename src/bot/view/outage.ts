/** That the monitoring cannot be read: told aloud while it lasts, and edited to what was found once it is over. */
import type { KnownBlock } from '@slack/types'
import type { Alert, Post } from '../world/types.ts'
import { section } from './blocks.ts'
import type { Scene } from './scene.ts'
import { count, date, duration, escaped, number } from './words.ts'

export function outageBlocks(post: Post, { world }: Scene): KnownBlock[] {
  const { sinceMs = post.createdMs, untilMs = null, isUnmeasured = false } = post.data
  const alerts = [...world.alerts.values()].filter(({ isOneoff }) => !isOneoff)
  if (untilMs === null) {
    const failing = world.fact('failing') ?? null
    const why = failing === null ? '' : `: ${escaped(failing.why)}`
    const open = alerts.filter((alert) => isOpenAt(alert, sinceMs)).length
    const were = open === 1 ? '1 alert was' : `${open === 0 ? 'No' : number(open)} alerts were`
    return [
      section(
        `⚠️ *Monitoring has been down since ${date(sinceMs)}*${why}\n${were} open then; cards may be out of date`,
      ),
    ]
  }
  const opened = alerts.filter(({ startedMs }) => startedMs > sinceMs && startedMs <= untilMs)
  const still = opened.filter((alert) => alert.closedMs === null || alert.closedMs > untilMs).length
  const left = still === 0 ? 'none is' : `${number(still)} ${still === 1 ? 'is' : 'are'}`
  const meanwhile =
    opened.length === 0
      ? 'Meanwhile no alerts opened'
      : `Meanwhile ${count(opened.length, 'alert')} opened; ${left} still open`
  const after = isUnmeasured ? '' : ` after ${duration(untilMs - sinceMs)}`
  return [section(`✅ Monitoring is back${after}\n${meanwhile}`)]
}

function isOpenAt({ startedMs, closedMs }: Alert, atMs: number): boolean {
  return startedMs <= atMs && (closedMs === null || closedMs > atMs)
}

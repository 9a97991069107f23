/** The report of the policy, at its days and time; a little late where nothing ran then. With a file of its rows in the thread. */
import { day, hour } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import { want } from './new-post.ts'
import { wantEffect } from './noted.ts'
import { nextWindow } from './windows.ts'

const lateMaxMs = 3 * hour

export function tellReport(scene: Scene): void {
  const { world, policy, nowMs } = scene
  const { report, timezone } = policy
  if (report === null) return
  const { days, atMinutes, channel } = report
  const every = { days, atMinutes, lengthMs: 0, zone: timezone }
  const atMs = nextWindow(every, nowMs - lateMaxMs)?.fromMs ?? Number.POSITIVE_INFINITY
  const id = `report:${atMs}:${channel}`
  // Whoever starts the bot for the first time has nothing to report.
  const isFirst = ![...world.acts.values()].some((act) => act.atMs < atMs)
  if (atMs > nowMs || isFirst || world.posts.has(id)) return
  want(world, nowMs, { id, kind: 'report', channel, data: { atMs }, urgency: 3 })
  const forMs = lengthMs(days)
  const data = { file: 'report_csv', post: id, to: channel, forMs } as const
  wantEffect(scene, { id: `file:${id}`, does: 'file', data })
}

/** What a report is about: since the one before of a policy with one day a week, else a day. */
export function lengthMs(days: readonly number[]): number {
  return Math.ceil(7 / Math.max(days.length, 1)) * day
}

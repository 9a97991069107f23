/** The report of the policy, at its days and time; a little late where nothing ran then. With a file of its rows in the thread. */
import { day, hour } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
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
  const data = {
    file: 'report_csv',
    post: id,
    to: channel,
    forMs: atMs - reportFromMs(policy, atMs),
    atMs,
  } as const
  wantEffect(scene, { id: `file:${id}`, does: 'file', data })
}

/** What a report is about begins with the one before it, a week ago at most. */
export function reportFromMs({ report, timezone }: Policy, atMs: number): number {
  let fromMs = atMs - 7 * day
  if (report === null) return fromMs
  const every = { days: report.days, atMinutes: report.atMinutes, lengthMs: 0, zone: timezone }
  for (;;) {
    const nextMs = nextWindow(every, fromMs)?.fromMs ?? atMs
    if (nextMs >= atMs) return fromMs
    fromMs = nextMs
  }
}

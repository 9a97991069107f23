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
  const { report } = policy
  if (report === null) return
  const { channel } = report
  const atMs = nextReportMs(policy, nowMs - lateMaxMs)
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
export function reportFromMs(policy: Policy, atMs: number): number {
  let fromMs = atMs - 7 * day
  for (;;) {
    const nextMs = nextReportMs(policy, fromMs)
    if (nextMs >= atMs) return fromMs
    fromMs = nextMs
  }
}

function nextReportMs({ report, timezone }: Policy, afterMs: number): number {
  if (report === null) return Number.POSITIVE_INFINITY
  const { days, atMinutes } = report
  const next = nextWindow({ days, atMinutes, lengthMs: 0, zone: timezone }, afterMs)
  return next?.fromMs ?? Number.POSITIVE_INFINITY
}

/** The Slack edge: the real client and real Bolt over the strict local workspace, in one process, with a clock by hand. */
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openSlack } from '../../../src/bot/slack/calls.ts'
import type { Reach } from '../../../src/bot/slack/client.ts'
import type { PostCall } from '../../../src/bot/slack/port.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Pass } from '../../../src/bot/world/journal.ts'
import type { World } from '../../../src/bot/world/world.ts'
import { patienceMs } from '../../support/patience.ts'
import { openWorkspace, type WorkspaceOptions } from '../../support/slack.ts'
import { policyOf } from '../worlds/builders.ts'
import { handClock } from '../worlds/hand-clock.ts'

export const pass = {} as Pass
export const alerts = 'C0ALERTS01'
export const ana = 'U0ANA00001'
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Calls end after `callMs`, which only a test of a call that hangs waits for. */
export async function openEdge(options: WorkspaceOptions = {}, callMs = patienceMs) {
  const clock = handClock()
  const workspace = await openWorkspace({
    nowMs: () => clock.nowMs(),
    limits: 'off',
    seed: 7,
    fileReadyMs: 0,
    ...options,
  })
  onTestFinished(() => workspace.close())
  const reach: Reach = { apiUrl: workspace.apiUrl, fetch: globalThis.fetch, log: silentLog, callMs }
  /** Whoever waits lets the time pass. */
  const passing: Clock = { ...clock, wait: (ms) => clock.runFor(ms) }
  const slack = openSlack(new Secret(workspace.botToken), reach, passing)
  return { workspace, clock, reach, slack, messages: () => workspace.messages('alerts') }
}

export const postCall = (over: Partial<PostCall> = {}): PostCall => ({
  channel: alerts,
  threadTs: null,
  isBroadcast: false,
  key: 'alert:1',
  text: 'CPU busy on web-1',
  blocks: [],
  ...over,
})

export const sceneOf = (world: World, nowMs: number, over: Partial<Policy> = {}): Scene => ({
  world,
  policy: policyOf(over),
  nowMs,
  defaultChannel: alerts,
  replicaName: 'a',
  pager: null,
  canMuteAlerts: false,
  strangers: 0,
})

export const section = (text: string) =>
  ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }) as const

/** Looks until there is something, and says what it waited for when there never is. */
export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = look()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

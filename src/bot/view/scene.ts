/** What a view is made from, besides the record that it shows. Nothing of it waits. */
import type { KnownBlock } from '@slack/types'
import type { Policy } from '../config/policy.ts'
import type { World } from '../world/world.ts'

export type Scene = {
  readonly world: World
  readonly policy: Policy
  readonly nowMs: number
  /** SLACK_CHANNEL, or the last route's channel. */
  readonly defaultChannel: string
  /** This process, in `/mon status`; empty where no other one can lead. */
  readonly replicaName: string
  readonly pager: 'pagerduty' | 'webhook' | null
  /** Whether the monitoring can mute one alert alone (it stands in front of an Alertmanager). */
  readonly canMuteAlerts: boolean
  /** Connections of this Slack app beyond ours, as Slack counts them: a second bot uses it. */
  readonly strangers?: number
}

/** One rendering. `text` says what the blocks say, without buttons. */
export type View = { readonly text: string; readonly blocks: readonly KnownBlock[] }
